import { choice, integer, real, someOf, type ValuesOf } from '../../lib/fields.js';
import { METHOD_IDS } from './methods.js';

export const MIN_ROWS = 100;
export const MAX_ROWS = 20_000;

/** The state of the lab that a link carries. The number of workers is left out: it changes no result, only times. */
export const fields = {
  /** How many of the spin glass's rows to learn from. */
  rows: integer(MAX_ROWS, MIN_ROWS, MAX_ROWS),
  /** Who takes part. */
  methods: someOf(METHOD_IDS),
  /** One after another, or all at the same time. */
  order: choice('turns', ['turns', 'together']),
  /** Passes of contrastive divergence over the data. */
  numEpochs: integer(5, 1, 100_000),
  /** Its learning rate at the first update; it falls to a fiftieth of that. */
  rate: real(0.5, 1e-6, 100),
  seed: integer(1, 0, Number.MAX_SAFE_INTEGER),
  /** The entries of J the error is taken over. */
  error: choice('offDiagonal', ['offDiagonal', 'all']),
};

export type Settings = ValuesOf<typeof fields>;
