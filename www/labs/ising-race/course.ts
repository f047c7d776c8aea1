import type { CouplingErrors } from '../../lib/coupling-errors.js';

/** The course of one method: one entry a report, the same length everywhere. */
export interface Course {
  seconds: readonly number[];
  errors: readonly CouplingErrors[];
}

export const EMPTY: Course = { seconds: [], errors: [] };

const MAX_ENTRIES = 500;
/** Clocks of browsers are no finer, and 0 has no place on a logarithmic axis. */
const MIN_SECONDS = 1e-3;

/** The course with one entry more. When it has grown long, every other earlier entry goes. */
export function extend(course: Course, seconds: number, errors: CouplingErrors): Course {
  const kept = <T>(values: readonly T[]) =>
    values.length < MAX_ENTRIES ? values : values.filter((_, n) => n % 2 === 0);
  return {
    seconds: [...kept(course.seconds), Math.max(MIN_SECONDS, seconds)],
    errors: [...kept(course.errors), errors],
  };
}
