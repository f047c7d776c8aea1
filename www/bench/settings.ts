import { MOST_WORKERS, USUAL_WORKERS } from '../frame/workers.js';
import { choice, integer, type ValuesOf } from '../lib/fields.js';

/** The sizes that `npm run bench` has with `--quick` and without. */
export const SIZES = ['small', 'full'] as const;

export type Size = (typeof SIZES)[number];

/** What of the bench stands in the address. */
export const fields = {
  size: choice('small', SIZES),
  workers: integer(USUAL_WORKERS, 1, MOST_WORKERS),
};

export type Settings = ValuesOf<typeof fields>;
