import { type Field, integer, type ValuesOf } from '../../lib/fields.js';
import { LARGEST, LENGTHS, readNumbers } from '../../lib/number-sequences.js';
import { PRESETS } from './presets.js';

/** Most expressions kept at every level. */
export const MOST_KEPT = 5;

/** Part of the probability that the range of the next term holds. */
export const RANGE_MASS = 0.9;

/** Terms predicted. */
export const NUM_NEXT = 3;

/** Joined by underscores, which an address leaves as they are. */
const sequence: Field<readonly number[]> = {
  initial: PRESETS[0].numbers,
  expects: `${LENGTHS.min} to ${LENGTHS.max} whole numbers from 1 to ${LARGEST}, joined by underscores`,
  parse: (given) =>
    /^\d[\d_]{0,60}$/.test(given) ? readNumbers(given.replaceAll('_', ' ')).numbers : undefined,
  print: (numbers) => numbers.join('_'),
};

/** The state of the lab that a link carries. */
export const fields = {
  numbers: sequence,
  /** Expressions that the search goes on from at every level. */
  keep: integer(3, 1, MOST_KEPT),
  /** Steps of the explanation shown. */
  step: integer(0, 0, 20),
};

export type Settings = ValuesOf<typeof fields>;
