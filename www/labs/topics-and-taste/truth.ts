import type { TasteModel } from './machine.js';

/**
 * What the machine that made the people says of a rating that is missing: exact, by a sum over the states of its hidden
 * units. It made whole rows, so what is not rated is summed over, not left out.
 */
export class TrueMachine {
  readonly #numSites: number;
  readonly #numValues: number;
  /** ln p of every hidden state. */
  readonly #prior: number[];
  /** The probabilities of all values given every hidden state. */
  readonly #given: Float64Array[];

  constructor(model: TasteModel) {
    const { numSites, numHidden, weights, visibleBias, hiddenBias } = model;
    const dim = visibleBias.length;
    this.#numSites = numSites;
    this.#numValues = dim / numSites;
    const numValues = this.#numValues;
    const states = Array.from({ length: 2 ** numHidden }, (_, state) =>
      Array.from({ length: numHidden }, (__, unit) => unit).filter((unit) => (state >> unit) & 1),
    );
    const logs: number[] = [];
    this.#given = states.map((on) => {
      const given = Float64Array.from({ length: dim }, (_, n) =>
        Math.exp(
          on.reduce((sum, unit) => sum + (weights[unit * dim + n] ?? 0), visibleBias[n] ?? 0),
        ),
      );
      let log = on.reduce((sum, unit) => sum + (hiddenBias[unit] ?? 0), 0);
      for (let site = 0; site < numSites; site++) {
        const values = given.subarray(site * numValues, (site + 1) * numValues);
        const total = values.reduce((sum, value) => sum + value, 0);
        log += Math.log(total);
        values.forEach((value, n) => {
          values[n] = value / total;
        });
      }
      logs.push(log);
      return given;
    });
    const whole = logSum(logs);
    this.#prior = logs.map((log) => log - whole);
  }

  /** The probabilities of all values of all things, given ratings: a value from 1 on for each thing, 0 where there is none. */
  given(ratings: ArrayLike<number>): Float64Array {
    const logs = this.#prior.map((prior, state) => {
      let log = prior;
      for (let site = 0; site < this.#numSites; site++) {
        const rating = ratings[site] ?? 0;
        if (rating > 0)
          log += Math.log(this.#given[state]?.[site * this.#numValues + rating - 1] ?? 1);
      }
      return log;
    });
    const whole = logSum(logs);
    const result = new Float64Array(this.#numSites * this.#numValues);
    logs.forEach((log, state) => {
      const weight = Math.exp(log - whole);
      this.#given[state]?.forEach((p, n) => {
        result[n] = (result[n] ?? 0) + weight * p;
      });
    });
    return result;
  }
}

function logSum(logs: readonly number[]): number {
  const most = Math.max(...logs);
  return most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0));
}
