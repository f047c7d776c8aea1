import type { ContinuousResult } from 'unnorm';

/** The levels of simulated tempering, over all chains. */
export interface Levels {
  betas: readonly number[];
  /** The mean part of the steps at each level, and its standard error over chains; 0 with one chain. */
  occupancy: readonly number[];
  errors: readonly number[];
  /** In nats. */
  logZ: number;
  logZError: number;
}

/** The levels of a result; undefined without simulated tempering. */
export function levelsOf({ ladder, levels }: ContinuousResult): Levels | undefined {
  if (!levels) return undefined;
  const numLevels = ladder.length;
  const numChains = levels.occupancy.length / numLevels;
  const betas = Array.from(ladder);
  const ofLevel = (level: number) => levels.occupancy.filter((_, at) => at % numLevels === level);
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / numChains;
  const occupancy = betas.map((_, level) => mean(ofLevel(level)));
  const errors = betas.map((_, level) => {
    const squares = ofLevel(level).map((value) => (value - (occupancy[level] ?? 0)) ** 2);
    return numChains > 1 ? Math.sqrt(mean(squares) / (numChains - 1)) : 0;
  });
  return { betas, occupancy, errors, logZ: levels.logZ, logZError: levels.logZError };
}
