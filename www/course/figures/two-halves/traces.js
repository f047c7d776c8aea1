/** The same lattice moved spin by spin, and by clusters. Plain JavaScript: the tests run it in Node. */

import { integratedTime } from '../../../lib/autocorrelation.js';
import {
  bondNumbers,
  bondProbability,
  clustersOf,
  heatBathSweep,
  meanSpinOf,
  torusNeighbours,
  tossClusters,
} from '../../../lib/ising-torus.js';
import { uniforms } from '../../../lib/random-bits.js';

export const SIDE = 24;
export const NUM_SWEEPS = 400;

const NEIGHBOURS = torusNeighbours(SIDE);

/**
 * The magnetization per spin after every sweep, from spins that are all up.
 * @param {'heatBath' | 'clusters'} mover
 * @param {number} temperature
 */
export function traceOf(mover, temperature) {
  const spins = new Uint8Array(SIDE * SIDE).fill(1);
  const uniform = uniforms(7, 0);
  const bond = bondProbability(temperature);
  return Array.from({ length: NUM_SWEEPS }, () => {
    if (mover === 'heatBath') {
      heatBathSweep(spins, NEIGHBOURS, temperature, uniform);
    } else {
      const numbers = bondNumbers(spins.length, uniform);
      tossClusters(spins, clustersOf(spins, NEIGHBOURS, bond, numbers), uniform);
    }
    return meanSpinOf(spins);
  });
}

/**
 * What a trace comes to: its mean, how often the sign turned, and in how many sweeps its size, whatever the sign, is forgotten.
 * @param {readonly number[]} trace
 */
export function summaryOf(trace) {
  let numTurns = 0;
  trace.forEach((value, n) => {
    if (n > 0 && value * /** @type {number} */ (trace[n - 1]) < 0) numTurns += 1;
  });
  const mean = trace.reduce((sum, value) => sum + value, 0) / trace.length;
  return { mean, numTurns, time: integratedTime(trace.map(Math.abs)) };
}
