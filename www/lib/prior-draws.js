/**
 * What generative models draw by themselves: coefficients from their prior, and what is observed from those. Of normal
 * numbers only sums and products are taken, so that it is the same in every browser. Plain JavaScript.
 */

/**
 * x = Φa + n of the linear model, x = Φ((Θc) ⊙ (Ψd)) + n of the bilinear one (thesis, 5.14 to 5.19).
 * @param {{ kind: 'linearGenerative', basis: ArrayLike<number>, prior: 'gaussian' | 'laplace', noise: number } |
 *   { kind: 'bilinearGenerative', basis: ArrayLike<number>, theta: ArrayLike<number>, psi: ArrayLike<number>,
 *     noise: number, numSigned: number, numPositive: number }} model
 * @param {number} dim Entries of x.
 * @param {number} num States wanted.
 * @param {() => number} normal Gives normal numbers, one a call.
 * @returns {Float64Array} `[num, dim]`
 */
export function priorDraws(model, dim, num, normal) {
  // Of four normal numbers a Laplace one: half the difference of two sums of two squares. Of two an exponential one.
  const exponential = () => (normal() ** 2 + normal() ** 2) / 2;
  const laplace = () => exponential() - exponential();
  const several = (/** @type {number} */ count, /** @type {() => number} */ one) =>
    Float64Array.from({ length: count }, one);
  const numCoefficients = model.basis.length / dim;
  const coefficients = () => {
    if (model.kind === 'linearGenerative')
      return several(numCoefficients, model.prior === 'laplace' ? laplace : normal);
    const signed = times(model.theta, several(model.numSigned, laplace));
    const positive = times(model.psi, several(model.numPositive, exponential));
    return signed.map((value, n) => value * positive[n]);
  };
  const all = new Float64Array(num * dim);
  for (let n = 0; n < num; n++) {
    const x = times(model.basis, coefficients());
    all.set(
      x.map((value) => value + model.noise * normal()),
      n * dim,
    );
  }
  return all;
}

/**
 * A row-major matrix times a vector.
 * @param {ArrayLike<number>} matrix
 * @param {Float64Array} vector
 */
function times(matrix, vector) {
  const width = vector.length;
  return Float64Array.from({ length: matrix.length / width }, (_, row) => {
    let sum = 0;
    for (let n = 0; n < width; n++) sum += Number(matrix[row * width + n]) * vector[n];
    return sum;
  });
}
