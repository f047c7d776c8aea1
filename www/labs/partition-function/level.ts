import type { LogZResult } from 'unnorm';
import type { Step } from '../../frame/kept-steps.js';
import { gapOf } from '../../lib/sandwich.js';

/** One run of the sequence, with its number from 1. */
export interface Level extends Step {
  /** Its number of distributions. */
  K: number;
  /** Seconds it took. */
  seconds: number;
  result: LogZResult;
  /** How far log Z is still open between forward and reverse runs, in nats. */
  gap: number;
}

export function levelOf(step: number, K: number, result: LogZResult, seconds: number): Level {
  const { forward, reverse } = result;
  return {
    step,
    K,
    seconds,
    result,
    gap: gapOf(forward.logZ.interval, (reverse ?? forward).logZ.interval),
  };
}

/** About the bytes that a level takes. */
export function sizeOf({ result }: Level): number {
  return 8 * (result.schedule.length + 4 * result.forward.logWeights.length + 1000);
}

/** The self-check of one level: where the exact value lies. Undefined where nobody knows it. */
export function checkOf({ result }: Level, exact: number | undefined) {
  if (exact === undefined) return undefined;
  const { interval, bounds } = result;
  return {
    /** Whether the interval of the estimate holds it. */
    inInterval: interval.lower <= exact && exact <= interval.upper,
    /** Whether it keeps to the bounds. */
    inBounds: bounds.lower <= exact && (bounds.upper === undefined || exact <= bounds.upper),
    error: result.logZ - exact,
  };
}
