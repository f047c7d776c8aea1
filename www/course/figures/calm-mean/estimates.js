/**
 * Two estimates of an evidence that is known: four numbers are measured with noise of standard deviation 1, and their prior
 * is normal about 0. Plain JavaScript: the tests run it in Node.
 */

import { logMeanExp } from '../../../lib/log-mean-exp.js';
import { normals } from '../../../lib/random-models.js';

export const NUM_TRIALS = 12;
export const NUM_DRAWS = 1000;

/** What was measured. */
const MEASURED = [1.2, -0.7, 0.4, -1.5];

/**
 * ln p(y): each number is normal with the variance of prior and noise together.
 * @param {number} width Standard deviation of the prior.
 */
export function exact(width) {
  const variance = 1 + width ** 2;
  return MEASURED.reduce(
    (sum, y) => sum - 0.5 * (Math.log(2 * Math.PI * variance) + y ** 2 / variance),
    0,
  );
}

/** @param {readonly number[]} theta */
function logLikelihood(theta) {
  return MEASURED.reduce(
    (sum, y, n) => sum - 0.5 * (Math.log(2 * Math.PI) + (y - Number(theta[n])) ** 2),
    0,
  );
}

/**
 * Trials of both: the mean likelihood of draws of the prior, and the harmonic mean of that of draws of the posterior, which
 * are exact and independent.
 * @param {number} width
 */
export function trialsOf(width) {
  const normal = normals(4);
  const shrink = width ** 2 / (1 + width ** 2);
  const draws = (/** @type {(y: number) => number} */ one) =>
    Array.from({ length: NUM_DRAWS }, () => logLikelihood(MEASURED.map(one)));
  const each = (/** @type {() => number} */ trial) => Array.from({ length: NUM_TRIALS }, trial);
  return {
    prior: each(() => logMeanExp(draws(() => width * normal()))),
    harmonic: each(
      () => -logMeanExp(draws((y) => shrink * y + Math.sqrt(shrink) * normal()).map((v) => -v)),
    ),
  };
}
