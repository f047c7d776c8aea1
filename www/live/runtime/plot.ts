import { histogramsOf } from '../../lib/histogram.js';
import { type LivePlot, MAX_DIM, MAX_SERIES } from '../plots.js';

type Numbers = ArrayLike<number>;

/** What `plot` takes besides the numbers. */
interface PlotOptions {
  /** Ascending or not; by default 0, 1, 2, … */
  x?: Numbers;
  /** One curve, or several by their names. */
  y?: Numbers | Record<string, Numbers>;
  /** In place of y: numbers of which the histogram is drawn. */
  histogram?: Numbers | Record<string, Numbers>;
  /** In place of y: a square matrix, row by row. */
  matrix?: Numbers | readonly Numbers[];
  kind?: 'line' | 'points';
  title?: string;
  xLabel?: string;
}

const NUM_BINS = 40;

const isNumbers = (value: unknown): value is Numbers =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

/** What `plot` is called with, as data. Throws where it cannot be drawn, and says why. */
export function plotOf(given: Numbers | PlotOptions, more: PlotOptions = {}): LivePlot {
  const options: PlotOptions = isNumbers(given) ? { ...more, y: given } : { ...given, ...more };
  const { title = '', xLabel = '', kind = 'line' } = options;
  const words = { title: String(title), xLabel: String(xLabel) };
  if (options.matrix) return matrixOf(options.matrix, words.title);
  if (kind !== 'line' && kind !== 'points')
    throw new TypeError(`plot: kind is “${kind}”; it must be 'line' or 'points'.`);
  if (options.histogram) {
    const named = seriesOf(options.histogram, 'histogram');
    const { edges, densities } = histogramsOf(
      named.map(([, values]) => values),
      NUM_BINS,
    );
    return {
      kind: 'curves',
      ...words,
      mark: 'steps',
      x: Array.from(edges),
      // The last bin is level until its end.
      series: named.map(([name], n) => ({
        name,
        values: [...(densities[n] ?? []), densities[n]?.at(-1) ?? 0],
      })),
    };
  }
  if (!options.y)
    throw new TypeError('plot: there is nothing to draw; give numbers, or y, histogram or matrix.');
  const named = seriesOf(options.y, 'y');
  const length = named[0]?.[1].length ?? 0;
  const x = options.x ?? Array.from({ length }, (_, n) => n);
  for (const [name, { length }] of named) {
    if (length !== x.length)
      throw new TypeError(`plot: “${name}” has ${length} values for ${x.length} of x.`);
  }
  const order = Array.from(x, (_, n) => n)
    .filter((n) => Number.isFinite(x[n]))
    .sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0));
  return {
    kind: 'curves',
    ...words,
    mark: kind,
    x: order.map((n) => x[n] ?? 0),
    series: named.map(([name, values]) => ({
      name,
      values: order.map((n) => numberOf(values[n])),
    })),
  };
}

function seriesOf(given: Numbers | Record<string, Numbers>, field: string): [string, Numbers][] {
  const named: [string, unknown][] = isNumbers(given) ? [[field, given]] : Object.entries(given);
  if (named.length < 1 || named.length > MAX_SERIES)
    throw new TypeError(
      `plot: ${field} has ${named.length} curves; it must be 1 to ${MAX_SERIES}.`,
    );
  return named.map(([name, values]) => {
    if (!isNumbers(values)) throw new TypeError(`plot: “${name}” is not an array of numbers.`);
    return [name, values];
  });
}

function matrixOf(given: Numbers | readonly Numbers[], title: string): LivePlot {
  const isFlat = !Array.isArray(given) || !isNumbers(given[0]);
  const values = isFlat
    ? Array.from(given as Numbers, numberOf)
    : (given as readonly Numbers[]).flatMap((row) => Array.from(row, numberOf));
  const dim = Math.round(Math.sqrt(values.length));
  if (dim * dim !== values.length || dim < 1 || dim > MAX_DIM)
    throw new TypeError(
      `plot: a matrix is square, of 1 to ${MAX_DIM} rows; this has ${values.length} numbers.`,
    );
  return { kind: 'matrix', title, dim, values: values.map((value) => value ?? 0) };
}

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
