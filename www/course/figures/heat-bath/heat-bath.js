/** A lattice in a heat bath, and what it has measured. Plain JavaScript: the tests run it in Node. */

import {
  energyPerSiteOf,
  heatBathSweep,
  meanSpinOf,
  torusNeighbours,
} from '../../../lib/ising-torus.js';
import { uniforms } from '../../../lib/random-bits.js';

export const SIDE = 64;
/** Sweeps at a new temperature that are not measured. */
export const NUM_WARMUP = 50;

const NEIGHBOURS = torusNeighbours(SIDE);

export class HeatBath {
  spins = new Uint8Array(SIDE * SIDE);
  /** Sweeps since the temperature was set. */
  numSweeps = 0;
  #temperature;
  #energySum = 0;
  #uniform = uniforms(13, 1);

  /** @param {number} temperature */
  constructor(temperature) {
    this.#temperature = temperature;
    const coin = uniforms(13, 0);
    this.spins.forEach((_, site) => {
      this.spins[site] = coin() < 0.5 ? 1 : 0;
    });
  }

  /** @param {number} temperature */
  set(temperature) {
    this.#temperature = temperature;
    this.numSweeps = 0;
    this.#energySum = 0;
  }

  sweep() {
    heatBathSweep(this.spins, NEIGHBOURS, this.#temperature, this.#uniform);
    this.numSweeps += 1;
    if (this.numSweeps > NUM_WARMUP) this.#energySum += energyPerSiteOf(this.spins, NEIGHBOURS);
  }

  /** The mean energy per site so far; undefined during the warmup. */
  get meanEnergy() {
    const numMeasured = this.numSweeps - NUM_WARMUP;
    return numMeasured > 0 ? this.#energySum / numMeasured : undefined;
  }

  get magnetization() {
    return meanSpinOf(this.spins);
  }
}
