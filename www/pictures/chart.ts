import { superscript } from '../lib/format.js';

/** One curve, or one cloud of points, of a chart. */
export interface Series {
  name: string;
  colour: `--${string}`;
  /** One value for every x; null where there is none. */
  values: readonly (number | null)[];
  dash?: number[];
  /** Width of the curve; 1.75 if absent. */
  width?: number;
  /** A formula's curve: between screen pixels, not on them, which is slower for thousands of points. */
  smooth?: boolean;
  /** Points of this size in place of a curve. */
  points?: number;
  /** Half the length of the error bar of every value; null where there is none. */
  errors?: readonly (number | null)[];
  /** In place of it, both ends of the bar of every value, which need not lie evenly about it. */
  intervals?: readonly (readonly [lower: number, upper: number] | null)[];
  /** Whether the error bars are one shaded band about the curve: where values lie close together. */
  shaded?: boolean;
  /** A disc on the first or the last value of the curve, or on all. */
  disc?: 'first' | 'last' | 'all';
  /** A histogram's outline: from every x on, level until the next. */
  stepped?: boolean;
}

/** A straight line across a plot. */
export interface Rule {
  name: string;
  colour: `--${string}`;
  /** The axis it is at right angles to, and where on it. */
  axis: 'x' | 'y';
  at: number;
  dash?: number[];
}

/** The ends of the error bar of a value; undefined where there is none. */
export function errorBar(
  { values, errors, intervals }: Series,
  n: number,
): readonly [lower: number, upper: number] | undefined {
  const [value, error, interval] = [values[n], errors?.[n], intervals?.[n]];
  if (typeof value !== 'number') return undefined;
  if (interval) return interval.every(Number.isFinite) ? interval : undefined;
  return error && Number.isFinite(error) ? [value - error, value + error] : undefined;
}

/** From the least to the greatest of what is drawn, given that of the values: error bars and rules may lie further out. */
export function extentOf(
  series: readonly Series[],
  rules: readonly Rule[],
  positive: boolean,
  low: number | null,
  high: number | null,
): [number | null, number | null] {
  if (low === null || high === null) return [low, high];
  const bars = series.flatMap((one) => one.values.map((_, n) => errorBar(one, n) ?? []));
  const levels = rules.filter(({ axis }) => axis === 'y').map(({ at }) => at);
  const ends = [...bars.flat(), ...levels].filter((end) => !positive || end > 0);
  return ends.reduce<[number, number]>(
    ([least, most], end) => [Math.min(least, end), Math.max(most, end)],
    [low, high],
  );
}

/** A number on an axis; small and large ones on a logarithmic axis as powers of ten. */
export function axisText(value: number | null | undefined, logarithmic = false): string {
  if (value === null || value === undefined) return '';
  if (logarithmic) {
    if (value > 0.99e-2 && value < 1.01e3) return String(Number(value.toPrecision(3)));
    const power = Math.log10(value);
    const whole = Math.round(power);
    if (Math.abs(power - whole) < 1e-9) return `10${superscript(whole)}`;
    return value > 1e-4 && value < 1e5 ? String(Number(value.toPrecision(3))) : '';
  }
  const size = Math.abs(value);
  const text =
    size >= 1e4
      ? value.toLocaleString('en', { maximumFractionDigits: 1 })
      : String(Number(value.toPrecision(6)));
  return text.replace('-', '−');
}

/** Where a logarithmic axis has its numbers: powers of ten, and where there are few, twice and five times them too. */
export function logSplits(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first) / 7));
  const factors = Math.log10(high / low) < 2.6 ? [1, 2, 5] : [1];
  const splits: number[] = [];
  for (let power = first; power <= last; power += step) {
    for (const factor of factors) splits.push(Number(`${factor}e${power}`));
  }
  return splits.filter((split) => split >= low * (1 - 1e-9) && split <= high * (1 + 1e-9));
}

/** The ends of a logarithmic axis: whole powers of ten, or once or twice or five times them where the data span little. */
export function logRange(
  low: number | null,
  high: number | null,
  initial: [number, number],
): [number, number] {
  if (low === null || high === null || !(low > 0)) return initial;
  const factors = high / low < 1e4 ? [1, 2, 5, 10] : [1, 10];
  const below = (factor: number) => factor * 10 ** Math.floor(Math.log10(low));
  const above = (factor: number) => factor * 10 ** Math.floor(Math.log10(high));
  const bottom = below(factors.filter((factor) => below(factor) <= low).at(-1) ?? 1);
  const top = above(factors.find((factor) => above(factor) >= high) ?? 10);
  return [bottom, top > bottom ? top : bottom * 10];
}
