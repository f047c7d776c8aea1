import { choice, integer, real, someOf, text, type ValuesOf } from '../../lib/fields.js';
import { FILE_ID } from '../../lib/packed-rows.js';
import { COMPARED_IDS } from './objectives.js';

export const MIN_ROWS = 100;
export const MAX_ROWS = 20_000;

/** The state of the lab that a link carries. The number of workers is left out: it changes no bit of the result. */
export const fields = {
  /** The spin glass, or a file of the visitor's. */
  data: choice('glass', ['glass', 'own']),
  /** How many of the spin glass's rows to learn from. */
  rows: integer(MAX_ROWS, MIN_ROWS, MAX_ROWS),
  pattern: choice('dense', ['dense', 'lattice']),
  objective: choice('mpf', ['mpf', 'pseudolikelihood', 'maximumLikelihood']),
  /** Where flow may go to; as suits the data, by default. */
  connectivity: choice('suited', ['suited', 'singleFlips', 'singleAndAllFlips']),
  /** Rows of the lattice, for data of one's own; 0 for as square as can be. */
  latticeRows: integer(0, 0, 100_000),
  maxIterations: integer(2000, 1, 1_000_000),
  tolerance: real(1e-9, 1e-15, 0.5),
  /** Standard deviation of the couplings to start from. */
  noise: real(0, 0, 10),
  seed: integer(1, 0, Number.MAX_SAFE_INTEGER),
  /** The objectives of the comparison, which changes nothing of the fit. */
  compare: someOf(
    COMPARED_IDS,
    COMPARED_IDS.filter((id) => id !== 'persistentFlow'),
  ),
  /** Rows, columns and fingerprint of the visitor's file, by which it is known again: 500x20-0123456789abcdef. */
  file: text(FILE_ID, 'the size and the fingerprint of a file'),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The settings with those left at their usual values that make no difference, so that equal jobs have equal links. */
export function withoutIdle(settings: Settings): Settings {
  const connectivity =
    settings.objective === 'mpf' ? settings.connectivity : fields.connectivity.initial;
  if (settings.data === 'own') return { ...settings, connectivity, rows: fields.rows.initial };
  const { file, latticeRows } = fields;
  return { ...settings, connectivity, file: file.initial, latticeRows: latticeRows.initial };
}
