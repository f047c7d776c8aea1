/**
 * Draws for ArviZ, the Python library of plots and diagnostics: the JSON that `arviz.from_json`
 * reads, of groups `posterior` and `sample_stats` whose arrays begin with `[chain, draw]`. It is
 * ArviZ's JSON, with NaN and Infinity as Python writes them.
 */

import { invalidData } from '../checks.js';
import type { ContinuousResult, SampleResult } from '../types.js';
import { unpackBits } from './bits.js';
import { writeJson } from './json.js';

/** How draws are converted for ArviZ. */
export interface ArvizOptions {
  /** The name of the variable, 'x' if absent. */
  name?: string;
  /** The number of chains, for draws of bits, which do not contain it. */
  numChains?: number;
}

/**
 * Converts a result of `engine.sample` for `arviz.from_json`. `posterior` has the draws, `[chain,
 * draw, dim]`. `sample_stats` has `lp`, minus the energies, if there are energies, and for models
 * on ℝᴰ `step_size`, which after warm-up is one per chain. ArviZ has no place for statistics of
 * whole chains (acceptance, divergent trajectories).
 */
export function writeArviz(
  result: SampleResult | ContinuousResult,
  { name = 'x', numChains }: ArvizOptions = {},
): Uint8Array<ArrayBuffer> {
  const { values, dim, chains, draws } = layoutOf(result, numChains);
  const stats: Record<string, unknown> = {};
  const { energies } = result;
  if (energies.length > 0) {
    stats['lp'] = byChain(chains, draws, (at) => -(energies[at] as number));
  }
  if ('chains' in result) {
    const { stepSize } = result.chains;
    stats['step_size'] = byChain(chains, draws, (at) => stepSize[at % chains] as number);
  }
  const attrs = {
    inference_library: 'unnorm',
    seed: result.seed,
    digest: result.digest,
  };
  const posterior = {
    [name]: byChain(chains, draws, (at) => values.subarray(at * dim, (at + 1) * dim)),
  };
  return writeJson(
    {
      posterior,
      posterior_attrs: attrs,
      ...(Object.keys(stats).length > 0 && { sample_stats: stats, sample_stats_attrs: attrs }),
    },
    (value) => (Number.isNaN(value) ? 'NaN' : `${value}`),
  );
}

/** Draws as values `[draws, chains, dim]`. */
function layoutOf(result: SampleResult | ContinuousResult, numChains: number | undefined) {
  const { draws } = result;
  if ('values' in draws) {
    return { values: draws.values, dim: draws.dim, chains: draws.numChains, draws: draws.numDraws };
  }
  const numDraws = draws.numRows / (numChains ?? Number.NaN);
  if (!Number.isInteger(numDraws)) {
    const words = `must be given for draws of bits, a whole number that divides their ${draws.numRows} rows`;
    throw invalidData('numChains', words);
  }
  return {
    values: unpackBits(draws),
    dim: draws.dim,
    chains: numChains as number,
    draws: numDraws,
  };
}

/** `[chain][draw]` from values at index `draw * chains + chain`. */
function byChain<T>(chains: number, draws: number, at: (place: number) => T): T[][] {
  return Array.from({ length: chains }, (_, chain) =>
    Array.from({ length: draws }, (_, draw) => at(draw * chains + chain)),
  );
}
