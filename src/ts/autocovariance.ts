/**
 * How long chains remember: the autocovariance of their draws by lag.
 */

import { describe, invalidData, isObject, tagOf } from './checks.js';
import type { ContinuousDraws } from './types.js';

/** What `autocovariance` is taken about. */
export interface AutocovarianceOptions {
  /**
   * The mean of the distribution, one number for all entries or one for each. Where it is known, as by symmetry, the
   * result is unbiased. If absent it is the mean of all draws of all chains.
   */
  mean?: number | ArrayLike<number>;
}

/** The autocovariance of chains at lags 0 to `maxLag`. */
export interface Autocovariance {
  /** The mean over the chains, `[maxLag + 1]`. */
  mean: Float64Array;
  /** The standard error of that mean, from the spread over the chains; NaN of one chain. */
  error: Float64Array;
  /** Of each chain, `[numChains, maxLag + 1]`. */
  chains: Float64Array;
}

/**
 * The autocovariance of each chain, the mean over the entries of the state:
 * `C(k) = 1/D Σ_i 1/(n − k) Σ_t (x_i(t) − m_i) (x_i(t + k) − m_i)`, as in chapter 6 of Sohl-Dickstein's thesis (2012).
 * Lag by lag, in a fixed order of sums, so that it has the same bits everywhere; it takes `numChains` · `dim` ·
 * `numDraws` · `maxLag` products, about a second for 10⁹ of them. Throws `invalid-data` if the draws are none of those
 * that `sample` gives on the reals, if `maxLag` is no whole number below the number of draws, or if `mean` does not go
 * with the draws.
 */
export function autocovariance(
  draws: ContinuousDraws,
  maxLag: number,
  options: AutocovarianceOptions = {},
): Autocovariance {
  const { values, numDraws, numChains, dim } = checked(draws);
  if (!Number.isSafeInteger(maxLag) || maxLag < 0 || maxLag >= numDraws) {
    const words = `is ${describe(maxLag)}; give a whole number from 0 to ${numDraws - 1}, below the number of draws`;
    throw invalidData('maxLag', words);
  }
  const means = meansOf(values, numDraws * numChains, dim, options.mean);
  const numLags = maxLag + 1;
  const chains = new Float64Array(numChains * numLags);
  const series = new Float64Array(numDraws);
  for (let chain = 0; chain < numChains; chain++) {
    for (let entry = 0; entry < dim; entry++) {
      const mean = means[entry] as number;
      for (let t = 0; t < numDraws; t++) {
        series[t] = (values[(t * numChains + chain) * dim + entry] as number) - mean;
      }
      for (let lag = 0; lag < numLags; lag++) {
        let sum = 0;
        for (let t = lag; t < numDraws; t++) {
          sum += (series[t - lag] as number) * (series[t] as number);
        }
        const at = chain * numLags + lag;
        chains[at] = (chains[at] as number) + sum / (dim * (numDraws - lag));
      }
    }
  }
  return { ...overChains(chains, numChains, numLags), chains };
}

/** Means over the chains and their standard errors, `[numLags]` each. */
function overChains(
  chains: Float64Array,
  numChains: number,
  numLags: number,
): { mean: Float64Array; error: Float64Array } {
  const mean = new Float64Array(numLags);
  const error = new Float64Array(numLags);
  for (let lag = 0; lag < numLags; lag++) {
    let sum = 0;
    for (let chain = 0; chain < numChains; chain++) sum += chains[chain * numLags + lag] as number;
    const middle = sum / numChains;
    let squares = 0;
    for (let chain = 0; chain < numChains; chain++) {
      const apart = (chains[chain * numLags + lag] as number) - middle;
      squares += apart * apart;
    }
    mean[lag] = middle;
    // 0/0 of one chain: it has no spread.
    error[lag] = Math.sqrt(squares / (numChains - 1) / numChains);
  }
  return { mean, error };
}

/** The mean of each entry: that given, or that of all states. */
function meansOf(
  values: Float64Array,
  numStates: number,
  dim: number,
  given: number | ArrayLike<number> | undefined,
): ArrayLike<number> {
  if (given === undefined) {
    const means = new Float64Array(dim);
    for (let at = 0; at < values.length; at++) {
      means[at % dim] = (means[at % dim] as number) + (values[at] as number);
    }
    return means.map((sum) => sum / numStates);
  }
  const means = typeof given === 'number' ? new Float64Array(dim).fill(given) : given;
  const isSound =
    (Array.isArray(means) || ArrayBuffer.isView(means)) &&
    means.length === dim &&
    Array.prototype.every.call(means, (mean) => Number.isFinite(mean));
  if (!isSound) {
    const words = `is ${describe(given)}; give a finite number, or ${dim}, one for each entry`;
    throw invalidData('mean', words);
  }
  return means;
}

/** The draws, if their array is as long as they say. */
function checked(draws: ContinuousDraws): ContinuousDraws {
  if (!isObject(draws) || tagOf(draws.values) !== 'Float64Array') {
    const words = `are ${describe(draws)}; give the draws of a result of \`sample\` on the reals`;
    throw invalidData('draws', words);
  }
  const { values, numDraws, numChains, dim } = draws;
  for (const [name, value] of Object.entries({ numDraws, numChains, dim })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw invalidData(`draws.${name}`, `is ${describe(value)}; give a whole number from 1`);
    }
  }
  if (values.length !== numDraws * numChains * dim) {
    const words = `has ${values.length} entries, not numDraws · numChains · dim = ${numDraws * numChains * dim}`;
    throw invalidData('draws.values', words);
  }
  return draws;
}
