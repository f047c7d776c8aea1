/**
 * Log likelihoods of states under Gaussians, by another program than the engine's. Plain JavaScript: the reproduction
 * of table 5.1 and the tests run it in Node, and labs check the engine by it.
 */

import { logAbsDet } from './independent-experts.js';

/**
 * ln N(x; 0, C) of each row.
 * @param {ArrayLike<number>} covariance C, row-major `[dim, dim]`.
 * @param {number} dim
 * @param {ArrayLike<number>} states `[numStates, dim]`
 */
export function normalLogLikelihoods(covariance, dim, states) {
  // Cholesky's factor L, row-major, of the covariance.
  const factor = new Float64Array(dim * dim);
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = Number(covariance[i * dim + j]);
      for (let k = 0; k < j; k++) sum -= factor[i * dim + k] * factor[j * dim + k];
      factor[i * dim + j] = i === j ? Math.sqrt(sum) : sum / factor[j * dim + j];
    }
  }
  let constant = -0.5 * dim * Math.log(2 * Math.PI);
  for (let i = 0; i < dim; i++) constant -= Math.log(factor[i * dim + i]);
  return Float64Array.from({ length: states.length / dim }, (_, row) => {
    let squares = 0;
    const solved = new Float64Array(dim);
    for (let i = 0; i < dim; i++) {
      let value = Number(states[row * dim + i]);
      for (let j = 0; j < i; j++) value -= factor[i * dim + j] * solved[j];
      solved[i] = value / factor[i * dim + i];
      squares += solved[i] ** 2;
    }
    return constant - 0.5 * squares;
  });
}

/**
 * ln N(x; μ, Λ⁻¹) of each row.
 * @param {{ mean: ArrayLike<number>, precision: ArrayLike<number> }} model μ, and Λ row-major `[dim, dim]`
 * @param {ArrayLike<number>} states `[numStates, dim]`
 */
export function precisionLogLikelihoods({ mean, precision }, states) {
  const dim = mean.length;
  const constant = 0.5 * (logAbsDet(precision, dim) - dim * Math.log(2 * Math.PI));
  return Float64Array.from({ length: states.length / dim }, (_, row) => {
    const less = Float64Array.from(mean, (middle, i) => Number(states[row * dim + i]) - middle);
    let squares = 0;
    for (let i = 0; i < dim; i++)
      for (let j = 0; j < dim; j++) squares += less[i] * Number(precision[i * dim + j]) * less[j];
    return constant - 0.5 * squares;
  });
}

/**
 * ln N(x; 0, ΦΦᵀ + σ² I) of each row: the linear generative model with a Gaussian prior (thesis, 5.14 and 5.15).
 * @param {{ basis: ArrayLike<number>, noise?: number }} model
 * @param {number} dim
 * @param {ArrayLike<number>} states `[numStates, dim]`
 */
export function gaussianLogLikelihoods({ basis, noise = 0.1 }, dim, states) {
  const numLatent = basis.length / dim;
  const covariance = Float64Array.from({ length: dim * dim }, (_, at) => {
    const [i, j] = [Math.floor(at / dim), at % dim];
    let sum = i === j ? noise ** 2 : 0;
    for (let k = 0; k < numLatent; k++)
      sum += Number(basis[i * numLatent + k]) * Number(basis[j * numLatent + k]);
    return sum;
  });
  return normalLogLikelihoods(covariance, dim, states);
}

/**
 * ln N(x; 0, σ² I) of each row: any of the generative models with Φ = 0 (5.25).
 * @param {number} noise σ
 * @param {number} dim
 * @param {ArrayLike<number>} states `[numStates, dim]`
 */
export function noiseLogLikelihoods(noise, dim, states) {
  return Float64Array.from({ length: states.length / dim }, (_, row) => {
    let squares = 0;
    for (let i = 0; i < dim; i++) squares += Number(states[row * dim + i]) ** 2;
    return -squares / (2 * noise ** 2) - 0.5 * dim * Math.log(2 * Math.PI * noise ** 2);
  });
}
