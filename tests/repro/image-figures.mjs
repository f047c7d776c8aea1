// The pictures of image-models.mjs.

import { filterSheet } from './filter-sheet.mjs';
import { drawCurves } from './packed/curves.mjs';

/** Of the models, from left to right. */
const COLOURS = [
  [120, 120, 120],
  [30, 150, 60],
  [30, 70, 200],
  [240, 150, 60],
  [200, 30, 30],
  [140, 60, 180],
  [110, 140, 220],
  [230, 120, 120],
];

/** Bars of the log likelihoods from below, with error bars. */
export function bars(found) {
  const lows = found.map(({ test }) => test.mean - test.rowError);
  const highs = found.map(({ test }) => test.mean + test.rowError);
  const step =
    [1, 2, 5, 10, 20, 50, 100].find(
      (each) => (Math.max(...highs) - Math.min(...lows)) / each < 8,
    ) ?? 1000;
  const low = step * Math.floor(Math.min(...lows) / step - 0.5);
  const high = step * Math.ceil(Math.max(...highs) / step);
  const yTicks = Array.from({ length: (high - low) / step + 1 }, (_, at) => low + step * at);
  const WIDTH = 20;
  const x = Array.from({ length: WIDTH * found.length }, (_, at) => at);
  /** A band over a part of a model's place. */
  const band = (place, [from, to], [lower, value, upper], colour) => {
    const here = (number) =>
      x.map((at) => (at >= WIDTH * place + from && at < WIDTH * place + to ? number : Number.NaN));
    return { values: here(value), lower: here(lower), upper: here(upper), colour };
  };
  const curves = found.flatMap(({ test: { mean: value, rowError } }, place) => [
    band(place, [3, 18], [low, value, value], COLOURS[place]),
    band(place, [9, 12], [value - rowError, value, value + rowError], [0, 0, 0]),
  ]);
  return drawCurves({ curves, x, xTicks: [], yTicks });
}

/** As many basis functions or filters of each model as a complete one has. */
export function basesAndFilters(unnorm, { transform }, { numComponents, size }, found) {
  const whitened = { ...transform, scales: new Float64Array(numComponents).fill(1) };
  return filterSheet(
    found.map(({ model, isGenerative, filters }) => {
      const shown = (isGenerative ? unnorm.basisPatches : unnorm.receptiveFields)(
        whitened,
        filters(model),
      );
      return shown.subarray(0, numComponents * size * size);
    }),
    size,
  );
}
