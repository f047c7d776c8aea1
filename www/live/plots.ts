/**
 * Plots as data: what `plot` in live code may draw. The program gives numbers and words, and the page draws them, with
 * the charts that the labs have.
 */

/** Curves or points over a common x, or a square matrix in colours. */
export type LivePlot =
  | {
      kind: 'curves';
      title: string;
      xLabel: string;
      mark: 'line' | 'points' | 'steps';
      /** Ascending, finite. */
      x: readonly number[];
      /** One value for every x; null where there is none. */
      series: readonly { name: string; values: readonly (number | null)[] }[];
    }
  | {
      kind: 'matrix';
      title: string;
      dim: number;
      /** Row-major [dim, dim]. */
      values: readonly number[];
    };

/** There are colours for so many curves. */
export const MAX_SERIES = 6;
/** A picture of a larger matrix would have less than a pixel a number. */
export const MAX_DIM = 400;
/** Numbers in one plot. */
export const MAX_NUMBERS = 200_000;
const MAX_WORDS = 200;

/** A plot as the sandbox sends it, checked and copied; undefined if it is none. */
export function readPlot(value: unknown): LivePlot | undefined {
  const fields = (value ?? {}) as Record<string, unknown>;
  const { kind, title } = fields;
  if (!isWords(title)) return undefined;
  if (kind === 'matrix') {
    const { dim, values } = fields;
    if (!Number.isSafeInteger(dim) || (dim as number) < 1 || (dim as number) > MAX_DIM)
      return undefined;
    if (!isNumbers(values) || values.length !== (dim as number) ** 2) return undefined;
    return { kind, title, dim: dim as number, values: values.map(finiteOrZero) };
  }
  const { xLabel, mark, x, series } = fields;
  if (kind !== 'curves' || !isWords(xLabel) || !isNumbers(x)) return undefined;
  if (mark !== 'line' && mark !== 'points' && mark !== 'steps') return undefined;
  if (!x.every((at, n) => Number.isFinite(at) && (n === 0 || (x[n - 1] ?? 0) <= at)))
    return undefined;
  if (!Array.isArray(series) || series.length < 1 || series.length > MAX_SERIES) return undefined;
  const curves = series.map((one) => {
    const { name, values } = (one ?? {}) as Record<string, unknown>;
    if (!isWords(name) || !Array.isArray(values) || values.length !== x.length) return undefined;
    return { name, values: values.map((y) => (Number.isFinite(y) ? (y as number) : null)) };
  });
  if (curves.some((curve) => curve === undefined)) return undefined;
  // The names are the keys of a list.
  if (new Set(curves.map((curve) => curve?.name)).size < curves.length) return undefined;
  return { kind, title, xLabel, mark, x: [...x], series: curves.flatMap((curve) => curve ?? []) };
}

const isWords = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_WORDS;

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length <= MAX_NUMBERS &&
  value.every((entry) => typeof entry === 'number');

const finiteOrZero = (value: number) => (Number.isFinite(value) ? value : 0);
