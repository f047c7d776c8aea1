// @ts-check
/** Particles that cross the bridge, at any stop, and what their weights say of Z at the end. */
import { anneal, LOG_Z, relativeWeights } from '../../../lib/line-annealing.js';
import { logMeanExp } from '../../../lib/log-mean-exp.js';

/** Standard deviations between the means of both ends. */
export const DISTANCE = 6;
export const NUM_PARTICLES = 200;
/** Of forty, the one whose estimates are nearest to the medians at the first few K. */
const SEED = 13;

/** @param {number} numStops K */
export function crossingOf(numStops) {
  const { places, logWeights } = anneal({
    distance: DISTANCE,
    numStops,
    numParticles: NUM_PARTICLES,
    seed: SEED,
  });
  const all = logWeights.map(relativeWeights);
  const last = /** @type {Float64Array} */ (logWeights[numStops]);
  const { weights, ess } = /** @type {{ weights: Float64Array, ess: number }} */ (all[numStops]);
  return {
    stops: Array.from({ length: numStops + 1 }, (_, k) => ({
      mean: (DISTANCE * k) / numStops,
      sd: 1,
    })),
    places,
    /** Relative to their mean, at every stop. */
    weights: all.map((stop) => stop.weights),
    /** log Ẑ less log Z, in nats. */
    off: logMeanExp(last) - LOG_Z,
    ess,
    /** Of all weight, what the heaviest particle carries. */
    heaviest: Math.max(...weights) / NUM_PARTICLES,
  };
}
