import { type Estimate, estimateOf } from '../../lib/estimates.js';
import { NUM_VALUES } from '../../lib/taste-people.js';

/** How well ratings are foretold: of each the nats, −ln p, and how far the mean is off. */
export interface Score {
  nats: number[];
  off: number[];
}

/** `probabilities` has those of all values for each rating, `answers` what was given, from 1 on. */
export function scoreOf(
  probabilities: readonly ArrayLike<number>[],
  answers: ArrayLike<number>,
): Score {
  return {
    nats: probabilities.map((one, n) => -Math.log(one[(answers[n] ?? 1) - 1] ?? 0)),
    off: probabilities.map((one, n) => Math.abs(meanOf(one) - (answers[n] ?? 1))),
  };
}

/** The mean rating. */
export function meanOf(probabilities: ArrayLike<number>): number {
  let mean = 0;
  for (let n = 0; n < NUM_VALUES; n++) mean += (n + 1) * (probabilities[n] ?? 0);
  return mean;
}

/** The mean difference of what was found of the same ones. */
export function gapOf(values: readonly number[], others: readonly number[]): Estimate {
  return estimateOf(values.map((value, n) => value - (others[n] ?? 0)));
}
