import type { LogZResult } from 'unnorm';
import { logZ, type PathKind, shortfall } from '../../lib/gaussian-paths.js';
import type { Ends } from './ends.js';
import type { TransitionName } from './settings.js';

/** Standard errors that the mean log weight may lie off; by chance that happens once in two million checks. */
const ERRORS_ALLOWED = 5;

/** What the numbers of one run come to, against what is known. All in nats, less the true log Z. */
export interface Judged {
  /** The estimate of log Z. */
  estimate: number;
  interval: readonly [lower: number, upper: number];
  meanLogWeight: number;
  meanLogWeightError: number;
  /** What the mean log weight is if chains mix at once. */
  theory: number;
  /** The bound from below that holds with a stated probability. */
  bound: number;
  /** By thermodynamic integration. */
  integral: number | undefined;
  /** Whether the interval holds the truth. */
  isCovered: boolean;
  isSound: boolean;
}

export function judge(
  result: LogZResult,
  path: PathKind,
  ends: Ends,
  transition: TransitionName,
): Judged {
  const truth = result.exactLogZ ?? Number.NaN;
  const { forward, interval, bounds } = result;
  const theory = -shortfall(path, ends.start, ends.target, result.schedule);
  const meanLogWeight = forward.meanLogWeight - truth;
  const lower = interval.lower - truth;
  const upper = interval.upper - truth;
  const isExact = Math.abs(truth - logZ(ends.target)) < 1e-9;
  const allowed = ERRORS_ALLOWED * forward.meanLogWeightError;
  const agrees =
    transition === 'perfect'
      ? Math.abs(meanLogWeight - theory) <= allowed + 1e-9
      : bounds.lower <= truth;
  return {
    estimate: result.logZ - truth,
    interval: [lower, upper],
    meanLogWeight,
    meanLogWeightError: forward.meanLogWeightError,
    theory,
    bound: bounds.lower - truth,
    integral: forward.integral && forward.integral.value - truth,
    isCovered: lower <= 0 && upper >= 0,
    isSound: isExact && agrees,
  };
}
