/**
 * The exact log likelihood of models whose experts are independent: as many filters as dimensions. Another program than
 * the engine's, for self-checks. Plain JavaScript: the tests run it in Node.
 */

/**
 * ln p of each state, in nats, with
 *
 *     p(x) = |det Φ| Π_l p_l(Φ_l x),  p_l(u) = (λ_l / 2) exp(−λ_l |u|)  or
 *     p_l(u) = Γ(λ_l) / (√π Γ(λ_l − ½)) (1 + u²)^−λ_l.
 *
 * @param {'laplace' | 'studentT'} expert
 * @param {ArrayLike<number>} filters Φ, row-major `[dim, dim]`.
 * @param {ArrayLike<number>} lambda
 * @param {ArrayLike<number>} states `[numStates, dim]`
 */
export function logLikelihoods(expert, filters, lambda, states) {
  const dim = lambda.length;
  let constant = logAbsDet(filters, dim);
  for (let l = 0; l < dim; l++) constant += logNormalizer(expert, Number(lambda[l]));
  return Float64Array.from({ length: states.length / dim }, (_, row) => {
    let sum = constant;
    for (let l = 0; l < dim; l++) {
      let u = 0;
      for (let i = 0; i < dim; i++)
        u += Number(filters[l * dim + i]) * Number(states[row * dim + i]);
      sum -= Number(lambda[l]) * (expert === 'laplace' ? Math.abs(u) : Math.log1p(u * u));
    }
    return sum;
  });
}

/**
 * The mean of that over the states.
 *
 * @param {'laplace' | 'studentT'} expert
 * @param {ArrayLike<number>} filters Φ, row-major `[dim, dim]`.
 * @param {ArrayLike<number>} lambda
 * @param {ArrayLike<number>} states `[numStates, dim]`
 */
export function meanLogLikelihood(expert, filters, lambda, states) {
  const rows = logLikelihoods(expert, filters, lambda, states);
  return rows.reduce((sum, value) => sum + value, 0) / rows.length;
}

/**
 * Whether exp(−E) of a product of Student's t experts, E = Σ λ_l ln(1 + (Φ_l x)²), has a finite integral, if no more
 * filters are dependent than must be. Far out along k dimensions, to which D − k filters are blind, it falls as the
 * experts that are left make it, at worst those with the least λ: these have to be more than k/2 together, for every k.
 * @param {number} dim D.
 * @param {ArrayLike<number>} lambda One for each expert, of which there are no fewer than dimensions.
 */
export function tailsAddUp(dim, lambda) {
  const sorted = Float64Array.from(lambda).sort();
  const spare = sorted.length - dim;
  let sum = 0;
  return sorted.every((value, l) => {
    sum += value;
    return l < spare || sum > (l - spare + 1) / 2;
  });
}

/**
 * ln of what one expert's density is multiplied by.
 * @param {'laplace' | 'studentT'} expert
 * @param {number} lambda
 */
function logNormalizer(expert, lambda) {
  if (expert === 'laplace') return Math.log(lambda / 2);
  return logGamma(lambda) - logGamma(lambda - 0.5) - Math.log(Math.PI) / 2;
}

/**
 * ln Γ(x) for x > 0: Stirling's series from 12 on, to which the recurrence leads.
 * @param {number} x
 */
export function logGamma(x) {
  let at = x;
  let product = 1;
  while (at < 12) {
    product *= at;
    at += 1;
  }
  const inverse = 1 / (at * at);
  const series =
    (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) /
    at;
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}

/**
 * ln |det A| by elimination with pivots.
 * @param {ArrayLike<number>} matrix Row-major `[dim, dim]`.
 * @param {number} dim
 */
export function logAbsDet(matrix, dim) {
  const rows = Array.from({ length: dim }, (_, i) =>
    Float64Array.from({ length: dim }, (_, j) => Number(matrix[i * dim + j])),
  );
  let sum = 0;
  for (let column = 0; column < dim; column++) {
    const size = (/** @type {Float64Array} */ row) => Math.abs(row[column]);
    const rest = rows.slice(column);
    const pivot = rest.reduce((best, row) => (size(row) > size(best) ? row : best));
    if (size(pivot) === 0) return Number.NEGATIVE_INFINITY;
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(column, 0, pivot);
    sum += Math.log(size(pivot));
    for (const row of rows.slice(column + 1)) {
      const factor = row[column] / pivot[column];
      for (let j = column; j < dim; j++) row[j] -= factor * pivot[j];
    }
  }
  return sum;
}
