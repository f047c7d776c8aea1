import type { CouplingErrors } from '../../lib/coupling-errors.js';
import { duration as plainDuration, real } from '../../lib/format.js';
import type { Standing } from './standing.js';

type Which = keyof CouplingErrors;

/** What the numbers say, in sentences; nothing while there are no numbers. */
export function findingsOf(standings: readonly Standing[], which: Which): string[] {
  const ranked = standings
    .map((standing) => ({ standing, error: standing.errors?.[which] ?? Number.NaN }))
    .filter(({ error }) => Number.isFinite(error))
    .sort((a, b) => a.error - b.error);
  const [best, second] = ranked;
  const failed = standings
    .filter(({ message }) => message !== undefined)
    .map(({ method, message }) => `${capital(method.name)} failed: ${sentence(message ?? '')}`);
  if (!best) return failed;

  const found: string[] = [];
  const over = which === 'all' ? 'over all entries of J' : 'over the couplings off the diagonal';
  const { standing, error } = best;
  found.push(
    `${capital(standing.method.name)} has the least mean square error ${isMoving(standing) ? 'so far' : 'now'}, ` +
      `${real(error, 3)} ${over}, after ${duration(standing.seconds)}.`,
  );
  if (second) {
    found.push(
      `Next, with ${times(second.error / error)} (${real(second.error, 3)}), comes ${second.standing.method.name}, ` +
        `after ${duration(second.standing.seconds)}.`,
    );
  }

  const first = ranked
    .map((entry) => ({ ...entry, seconds: firstWithin(entry.standing, which, 1.1 * error) }))
    .filter(({ seconds }) => seconds !== undefined)
    .sort((a, b) => Number(a.seconds) - Number(b.seconds))[0];
  if (first?.seconds !== undefined && ranked.length > 1) {
    found.push(
      `First to come within a tenth of that error, by its own clock, was ${first.standing.method.name}, after ${duration(first.seconds)}.`,
    );
  }

  const far = ranked.slice(2).filter((entry) => entry.error > 2 * error);
  if (far.length > 0) {
    const names = far.map((entry) => `${entry.standing.method.name} (${real(entry.error, 3)})`);
    found.push(`More than twice as far off: ${list(names)}.`);
  }
  const passed = ranked
    .map((entry) => ({ ...entry, least: leastOf(entry.standing, which) }))
    .filter((entry) => entry.least.error < 0.8 * entry.error);
  if (passed.length > 0) {
    const names = passed.map(
      ({ standing: { method }, least }) =>
        `${method.name} (${real(least.error, 2)} after ${duration(least.seconds)})`,
    );
    found.push(`Closer to the truth on the way than now: ${list(names)}.`);
  }
  found.push(...failed);
  return found;
}

/** The least error of a course, and when it was. */
function leastOf({ course }: Standing, which: Which): { error: number; seconds: number } {
  let least = { error: Number.POSITIVE_INFINITY, seconds: 0 };
  course.errors.forEach((errors, n) => {
    if (errors[which] < least.error) {
      least = { error: errors[which], seconds: course.seconds[n] ?? 0 };
    }
  });
  return least;
}

/** The seconds of the report from which on the error never was greater than the bound again. */
function firstWithin({ course }: Standing, which: Which, bound: number): number | undefined {
  let place = course.errors.length;
  while (place > 0 && (course.errors[place - 1]?.[which] ?? Number.NaN) <= bound) place--;
  return course.seconds[place];
}

function isMoving({ status }: Standing): boolean {
  return status === 'running' || status === 'paused' || status === 'starting';
}

/** With a space that does not break. */
function duration(seconds: number): string {
  return plainDuration(seconds).replaceAll(' ', '\u00a0');
}

function times(ratio: number): string {
  if (ratio < 1.005) return 'as good as the same error';
  if (ratio < 2) return `${Math.max(1, Math.round(100 * (ratio - 1)))} % more`;
  return `${real(ratio, 2)} times as much`;
}

function list(names: string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}
