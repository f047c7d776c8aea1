// How far a fitted model's correlations E[x_i x_j] are from the truth. They have
// no closed form, so they are estimated by Gibbs sampling; chains start at
// data, which lie close to the fitted distribution, and the noise of the
// estimate is known from the spread between chains. Of a model with barriers
// that chains do not cross in the time they have, such as mean field gives, the
// error comes out too small: its chains have not left the data.

/**
 * Samples the model, and compares E[x_i x_j] over pairs i < j with the truth.
 * @returns
 *   `meanSquare`, the mean of (E_model − E_true)² with the sampling noise subtracted, `error`, its
 *   standard error, `meanAbsolute` as it comes, `noise`, what the latter would be by sampling alone,
 *   and the `digest` of the draws.
 */
export async function correlationErrors({ engine, glass, model, quick, seed }) {
  const { dim } = glass;
  const sampled = await engine.sample({
    model,
    transition: { kind: 'gibbs' },
    numChains: quick ? 1000 : 5000,
    numWarmup: quick ? 100 : 500,
    numDraws: quick ? 20 : 40,
    numStepsPerDraw: quick ? 5 : 10,
    start: { kind: 'data', data: glass.data },
    seed,
  });
  let squares = 0;
  let variance = 0;
  let absolute = 0;
  let noise = 0;
  let numPairs = 0;
  for (let i = 0; i < dim; i++) {
    for (let j = i + 1; j < dim; j++) {
      const at = i * dim + j;
      const difference = sampled.moments[at] - glass.moments[at];
      const spread = sampled.momentErrors[at] ** 2;
      squares += difference ** 2 - spread;
      // Var[(μ + e)²] for e of variance `spread`, with μ² estimated by what is above the noise.
      variance += 2 * spread ** 2 + 4 * spread * Math.max(difference ** 2 - spread, 0);
      absolute += Math.abs(difference);
      noise += Math.sqrt((2 / Math.PI) * spread);
      numPairs++;
    }
  }
  return {
    meanSquare: squares / numPairs,
    // The pairs share sites, so their errors are not independent; dim of them per site is the worst case.
    error: Math.sqrt(variance * dim) / numPairs,
    meanAbsolute: absolute / numPairs,
    noise: noise / numPairs,
    digest: sampled.digest,
  };
}
