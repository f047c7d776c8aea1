/**
 * How far the sampled correlations E[x_i x_j] of a model are from the true ones. What the errors of sampling add to a
 * square is known, and subtracted. Plain JavaScript: reproductions run it in Node.
 */

/**
 * All over pairs i < j; the three matrices are `[dim, dim]`, row-major.
 * @param {ArrayLike<number>} moments As sampled.
 * @param {ArrayLike<number>} errors Their standard errors.
 * @param {ArrayLike<number>} truth
 * @param {number} dim
 * @returns {{ meanSquare: number, error: number, noise: number, meanAbsolute: number, absoluteNoise: number }}
 *   `meanSquare`, the mean of (E_model − E_true)² without what sampling adds to it, which is `noise`; `error`, its
 *   standard error; `meanAbsolute`, the mean of |E_model − E_true| as it comes; `absoluteNoise`, what that would be by
 *   sampling alone.
 */
export function correlationErrors(moments, errors, truth, dim) {
  let [squares, variance, noise, absolute, absoluteNoise, numPairs] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < dim; i++) {
    for (let j = i + 1; j < dim; j++) {
      const at = i * dim + j;
      const difference = Number(moments[at]) - Number(truth[at]);
      const spread = Number(errors[at]) ** 2;
      squares += difference ** 2 - spread;
      noise += spread;
      // Var[(μ + e)²] for e of variance `spread`, with μ² estimated by what is above the noise.
      variance += 2 * spread ** 2 + 4 * spread * Math.max(difference ** 2 - spread, 0);
      absolute += Math.abs(difference);
      absoluteNoise += Math.sqrt((2 / Math.PI) * spread);
      numPairs++;
    }
  }
  return {
    meanSquare: squares / numPairs,
    // The pairs share sites, so their errors are not independent; dim of them per site is the worst case.
    error: Math.sqrt(variance * dim) / numPairs,
    noise: noise / numPairs,
    meanAbsolute: absolute / numPairs,
    absoluteNoise: absoluteNoise / numPairs,
  };
}
