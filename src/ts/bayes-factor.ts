/**
 * The Bayes factor of two models of the same data, from estimates of their evidences.
 */

import { describe, invalidData, isObject } from './checks.js';
import type { Interval } from './types.js';

/** What a result of `logZ` or `evidence` says of the evidence of a model. */
export interface EvidenceEstimate {
  /** log Z, the log evidence, in nats. */
  logZ: number;
  /** Its standard error. */
  standardError: number;
  /** Its confidence interval. */
  interval: Interval;
}

/**
 * How strong evidence is, in the words of Kass and Raftery (1995, section 3.2): by the log10 of the
 * Bayes factor up to ½, 1, 2, and beyond. `undecided` where the interval reaches into more than
 * one class, or has 0 in it.
 */
export type EvidenceStrength = 'bare mention' | 'substantial' | 'strong' | 'decisive' | 'undecided';

/** How much more probable data are under one model than under another. */
export interface BayesFactor {
  /** ln p(data | first) − ln p(data | second), in nats: above 0 where the first is favoured. */
  logBayesFactor: number;
  /** Its standard error, √(a² + b²) for independent estimates. */
  standardError: number;
  /** Its confidence interval, at the confidence of both intervals. */
  interval: Interval;
  /** How strong the evidence is for whichever model is favoured. */
  strength: EvidenceStrength;
}

/** The upper ends of the classes, in nats: log10 of ½, 1 and 2. */
const CLASSES = [
  ['bare mention', 0.5 * Math.LN10],
  ['substantial', Math.LN10],
  ['strong', 2 * Math.LN10],
  ['decisive', Number.POSITIVE_INFINITY],
] as const;

/**
 * The Bayes factor of two models of the same data, from two independent results of `logZ` or
 * `evidence` at the same confidence. Likelihoods have to keep the same constants. The ends of the interval are those of
 * both intervals, combined as squares (Zou and Donner 2008). Throws `invalid-data` if these are no results, or
 * are of different simulated tables; that other data are the same only the caller can know.
 */
export function bayesFactor(first: EvidenceEstimate, second: EvidenceEstimate): BayesFactor {
  check(first, 'first');
  check(second, 'second');
  refuseOtherTables(first, second);
  const logBayesFactor = first.logZ - second.logZ;
  const below = Math.sqrt(
    (first.logZ - first.interval.lower) ** 2 + (second.interval.upper - second.logZ) ** 2,
  );
  const above = Math.sqrt(
    (first.interval.upper - first.logZ) ** 2 + (second.logZ - second.interval.lower) ** 2,
  );
  const interval = { lower: logBayesFactor - below, upper: logBayesFactor + above };
  return {
    logBayesFactor,
    standardError: Math.sqrt(first.standardError ** 2 + second.standardError ** 2),
    interval,
    strength: strengthOf(interval),
  };
}

/** The class that all of the interval is in. */
function strengthOf({ lower, upper }: Interval): EvidenceStrength {
  // NaN is in none.
  if (!(lower > 0 || upper < 0)) return 'undecided';
  const classOf = (end: number) => CLASSES.find(([, most]) => Math.abs(end) <= most)?.[0];
  const strength = classOf(lower);
  return strength !== undefined && strength === classOf(upper) ? strength : 'undecided';
}

function check(result: unknown, name: string): void {
  const words = 'give a result of logZ or evidence';
  if (!isObject(result)) throw invalidData(name, `is ${describe(result)}; ${words}`);
  const { logZ, standardError, interval } = result;
  if (typeof logZ !== 'number' || Number.isNaN(logZ)) {
    throw invalidData(`${name}.logZ`, `is ${describe(logZ)}; ${words}`);
  }
  if (typeof standardError !== 'number') {
    throw invalidData(`${name}.standardError`, `is ${describe(standardError)}; ${words}`);
  }
  if (
    !isObject(interval) ||
    typeof interval['lower'] !== 'number' ||
    typeof interval['upper'] !== 'number'
  ) {
    throw invalidData(`${name}.interval`, `is ${describe(interval)}; ${words}`);
  }
}

/** Tables that were simulated are in the results of `evidence`. */
function refuseOtherTables(first: object, second: object): void {
  const [a, b] = [first, second].map((result) => {
    const { simulated } = result as { simulated?: { states: ArrayLike<number> } };
    return simulated?.states;
  });
  if (a === undefined || b === undefined) return;
  if (a.length === b.length && Array.from(a).every((value, at) => value === b[at])) return;
  const words =
    'is another table than that of the first; simulate both with one seed and model, or give states';
  throw invalidData('second.simulated', words);
}
