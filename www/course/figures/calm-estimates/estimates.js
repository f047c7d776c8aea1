// @ts-check
/** Three estimates of one number: from the usual start, from a wide one, and back from exact draws. */
import { annealBack, annealSurprise } from '../../../lib/surprising-particles.js';
import { WIDE_START } from '../../../lib/surprising-path.js';

export const NUM_PARTICLES = 500;
export const NUMS_OF_STEPS = [10, 100, 1000];
const SEED = 1;

/** @typedef {'usual' | 'wide' | 'reverse'} Kind */

/** @type {Map<string, ReturnType<typeof annealBack>>} */
const kept = new Map();

/**
 * An estimate of ln p(x > 0) with its standard error; computed once.
 * @param {Kind} kind
 * @param {number} numDistributions
 */
export function estimateOf(kind, numDistributions) {
  const name = `${kind} ${numDistributions}`;
  const settings = { numDistributions, numParticles: NUM_PARTICLES, seed: SEED };
  const found =
    kept.get(name) ??
    (kind === 'reverse'
      ? annealBack(settings)
      : annealSurprise({ ...settings, ...(kind === 'wide' && { start: WIDE_START }) }));
  kept.set(name, found);
  return found;
}

/**
 * By how many of their standard errors two estimates differ.
 * @param {{ estimate: number, standardError: number }} a
 * @param {{ estimate: number, standardError: number }} b
 */
export const errorsApart = (a, b) =>
  Math.abs(a.estimate - b.estimate) / Math.hypot(a.standardError, b.standardError);
