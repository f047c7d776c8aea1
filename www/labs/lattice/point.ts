import type { Summary } from 'unnorm';
import { meanAndError } from '../../lib/autocorrelation.js';
import { torusEnergyPerSite } from '../../lib/onsager.js';
import { energyPerSite, type Segment } from './segment.js';
import type { Sampler } from './settings.js';

/** What one segment came to, or all segments at one temperature together. */
export interface Point {
  side: number;
  sampler: Sampler;
  temperature: number;
  field: number;
  seed: number;
  numSegments: number;
  numDraws: number;
  /** Energy per site in units of the coupling, and the standard error of its mean. */
  energy: number;
  energyError: number;
  /** |Σ s| / D, and the standard error of its mean. */
  magnetization: number;
  magnetizationError: number;
  /** Independent energies that the draws are worth. */
  ess: number;
  /** Seconds of computing. */
  seconds: number;
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
  return {
    side,
    sampler,
    temperature,
    field,
    seed,
    numSegments: 1,
    numDraws,
    energy: energyPerSite(segment, summary.mean),
    energyError: (temperature * summary.mcseMean) / side ** 2,
    magnetization: mean,
    magnetizationError: error,
    ess: Math.min(summary.essBulk, numDraws),
    seconds,
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

/** Two points of the same place as one, weighted by their draws. */
export function together(a: Point, b: Point): Point {
  const numDraws = a.numDraws + b.numDraws;
  const mean = (x: number, y: number) => (a.numDraws * x + b.numDraws * y) / numDraws;
  const error = (x: number, y: number) => Math.hypot(a.numDraws * x, b.numDraws * y) / numDraws;
  return {
    ...b,
    numSegments: a.numSegments + b.numSegments,
    numDraws,
    energy: mean(a.energy, b.energy),
    energyError: error(a.energyError, b.energyError),
    magnetization: mean(a.magnetization, b.magnetization),
    magnetizationError: error(a.magnetizationError, b.magnetizationError),
    ess: a.ess + b.ess,
    seconds: a.seconds + b.seconds,
  };
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
