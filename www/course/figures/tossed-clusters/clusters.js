/** A small lattice and its clusters, for a picture. Plain JavaScript: the tests run it in Node. */

import {
  bondNumbers,
  bondProbability,
  clustersOf,
  torusNeighbours,
  tossClusters,
  wolffStep,
} from '../../../lib/ising-torus.js';
import { CRITICAL_TEMPERATURE } from '../../../lib/onsager.js';
import { uniforms } from '../../../lib/random-bits.js';

export const SIDE = 32;
export const NEIGHBOURS = torusNeighbours(SIDE);

/** Wolff's steps from spins that are all up: enough to forget them. */
const NUM_WARMUP = 200;

/** Spins at the critical temperature. */
export function criticalSpins() {
  const spins = new Uint8Array(SIDE * SIDE).fill(1);
  const uniform = uniforms(5, 0);
  const bond = bondProbability(CRITICAL_TEMPERATURE);
  for (let n = 0; n < NUM_WARMUP; n++) wolffStep(spins, NEIGHBOURS, bond, uniform);
  return spins;
}

/**
 * The clusters before toss number `toss`. The random numbers of the bonds do not depend on the temperature: bonds come and
 * go one by one as it moves.
 * @param {Uint8Array} spins
 * @param {number} temperature
 * @param {number} toss
 */
export function clustersAt(spins, temperature, toss) {
  const numbers = bondNumbers(spins.length, uniforms(5, 2 * toss + 1));
  return clustersOf(spins, NEIGHBOURS, bondProbability(temperature), numbers);
}

/**
 * The spins after that toss.
 * @param {Uint8Array} spins
 * @param {{ labels: Int32Array, sizes: number[] }} clusters
 * @param {number} toss
 */
export function tossed(spins, clusters, toss) {
  const next = spins.slice();
  tossClusters(next, clusters, uniforms(5, 2 * toss + 2));
  return next;
}

/**
 * The largest cluster's number.
 * @param {readonly number[]} sizes
 */
export function largestOf(sizes) {
  return sizes.indexOf(Math.max(...sizes));
}
