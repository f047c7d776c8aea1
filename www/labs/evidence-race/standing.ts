import type { EvidenceResult } from 'unnorm';
import { logMeanExp } from '../../lib/log-mean-exp.js';
import type { Job, LineId } from './estimators.js';

/** A job of the race that is done. */
export interface Made {
  job: Job;
  result: EvidenceResult;
  seconds: number;
}

/** ln p(Y) as annealing there and back has it, in nats. */
export interface Truth {
  /** Number of distributions. */
  size: number;
  /** From all trials there and from all trials back. */
  forward: number;
  reverse: number;
  /** What errors are against. */
  middle: number;
  lower: number | undefined;
  upper: number | undefined;
  /** Probability with which both bounds hold. */
  confidence: number;
  /** Whether the upper bound holds: the runs back began at an exact draw of the posterior. */
  isCertified: boolean;
}

/** How an estimator with one of its settings stands against the truth. */
export interface Point {
  size: number;
  /** Of a trial. */
  seconds: number;
  trials: readonly number[];
  /** Mean of the trials less the truth, and their standard deviation. */
  error: number;
  sd: number;
  /** From all trials. */
  combined: number;
  warnings: readonly string[];
  digest: string;
}

export function meanAndSd(values: readonly number[]): { mean: number; sd: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, sd: Math.sqrt(squares / (values.length - 1)) };
}

/** The annealing with the most distributions so far; undefined before there is any. */
export function longestOf(made: readonly Made[]): Made | undefined {
  return made
    .filter(({ result }) => result.reverse)
    .reduce<Made | undefined>(
      (best, one) => (best && best.job.size > one.job.size ? best : one),
      undefined,
    );
}

export function truthOf(made: readonly Made[]): Truth | undefined {
  const longest = longestOf(made);
  if (!longest?.result.reverse) return undefined;
  const { result, job } = longest;
  const forward = logMeanExp([...result.trials]);
  const reverse = longest.result.reverse.logZ.value;
  const { lower, upper, failureProbability = 0, boundIsCertified = false } = result.bounds ?? {};
  return {
    size: job.size,
    forward,
    reverse,
    middle: (forward + reverse) / 2,
    lower,
    upper,
    confidence: 1 - 2 * failureProbability,
    isCertified: boundIsCertified,
  };
}

/** The points of a line, from its shortest setting to its longest. Both directions of annealing take half of its seconds. */
export function pointsOf(line: LineId, made: readonly Made[], truth: Truth | undefined): Point[] {
  if (!truth) return [];
  return made
    .filter(({ job }) => job.lines.includes(line))
    .sort((a, b) => a.job.size - b.job.size)
    .map(({ job, result, seconds }) => {
      const trials = [...((line === 'reverse' ? result.reverse?.trials : result.trials) ?? [])];
      const { mean, sd } = meanAndSd(trials);
      const combined = () => {
        if (line === 'forward') return logMeanExp(trials);
        return line === 'reverse' ? (result.reverse?.logZ.value ?? Number.NaN) : result.logZ;
      };
      return {
        size: job.size,
        seconds: seconds / trials.length / job.lines.length,
        trials,
        error: mean - truth.middle,
        sd,
        combined: combined(),
        warnings: result.warnings,
        digest: result.digest,
      };
    });
}

/** What a difference of so many nats is worth between two models, in the words of Kass and Raftery (1995). */
export function worthOf(nats: number): string {
  const powers = Math.abs(nats) / Math.LN10;
  if (powers <= 0.5) return 'not worth more than a bare mention';
  if (powers <= 1) return 'substantial';
  return powers <= 2 ? 'strong' : 'decisive';
}
