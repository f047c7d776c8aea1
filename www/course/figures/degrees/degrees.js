/** Polynomials with normal priors, and their evidence in closed form. Plain JavaScript: the tests run it in Node. */

import { normals } from '../../../lib/random-models.js';

export const MAX_DEGREE = 8;
export const X = Array.from({ length: 14 }, (_, n) => -1 + (2 * n) / 13);

export const TRUTHS = /** @type {const} */ (['line', 'parabola', 'cubic']);

const CURVES = {
  line: (/** @type {number} */ x) => 0.3 + 0.9 * x,
  parabola: (/** @type {number} */ x) => -0.6 + 0.3 * x + 1.5 * x ** 2,
  cubic: (/** @type {number} */ x) => 0.2 - 1.3 * x + 0.2 * x ** 2 + 2.2 * x ** 3,
};

/**
 * Values at X: of the curve, with noise.
 * @param {(typeof TRUTHS)[number]} truth
 * @param {number} noise Its standard deviation.
 */
export function dataOf(truth, noise) {
  const normal = normals(2);
  return X.map((x) => CURVES[truth](x) + noise * normal());
}

/**
 * The polynomial of a degree given the data: coefficients are normal about 0 before. Points come one after another, each
 * predicted from those before it; the evidence is the product of the predictions.
 * @param {number} degree
 * @param {ArrayLike<number>} y
 * @param {number} noise Standard deviation of the noise.
 * @param {number} width Standard deviation of the prior of every coefficient.
 * @returns {{ logEvidence: number, weights: number[] }} In nats, and the mean coefficients from the constant on.
 */
export function fitOf(degree, y, noise, width) {
  const size = degree + 1;
  const weights = new Array(size).fill(0);
  const covariance = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) => (i === j ? width ** 2 : 0)),
  );
  let logEvidence = 0;
  X.forEach((x, n) => {
    const powers = weights.map((_, k) => x ** k);
    const spread = covariance.map((row) =>
      row.reduce((sum, value, k) => sum + value * Number(powers[k]), 0),
    );
    const variance = spread.reduce((sum, value, k) => sum + value * Number(powers[k]), noise ** 2);
    const miss = Number(y[n]) - valueAt(weights, x);
    logEvidence -= 0.5 * (Math.log(2 * Math.PI * variance) + miss ** 2 / variance);
    spread.forEach((gain, i) => {
      weights[i] += (gain * miss) / variance;
      spread.forEach((other, j) => {
        /** @type {number[]} */ (covariance[i])[j] -= (gain * other) / variance;
      });
    });
  });
  return { logEvidence, weights };
}

/**
 * @param {readonly number[]} weights
 * @param {number} x
 */
export function valueAt(weights, x) {
  return weights.reduceRight((sum, weight) => sum * x + weight, 0);
}

/**
 * The root of the mean squared distance of the data from the curve.
 * @param {readonly number[]} weights
 * @param {ArrayLike<number>} y
 */
export function missOf(weights, y) {
  const squares = X.reduce((sum, x, n) => sum + (Number(y[n]) - valueAt(weights, x)) ** 2, 0);
  return Math.sqrt(squares / X.length);
}
