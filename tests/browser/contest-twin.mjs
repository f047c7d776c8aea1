/** What the lab Model contest says, worked out once more from its downloads by another program. */

import { logAbsDet, logLikelihoods } from '../../www/lib/independent-experts.js';

/** The rows of exact models once more, from their parameters alone. */
export function exactRows({ id, model }, states) {
  const ones = (count) => new Array(count).fill(1);
  switch (id) {
    case 'gaussian':
      return normalRows(inverse(model.precision, model.dim), model.dim, model.mean, states);
    case 'ica':
      return logLikelihoods('laplace', model.filters, ones(model.dim), states);
    case 'laplaceComplete':
    case 'studentComplete':
      return logLikelihoods(model.expert, model.filters, model.lambda, states);
    case 'linearGaussian': {
      const { basis, noise = 0.1, numObserved: dim, numLatent } = model;
      const covariance = Array.from({ length: dim * dim }, (_, at) => {
        const [i, j] = [Math.floor(at / dim), at % dim];
        let sum = i === j ? noise ** 2 : 0;
        for (let k = 0; k < numLatent; k++)
          sum += basis[i * numLatent + k] * basis[j * numLatent + k];
        return sum;
      });
      return normalRows(covariance, dim, ones(dim).fill(0), states);
    }
  }
  return undefined;
}

/** ln N(x; μ, C) by the inverse of C. */
function normalRows(covariance, dim, mean, states) {
  const precision = inverse(covariance, dim);
  const constant = -0.5 * (logAbsDet(covariance, dim) + dim * Math.log(2 * Math.PI));
  return Array.from({ length: states.length / dim }, (_, row) => {
    let squares = 0;
    for (let i = 0; i < dim; i++)
      for (let j = 0; j < dim; j++)
        squares +=
          (states[row * dim + i] - mean[i]) *
          precision[i * dim + j] *
          (states[row * dim + j] - mean[j]);
    return constant - squares / 2;
  });
}

/** By Gauss and Jordan, of a positive definite matrix. */
function inverse(matrix, dim) {
  const rows = Array.from({ length: dim }, (_, i) => [
    ...matrix.slice(i * dim, (i + 1) * dim),
    ...Array.from({ length: dim }, (_, j) => (i === j ? 1 : 0)),
  ]);
  for (let at = 0; at < dim; at++) {
    const pivot = rows[at][at];
    rows[at] = rows[at].map((value) => value / pivot);
    for (let i = 0; i < dim; i++) {
      const factor = rows[i][at];
      if (i !== at) rows[i] = rows[i].map((value, j) => value - factor * rows[at][j]);
    }
  }
  return rows.flatMap((row) => row.slice(dim));
}

/** Mean and error of differences of rows, and of log Z where all rows share an estimate. */
export function paired(a, b) {
  const differences = a.rows.map((row, n) => row - b.rows[n]);
  const count = differences.length;
  const mean = differences.reduce((sum, value) => sum + value, 0) / count;
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const shared = ({ id, isExact, annealingError }) =>
    isExact || ['linearGaussian', 'linearLaplace', 'bilinear'].includes(id) ? 0 : annealingError;
  const error = Math.hypot(Math.sqrt(squares / (count * (count - 1))), shared(a), shared(b));
  return { mean, error };
}

/** The mean of ln N(x; 0, σ²). */
export function plainNoise(states, dim, noise) {
  const squares = states.reduce((sum, value) => sum + value ** 2, 0) / (states.length / dim);
  return -squares / (2 * noise ** 2) - 0.5 * dim * Math.log(2 * Math.PI * noise ** 2);
}
