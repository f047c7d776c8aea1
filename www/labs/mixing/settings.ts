import { choice, type Field, integer, real, type ValuesOf } from '../../lib/fields.js';
import { t } from '../../lib/language.js';
import { LECTURE } from '../../lib/small-chains.js';
import { PRESET_NAMES } from './presets.js';

/** Most states of a matrix that can be typed in, and most sites of a model that is drawn. */
export const MOST_STATES = 8;
export const MOST_SITES = 4;

/** How far the rows of a matrix may be from adding up to 1: what the engine takes. */
export const ROW_ERROR = 1e-9;

/** How a model moves in a step, in words. */
export const MOVES = {
  singleSiteGibbs: t('Gibbs, one random site'),
  singleSiteMetropolis: t('Metropolis, one random site'),
  gibbs: t('Gibbs, a sweep of all sites'),
  swendsenWang: t('Swendsen–Wang'),
  wolff: t('Wolff'),
} as const;
export type Move = keyof typeof MOVES;
export const MOVE_NAMES = Object.keys(MOVES) as Move[];

export const PROPOSALS = {
  neighbours: t('Neighbours on a ring'),
  anywhere: t('Any state'),
} as const;
export type Proposal = keyof typeof PROPOSALS;

/** Numbers joined by underscores, which an address leaves as they are. */
function numbers(
  initial: readonly number[],
  expects: string,
  isRight: (values: readonly number[]) => boolean,
): Field<readonly number[]> {
  const parse = (given: string) => {
    if (!/^[\d.e_-]{1,1900}$/.test(given)) return undefined;
    const values = given.split('_').map((text) => (text === '' ? Number.NaN : Number(text)));
    return isRight(values) ? values : undefined;
  };
  return { initial, expects, parse, print: (values) => values.join('_') };
}

/** Whether these are the rows of a transition matrix. */
function isMatrix(values: readonly number[]): boolean {
  const size = Math.sqrt(values.length);
  if (!Number.isInteger(size) || size < 2 || size > MOST_STATES) return false;
  if (!values.every((value) => value >= 0 && value <= 1)) return false;
  const isWhole = (row: number) =>
    Math.abs(sumOf(values.slice(row * size, (row + 1) * size)) - 1) <= ROW_ERROR;
  return Array.from({ length: size }, (_, row) => row).every(isWhole);
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The least and the greatest weight that can be typed in. */
const WEIGHTS = { min: 0.001, max: 1000 } as const;

/** The state of the lab that a link carries. */
export const fields = {
  preset: choice('lecture', PRESET_NAMES),
  /** Of `own`. */
  matrix: numbers(
    LECTURE,
    t('the rows of a matrix of 2 to {MOST_STATES} states, each adding up to 1, joined by _', {
      MOST_STATES,
    }),
    isMatrix,
  ),
  /** Of `metropolis`. */
  weights: numbers(
    [1, 4, 9, 4, 1, 2],
    t('2 to {MOST_STATES} numbers from {WEIGHTS} to {WEIGHTS2}, joined by _', {
      MOST_STATES,
      WEIGHTS: WEIGHTS.min,
      WEIGHTS2: WEIGHTS.max,
    }),
    (values) =>
      values.length >= 2 &&
      values.length <= MOST_STATES &&
      values.every((value) => value >= WEIGHTS.min && value <= WEIGHTS.max),
  ),
  proposal: choice<Proposal>('neighbours', ['neighbours', 'anywhere']),
  /** Of the cube and of the Ising model. */
  sites: integer(3, 1, MOST_SITES),
  coupling: real(0.5, 0, 3),
  move: choice<Move>('singleSiteGibbs', MOVE_NAMES),
  /** The state in which the chain begins. */
  start: integer(0, 0, 2 ** MOST_SITES - 1),
  /** The number of steps shown. */
  t: integer(0, 0, 2 ** 40),
  /** β of mixing against size. */
  beta: real(1.2, 0.1, 2),
};

export type Settings = Omit<ValuesOf<typeof fields>, 't'>;
