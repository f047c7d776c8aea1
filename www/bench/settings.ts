import { MAX_WORKERS, USUAL_WORKERS } from '../frame/workers.js';
import { choice, integer, type ValuesOf } from '../lib/fields.js';

/** The sizes that `npm run bench` has with `--quick` and without. */
export const SIZES = ['small', 'full'] as const;

export type Size = (typeof SIZES)[number];

/** What of the bench stands in the address. */
export const fields = {
  size: choice('small', SIZES),
  workers: integer(USUAL_WORKERS, 1, MAX_WORKERS),
};

export type Settings = ValuesOf<typeof fields>;

/** On how many workers a workload is timed: on one, and on as many as the visitor has chosen. */
export type Crew = 'one' | 'many';

/** Who times a workload, in turns. */
export function crewsOf({ engines }: { engines: string[] }, numWorkers: number): Crew[] {
  return numWorkers > 1 && engines.includes('chromium-2-workers') ? ['one', 'many'] : ['one'];
}

/**
 * The numbers of a workload's rounds, of which `numRounds` count. As in `npm run bench`, round −1 compiles and fills
 * caches; memories have but one.
 */
export function roundsOf({ kind }: { kind: string }, numRounds: number): number[] {
  if (kind === 'memorize') return [0];
  return Array.from({ length: 1 + numRounds }, (_, at) => at - 1);
}
