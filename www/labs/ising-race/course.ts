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

/** Curves with times of their own over one common axis: null where a curve has no point. */
export function overCommonTimes(
  curves: readonly { times: readonly number[]; values: readonly number[] }[],
): {
  times: number[];
  values: (number | null)[][];
} {
  const times = [...new Set(curves.flatMap((curve) => curve.times))].sort((a, b) => a - b);
  const places = new Map(times.map((time, place) => [time, place]));
  const values = curves.map((curve) => {
    const row: (number | null)[] = new Array(times.length).fill(null);
    curve.times.forEach((time, n) => {
      const value = curve.values[n];
      // A descent that has run away has no place on the axis.
      row[places.get(time) as number] =
        value !== undefined && Number.isFinite(value) ? value : null;
    });
    return row;
  });
  return { times, values };
}
