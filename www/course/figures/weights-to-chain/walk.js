// @ts-check
/** One chain that walks on a ring of states by Metropolis's rule, and how often it was where. */
import { uniforms } from '../../../lib/random-bits.js';

export class Walk {
  #uniform = uniforms(1, 0);
  #at = 0;
  numSteps = 0;
  numAccepted = 0;
  /** @type {number[]} Steps spent in each state. */
  visits;

  /** @param {readonly number[]} weights */
  constructor(weights) {
    this.weights = weights;
    this.visits = weights.map(() => 0);
  }

  /** Takes steps. @param {number} num */
  go(num) {
    const { weights, visits } = this;
    const size = weights.length;
    for (let n = 0; n < num; n++) {
      const proposed = (this.#at + (this.#uniform() < 0.5 ? 1 : size - 1)) % size;
      if (this.#uniform() < Number(weights[proposed]) / Number(weights[this.#at])) {
        this.#at = proposed;
        this.numAccepted++;
      }
      visits[this.#at] = Number(visits[this.#at]) + 1;
      this.numSteps++;
    }
  }
}
