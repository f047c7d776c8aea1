import type { Summary } from 'unnorm';
import { meanAndError } from '../../lib/autocorrelation.js';
import { torusEnergyPerSite } from '../../lib/onsager.js';
import { energyPerSite, type Segment } from './segment.js';
import type { Sampler } from './settings.js';

/** The measured means with their standard errors. */
export interface Means {
  /** Energy per site in units of the coupling. */
  energy: number;
  energyError: number;
  /** |Σ s| / D. */
  magnetization: number;
  magnetizationError: number;
}

/** What one segment came to, or all segments at one temperature together. */
export interface Point extends Means {
  side: number;
  sampler: Sampler;
  temperature: number;
  field: number;
  seed: number;
  numSegments: number;
  numDraws: number;
  /** Independent energies that the draws are worth. */
  ess: number;
  /** Seconds of computing. */
  seconds: number;
  /** What each of the segments came to, one after another. */
  segments: readonly Means[];
}

/** The point of one segment, from its energies in nats with what the engine makes of them, and its mean spins. */
export function pointOf(
  segment: Segment,
  seed: number,
  summary: Summary,
  spins: Float64Array,
  seconds: number,
): Point {
  const { side, sampler, temperature, field, numDraws } = segment;
  const { mean, error } = meanAndError(spins.map(Math.abs));
  const means: Means = {
    energy: energyPerSite(segment, summary.mean),
    energyError: (temperature * summary.mcseMean) / side ** 2,
    magnetization: mean,
    magnetizationError: error,
  };
  return {
    side,
    sampler,
    temperature,
    field,
    seed,
    numSegments: 1,
    numDraws,
    ...means,
    ess: Math.min(summary.essBulk, numDraws),
    seconds,
    segments: [means],
  };
}

/** Whether two points are of one model and one sampler. */
export function samePlace(a: Point, b: Point): boolean {
  return (
    a.side === b.side &&
    a.sampler === b.sampler &&
    a.temperature === b.temperature &&
    a.field === b.field
  );
}

/** Segments from which on their scatter says more than the errors within them, which miss what is slow. */
const ENOUGH_SEGMENTS = 8;

/** A point with one segment more, equally long. */
export function together(all: Point, next: Point): Point {
  const segments = [...all.segments, ...next.segments];
  const energy = combined(
    segments.map((means) => means.energy),
    segments.map((means) => means.energyError),
  );
  const magnetization = combined(
    segments.map((means) => means.magnetization),
    segments.map((means) => means.magnetizationError),
  );
  return {
    ...next,
    numSegments: segments.length,
    numDraws: all.numDraws + next.numDraws,
    energy: energy.mean,
    energyError: energy.error,
    magnetization: magnetization.mean,
    magnetizationError: magnetization.error,
    ess: all.ess + next.ess,
    seconds: all.seconds + next.seconds,
    segments,
  };
}

function combined(means: readonly number[], errors: readonly number[]) {
  const { mean, error: between } = meanAndError(means);
  const within = Math.hypot(...errors) / errors.length;
  return { mean, error: means.length < ENOUGH_SEGMENTS ? within : Math.max(within, between) };
}

/** The least worth of a chain, in independent energies, that its own error can be trusted at. */
export const ENOUGH = 40;

export interface Check {
  /** The exact mean energy per site of this very torus (Kaufman 1949). */
  exact: number;
  /** Measured less exact, in standard errors. */
  errors: number;
  verdict: 'agrees' | 'differs' | 'too early';
}

/** The measured energy against the exact one; nothing is known with a field. */
export function checkOf(point: Point): Check | undefined {
  if (point.field !== 0) return undefined;
  const exact = torusEnergyPerSite(point.side, point.temperature);
  const errors = (point.energy - exact) / point.energyError;
  if (!(point.ess >= ENOUGH) || !Number.isFinite(errors))
    return { exact, errors, verdict: 'too early' };
  // Four standard errors: by chance once in 16,000 points.
  return { exact, errors, verdict: Math.abs(errors) < 4 ? 'agrees' : 'differs' };
}
