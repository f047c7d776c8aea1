// How far a fitted model's correlations E[x_i x_j] are from the truth. They have
// no closed form, so they are estimated by Gibbs sampling; chains start at
// data, which lie close to the fitted distribution, and the noise of the
// estimate is known from the spread between chains. Of a model with barriers
// that chains do not cross in the time they have, such as mean field gives, the
// error comes out too small: its chains have not left the data.
import { correlationErrors } from '../../../www/lib/correlation-errors.js';

/** Samples the model, and gives its `correlationErrors` with the `digest` of the draws. */
export async function sampledErrors({ engine, glass, model, quick, seed }) {
  const { moments, momentErrors, digest } = await engine.sample({
    model,
    transition: { kind: 'gibbs' },
    numChains: quick ? 1000 : 5000,
    numWarmup: quick ? 100 : 500,
    numDraws: quick ? 20 : 40,
    numStepsPerDraw: quick ? 5 : 10,
    start: { kind: 'data', data: glass.data },
    seed,
  });
  return { ...correlationErrors(moments, momentErrors, glass.moments, glass.dim), digest };
}
