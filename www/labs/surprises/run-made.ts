import type { LogZResult, LogZSpec } from 'unnorm';
import { count } from '../../lib/format.js';
import {
  LOG_EVIDENCE,
  LOG_EVIDENCE_WITHOUT_ONE,
  LOG_NORM,
  MODEL,
  WIDE_REFERENCE,
} from '../../lib/surprising-path.js';
import { fields, REFERENCES, type Settings } from './settings.js';

/** Standard errors that an estimate may be off; by chance that happens once in two million checks. */
const ERRORS_ALLOWED = 5;

/** What the engine is asked. */
export function specOf({ reference, distributions, chains, seed }: Settings): LogZSpec {
  return {
    model: MODEL,
    ...(reference === 'wide' && { reference: WIDE_REFERENCE }),
    schedule: { kind: 'linear' },
    numChains: chains,
    numDistributions: distributions,
    seed,
  };
}

/** Where chains are on their way. */
export interface Sighting {
  beta: number;
  /** The share of chains with z = 1. */
  share: number;
}

/** A run that is done. All in nats. */
export interface RunMade {
  name: string;
  settings: Settings;
  result: LogZResult;
  seconds: number;
  sightings: readonly Sighting[];
  /** Chains with z = 1 when they were last seen, shortly before β = 1. */
  numOnes: number;
  /** ln p(x > 0). */
  estimate: number;
  error: number;
  interval: readonly [lower: number, upper: number];
  /** The estimate less the truth. */
  off: number;
  isCovered: boolean;
  /** The estimate against what the chains can have found; undefined where a few chains have z = 1 and speak for many. */
  isSound: boolean | undefined;
}

export function runMade(
  settings: Settings,
  result: LogZResult,
  seconds: number,
  sightings: readonly Sighting[],
): RunMade {
  const { value, standardError: error, interval } = result.forward.logZ;
  const estimate = value - LOG_NORM;
  const [lower, upper] = [interval.lower - LOG_NORM, interval.upper - LOG_NORM];
  const numOnes = Math.round((sightings.at(-1)?.share ?? 0) * settings.chains);
  const isNear = (exact: number) => Math.abs(estimate - exact) <= ERRORS_ALLOWED * error;
  const few = settings.reference === 'normal' && numOnes > 0;
  return {
    name: nameOf(settings),
    settings,
    result,
    seconds,
    sightings,
    numOnes,
    estimate,
    error,
    interval: [lower, upper],
    off: estimate - LOG_EVIDENCE,
    isCovered: lower <= LOG_EVIDENCE && LOG_EVIDENCE <= upper,
    isSound: few ? undefined : isNear(numOnes > 0 ? LOG_EVIDENCE : LOG_EVIDENCE_WITHOUT_ONE),
  };
}

/** What tells a run from others: the usual numbers go without saying. */
function nameOf({ reference, distributions, chains, seed }: Settings): string {
  return [
    `${REFERENCES[reference].name}, K = ${count(distributions)}`,
    ...(chains === fields.chains.initial ? [] : [`${count(chains)} chains`]),
    ...(seed === fields.seed.initial ? [] : [`seed ${seed}`]),
  ].join(', ');
}
