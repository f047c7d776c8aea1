import {
  descend,
  divergence,
  type gradient,
  LARGEST_STEP,
  type Point,
} from '../../lib/badly-scaled-gaussian.js';
import { MAX_STEPS, TARGET } from './settings.js';

/** One of the two descents, whole: how much of it is shown is another matter. */
export interface Descent {
  name: 'steepest' | 'natural';
  colour: `--${string}`;
  /** θ before the first step and after each. */
  path: readonly Point[];
  /** KL(data ‖ model) along the path, in nats. */
  divergences: readonly number[];
  outcome: 'arrived' | 'given up' | 'diverged';
}

export function descentOf(
  name: Descent['name'],
  colour: `--${string}`,
  slope: typeof gradient,
  start: Point,
  stepSize: number,
): Descent {
  const path = descend(slope, { start, stepSize, target: TARGET, limit: MAX_STEPS });
  const divergences = path.map(divergence);
  const last = divergences.at(-1) ?? 0;
  const outcome =
    last <= TARGET ? 'arrived' : last > (divergences[0] ?? 0) ? 'diverged' : 'given up';
  return { name, colour, path, divergences, outcome };
}

/** The part of a path after so many steps; all of it where there are not so many. */
export function until<T>(values: readonly T[], numSteps: number): readonly T[] {
  return values.slice(0, numSteps + 1);
}

/** Step sizes from which on the descents diverge. */
export const LIMITS = { steepest: LARGEST_STEP, natural: 2 } as const;
