// @ts-check
/** What becomes of the explanation z = 1, and of the estimate, with another start. */
import { annealSurprise } from '../../../lib/surprising-particles.js';
import { LOG_EVIDENCE, shareOfOne } from '../../../lib/surprising-path.js';

export const NUM_PARTICLES = 200;
export const NUM_DISTRIBUTIONS = 100;
const SEED = 1;

/** β of the curve. */
export const BETAS = Array.from({ length: 201 }, (_, n) => n / 200);

/**
 * @param {number} mean Of every coordinate of x at the start.
 * @param {number} sd
 */
export function startOf(mean, sd) {
  const start = { mean, variance: sd * sd };
  const shares = BETAS.map((beta) => shareOfOne(beta, start));
  const { estimate, standardError, ess } = annealSurprise({
    start,
    numDistributions: NUM_DISTRIBUTIONS,
    numParticles: NUM_PARTICLES,
    seed: SEED,
  });
  return {
    shares,
    /** The least probability of z = 1 on the way. */
    least: Math.min(...shares),
    /** The estimate less the truth, in nats. */
    off: estimate - LOG_EVIDENCE,
    standardError,
    ess,
  };
}
