import { superscript } from '../lib/format.js';

/** One curve, or one cloud of points, of a chart. */
export interface Series {
  name: string;
  colour: `--${string}`;
  /** One value for every x; null where there is none. */
  values: readonly (number | null)[];
  dash?: number[];
  /** Points of this size in place of a curve. */
  points?: number;
}

/** A number on an axis; powers of ten as such on a logarithmic one. */
export function axisText(value: number | null | undefined, logarithmic = false): string {
  if (value === null || value === undefined) return '';
  if (logarithmic) {
    const power = Math.log10(value);
    const whole = Math.round(power);
    if (Math.abs(power - whole) > 1e-9) return '';
    return whole >= 0 && whole <= 3 ? String(10 ** whole) : `10${superscript(whole)}`;
  }
  const size = Math.abs(value);
  const text =
    size >= 1e4
      ? value.toLocaleString('en', { maximumFractionDigits: 1 })
      : String(Number(value.toPrecision(6)));
  return text.replace('-', '−');
}
