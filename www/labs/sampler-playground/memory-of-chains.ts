import { type Autocovariance, autocovariance } from 'unnorm';
import type { Density } from '../../lib/plane-density.js';
import { CUT_OFF } from './figures.svelte.js';
import type { Lane } from './lane.svelte.js';

const MAX_LAG = 400;
/** Chains are alike, so that the first ones stand for all. */
const MAX_CHAINS = 100;
/** Fewer draws say nothing of how long a chain remembers. */
const MIN_DRAWS = 20;

/**
 * The autocovariance of a lane's draws, of all where chains start at exact ones, else of the later half, when the start
 * is forgotten; about the mean of the density where the window holds all of it. Undefined where there are few draws, or
 * any is not finite.
 */
export function memoryOf(
  lane: Lane,
  density: Density | undefined,
  startsExact: boolean,
): Autocovariance | undefined {
  const { values, numSteps, numChains } = lane;
  const firstDraw = startsExact ? 0 : Math.floor(numSteps / 2);
  const numDraws = numSteps - firstDraw;
  if (numDraws < MIN_DRAWS) return undefined;
  const draws = { dim: 2, numChains: Math.min(numChains, MAX_CHAINS), numDraws, values };
  draws.values = new Float64Array(2 * numDraws * draws.numChains);
  for (let t = 0; t < numDraws; t++) {
    const start = 2 * (firstDraw + t) * numChains;
    const some = values.subarray(start, start + 2 * draws.numChains);
    draws.values.set(some, 2 * t * draws.numChains);
  }
  const isWhole = density !== undefined && density.edge <= CUT_OFF;
  const lag = Math.min(MAX_LAG, Math.floor(numDraws / 2));
  const found = autocovariance(draws, lag, isWhole ? { mean: density.means } : {});
  return found.mean.every(Number.isFinite) ? found : undefined;
}

/** The autocovariance at lag 0 by the density, the mean of both variances; undefined where the window cuts it off. */
export function varianceOf(density: Density | undefined): number | undefined {
  if (!density || density.edge > CUT_OFF) return undefined;
  const [x, y] = density.sds;
  return (x * x + y * y) / 2;
}
