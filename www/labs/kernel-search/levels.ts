import type { KernelLevel } from 'unnorm';
import { scoresOf } from '../../lib/time-series.js';

/** A level of the search as the page has it. */
export interface Level {
  /** Counted from 1. */
  number: number;
  level: KernelLevel;
  /** Number of parameters, with the variance of the noise; a product has one σ². */
  numParams: number;
  /** How well it predicts the hidden values, in their units and in nats a value; absent if nothing is hidden. */
  scores: { rmse: number; logDensity: number } | undefined;
  /** How many of the hidden values are within the band. */
  numInside: number;
  isBest: boolean;
}

/** Half the width of a band that holds 95 % of a normal distribution, in standard deviations. */
export const BAND = 1.96;

/** The levels so far. `hidden` are the values that the search does not see. */
export function levelsOf(
  levels: readonly KernelLevel[],
  numSeen: number,
  hidden: readonly number[],
): Level[] {
  const least = Math.min(...levels.map(({ bic }) => bic));
  const best = levels.findIndex(({ bic }) => bic === least);
  return levels.map((level, n) => {
    const { bic, logEvidence, prediction, noiseVariance } = level;
    const after = prediction && {
      means: prediction.means.subarray(numSeen),
      variances: prediction.variances.subarray(numSeen),
    };
    const isInside = (value: number, at: number) =>
      after !== undefined &&
      Math.abs(value - (after.means[at] ?? Number.NaN)) <=
        BAND * Math.sqrt((after.variances[at] ?? 0) + noiseVariance);
    return {
      number: n + 1,
      level,
      // From the definition BIC = −2 ln p + P ln N.
      numParams: Math.round((bic + 2 * logEvidence) / Math.log(numSeen)),
      scores: after && hidden.length > 0 ? scoresOf(after, noiseVariance, hidden) : undefined,
      numInside: hidden.filter(isInside).length,
      isBest: n === best,
    };
  });
}
