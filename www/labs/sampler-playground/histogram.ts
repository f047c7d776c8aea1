import type { Window } from '../../lib/plane-targets.js';
import type { Lane } from './lane.svelte.js';

export const NUM_BINS = 48;

/** How the draws of all chains spread over either coordinate, kept up step by step. */
export class Histogram {
  /** Draws in each bin, in x and in y, ascending. */
  readonly counts: readonly [Float64Array, Float64Array] = [
    new Float64Array(NUM_BINS),
    new Float64Array(NUM_BINS),
  ];
  /** Draws counted, those outside of the window too. */
  total = 0;
  #steps = 0;
  #values: Float64Array | undefined;
  #window: Window | undefined;

  /** Brings the counts to the first `numSteps` steps. */
  update({ values, numChains }: Lane, numSteps: number, window: Window): void {
    // The result of a job has the draws that came with its reports in another array.
    const isSame = values.length === this.#values?.length && values[0] === this.#values[0];
    if (!isSame || window !== this.#window || numSteps < this.#steps) {
      for (const axis of this.counts) axis.fill(0);
      this.total = 0;
      this.#steps = 0;
    }
    this.#values = values;
    this.#window = window;
    const end = 2 * numSteps * numChains;
    for (let axis = 0; axis < 2; axis++) {
      const counts = this.counts[axis] as Float64Array;
      const low = (window.centre[axis] as number) - window.reach;
      const scale = NUM_BINS / (2 * window.reach);
      for (let n = 2 * this.#steps * numChains + axis; n < end; n += 2) {
        const bin = Math.floor(((values[n] as number) - low) * scale);
        if (bin >= 0 && bin < NUM_BINS) counts[bin] = (counts[bin] as number) + 1;
      }
    }
    this.#steps = numSteps;
    this.total = numSteps * numChains;
  }
}
