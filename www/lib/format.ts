/** Numbers in words, the same way everywhere on the site. */

const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** A count, with thousands separated: 20,000. */
export function count(value: number): string {
  return grouped.format(value);
}

/** A real number to so many significant digits; very large and very small ones as 1.23 × 10⁻⁵. */
export function real(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'not a number' : value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) {
    const text = value.toPrecision(digits);
    // More digits before the point than were asked for: the others are zeros.
    return minus(text.includes('e') ? String(Number(text)) : text);
  }
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  // With spaces that do not break: it is one number.
  return `${minus(mantissa ?? '')}\u00a0×\u00a010${superscript(Number(exponent))}`;
}

/** A real number to so many decimals, with a sign, for numbers that stand under one another. */
export function signed(value: number, decimals = 2): string {
  const text = Math.abs(value).toFixed(decimals);
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** A real number to so many decimals: −1.25. */
export function decimal(value: number, decimals: number): string {
  return Number.isFinite(value) ? minus(value.toFixed(decimals)) : real(value);
}

/** A mean with its standard error: −1.4142 ± 0.0003. */
export function uncertain(value: number, error: number): string {
  if (!(error > 0 && error < Number.POSITIVE_INFINITY))
    return `${decimal(value, 5)} ± ${error === 0 ? '0' : '?'}`;
  const decimals = Math.max(2, Math.min(7, 1 - Math.floor(Math.log10(error))));
  return `${decimal(value, decimals)} ± ${error.toFixed(decimals)}`;
}

/** A stretch of time for people: 12 ms, 0.4 s, 12 s, 3 min 05 s, 2 h 10 min. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 0.0995) return `${Math.max(1, Math.round(1000 * seconds))} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${pad(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${pad(Math.floor((whole % 3600) / 60))} min`;
}

/** A size in bytes for people: 260 kB. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  if (size < 1e6) return `${(size / 1e3).toPrecision(3)} kB`;
  return `${(size / 1e6).toPrecision(3)} MB`;
}

/** A whole number in superscript digits: ⁻⁵. */
export function superscript(value: number): string {
  return [...String(value)].map((c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)] ?? '⁻').join('');
}

/** Words as a sentence: with a capital at the beginning and a full stop, if there is none yet. */
export function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;
}

function minus(text: string): string {
  return text.replace('-', '−');
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** A share as a percentage; a dash where there is none. */
export function percent(share: number, decimals = 0): string {
  return Number.isFinite(share) ? `${decimal(100 * share, decimals)} %` : '–';
}
