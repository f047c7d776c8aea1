import { tableOfText } from './own-table.js';
import { normals } from './random-models.js';

/**
 * Time series: read, averaged, made up and judged. Plain JavaScript: the tests and a reproduction run it in Node, and the lab
 * Kernel search shows it as it is.
 */

/**
 * A series from text: a column of values, whose times are 1, 2, 3, …, or one of times and one of values. Times are numbers, or dates
 * as 1949-03 or 1949-03-28, which become years. The series is put in the order of its times.
 * @param {string} text
 * @returns {{ times: number[], values: number[], heads: string[] | undefined }}
 */
export function seriesOfText(text) {
  const { heads, rows } = tableOfText(datesAsYears(text));
  const numColumns = rows[0]?.length ?? 0;
  if (numColumns < 1 || numColumns > 2) {
    throw new Error(
      `There are ${numColumns} columns; give one of values, or two: times, then values.`,
    );
  }
  const pairs = rows.map((row, n) => (numColumns === 1 ? [n + 1, row[0]] : row));
  pairs.sort(([a], [b]) => a - b);
  return { times: pairs.map(([time]) => time), values: pairs.map(([, value]) => value), heads };
}

/**
 * Dates in a text as years: 1949-03 is 1949 and 2/12, a day is that part of its year.
 * @param {string} text
 */
export function datesAsYears(text) {
  return text.replace(
    /\b(\d{4})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?\b/g,
    (_, year, month, day) => {
      if (day === undefined) return String(Number(year) + (Number(month) - 1) / 12);
      const [start, end] = [Date.UTC(Number(year), 0), Date.UTC(Number(year) + 1, 0)];
      const at = Date.UTC(Number(year), Number(month) - 1, Number(day));
      return String(Number(year) + (at - start) / (end - start));
    },
  );
}

/**
 * Means over each `size` neighbouring times and values. A shorter rest at the end is left out.
 * @param {{ times: readonly number[], values: readonly number[] }} series
 * @param {number} size
 */
export function meansOver({ times, values }, size) {
  const mean = (all, at) => {
    let sum = 0;
    for (let n = at; n < at + size; n++) sum += all[n];
    return sum / size;
  };
  const starts = Array.from({ length: Math.floor(values.length / size) }, (_, n) => n * size);
  return {
    times: starts.map((at) => mean(times, at)),
    values: starts.map((at) => mean(values, at)),
  };
}

/**
 * As many times after the last one, at the mean distance.
 * @param {readonly number[]} times
 * @param {number} count
 */
export function timesAfter(times, count) {
  const [first, last] = [times[0], times[times.length - 1]];
  const step = (last - first) / (times.length - 1);
  return Array.from({ length: count }, (_, n) => last + (n + 1) * step);
}

/**
 * Made up: ten years of months, a trend and a season, and noise. Values are rounded, because sines differ from browser to browser
 * in their last bit.
 * @param {number} seed
 */
export function trendAndSeason(seed) {
  const normal = normals(seed);
  const times = Array.from({ length: 120 }, (_, n) => n);
  const values = times.map((t) => {
    const angle = (2 * Math.PI * t) / 12;
    const season = 5 * Math.sin(angle) + 2 * Math.cos(2 * angle);
    return Math.round(1000 * (40 + 0.2 * t + season + 0.8 * normal())) / 1000;
  });
  return { times, values };
}

/**
 * Made up: a draw of a Gaussian process with the kernel SE, ℓ = 4 and σ² = 1, and noise of standard deviation 0.3. White noise averaged
 * with weights exp(−d² / ℓ²) has that kernel.
 * @param {number} seed
 */
export function smoothAndNoise(seed) {
  const normal = normals(seed);
  const [count, reach] = [120, 16];
  const white = Array.from({ length: count + 2 * reach }, normal);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, n) =>
    Math.exp(-((n - reach) ** 2) / 16),
  );
  const size = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0));
  const times = Array.from({ length: count }, (_, n) => n);
  const values = times.map((t) => {
    const smooth = weights.reduce((sum, weight, n) => sum + weight * white[t + n], 0) / size;
    return Math.round(1000 * (smooth + 0.3 * normal())) / 1000;
  });
  return { times, values };
}

/**
 * Made up: white noise of standard deviation 1. There is nothing to find.
 * @param {number} seed
 */
export function whiteNoise(seed) {
  const normal = normals(seed);
  const times = Array.from({ length: 120 }, (_, n) => n);
  return { times, values: times.map(() => Math.round(1000 * normal()) / 1000) };
}

/**
 * Root mean squared error, and log predictive density in nats a value, of values that were predicted.
 * @param {{ means: ArrayLike<number>, variances: ArrayLike<number> }} prediction Of the function.
 * @param {number} noiseVariance
 * @param {readonly number[]} truth
 * @returns {{ rmse: number, logDensity: number }}
 */
export function scoresOf({ means, variances }, noiseVariance, truth) {
  let [squares, density] = [0, 0];
  truth.forEach((value, at) => {
    const error = value - means[at];
    const variance = variances[at] + noiseVariance;
    squares += error ** 2;
    density -= (error ** 2 / variance + Math.log(2 * Math.PI * variance)) / 2;
  });
  return { rmse: Math.sqrt(squares / truth.length), logDensity: density / truth.length };
}
