import type { FitResult } from 'unnorm';

/** A parameter after a fit. */
export interface Estimate {
  name: string;
  value: number;
  standardError: number;
  lower: number;
  upper: number;
}

/** One of the fits to other data. */
export interface Repeat {
  /** Undefined where its rows did not determine the parameters. */
  estimates: readonly Estimate[] | undefined;
  digest: string;
}

export function repeatOf({ errors, digest }: FitResult<'formula'>): Repeat {
  return { estimates: errors?.parameters, digest };
}

/** How many fits came to an interval, and how many intervals hold a value. */
export interface Coverage {
  name: string;
  numFits: number;
  numHeld: number;
  /** The mean of the estimates. */
  mean: number;
  /** Their spread, and what the fits said of it on average. */
  spread: number;
  meanError: number;
}

/** What became of one parameter in all fits; `truth` is what its intervals should hold. */
export function coverageOf(repeats: readonly Repeat[], name: string, truth: number): Coverage {
  const all = repeats.flatMap(
    ({ estimates }) => estimates?.filter((one) => one.name === name) ?? [],
  );
  const numFits = all.length;
  const mean = all.reduce((sum, { value }) => sum + value, 0) / numFits;
  const squares = all.reduce((sum, { value }) => sum + (value - mean) ** 2, 0);
  return {
    name,
    numFits,
    mean,
    numHeld: all.filter((one) => holds(one, truth)).length,
    spread: Math.sqrt(squares / (numFits - 1)),
    meanError: all.reduce((sum, { standardError }) => sum + standardError, 0) / numFits,
  };
}

export function holds({ lower, upper }: Estimate, truth: number): boolean {
  return lower <= truth && truth <= upper;
}

/**
 * The fewest of so many independent 95 % intervals that hold the truth, but for chance of 1 in 1,000: where the binomial
 * distribution passes that.
 */
export function fewestHeld(numFits: number): number {
  // The probability of so many misses, and of as many at most.
  let term = 0.95 ** numFits;
  let upTo = term;
  let missed = 0;
  while (missed < numFits && 1 - upTo > 1e-3) {
    term *= (numFits - missed) / (missed + 1) / 19;
    missed++;
    upTo += term;
  }
  return numFits - missed;
}
