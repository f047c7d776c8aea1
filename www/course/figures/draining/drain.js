// @ts-check
/** Particles that lose an explanation on the way, at every moment of it. */
import { annealSurprise } from '../../../lib/surprising-particles.js';
import { shareOfOne } from '../../../lib/surprising-path.js';

export const NUM_PARTICLES = 500;
export const NUM_DISTRIBUTIONS = 100;
const SEED = 1;

/** The particles at β = 0, 0.01, …, 1. */
export function drained() {
  const settings = { numDistributions: NUM_DISTRIBUTIONS, numParticles: NUM_PARTICLES, seed: SEED };
  return annealSurprise({ ...settings, keepsMoments: true }).moments;
}

/** β of the curve of p(z = 1), and its values. */
export const BETAS = Array.from({ length: 401 }, (_, n) => n / 400);
export const SHARES = BETAS.map((beta) => shareOfOne(beta));
