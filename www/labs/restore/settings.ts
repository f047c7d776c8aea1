import { choice, integer, real, text, type ValuesOf } from '../../lib/fields.js';
import { LETTERS } from '../../lib/letters.js';

/** Pictures to restore. */
export const PICTURES = [
  { value: 'letter', label: 'A letter, 64×64' },
  { value: 'fingerprint', label: 'A fingerprint, 64×64' },
  { value: 'digit', label: 'A digit, 28×28' },
  { value: 'prior', label: 'A draw of the prior, 64×64' },
  { value: 'small', label: 'A draw of the prior, 16×16' },
] as const;
export type PictureName = (typeof PICTURES)[number]['value'];

/** Parts of a picture that are not given. */
const HOLES = ['none', 'middle', 'lower', 'upper', 'left', 'right', 'painted'] as const;
export type HoleName = (typeof HOLES)[number];

/** β of the prior that draws are from. Below 0.4407 it has one phase. */
export const PRIOR_BETA = 0.42;

/** Which picture of its kind, at most. */
export const MAX_NUMBER = 20;

/** The part that was painted: lengths of runs, from 0, in base 36. Longer ones do not travel. */
const painted = () =>
  text(/^[0-9a-z]{1,3}(\.[0-9a-z]{1,3}){0,199}$/, 'what was painted, as this page writes it');

/** The state of the lab that a link carries. */
export const fields = {
  /** Restore a noisy picture, or complete a digit. */
  task: choice('noise', ['noise', 'digit']),
  picture: choice<PictureName>(
    'letter',
    PICTURES.map(({ value }) => value),
  ),
  letter: choice('R', [...LETTERS]),
  /** Which fingerprint, or which digit of its kind. */
  number: integer(1, 1, MAX_NUMBER),
  /** The digit of both tasks. */
  digit: choice('3', [...'0123456789']),
  /** The probability that a pixel is flipped. Without noise η would be infinite. */
  noise: real(0.2, 0.01, 0.3),
  beta: real(0.6, 0, 1),
  hole: choice<HoleName>('none', HOLES),
  holeRuns: painted(),
  /** Draws of each chain. */
  draws: integer(500, 10, 2000),
  mark: choice('plain', ['plain', 'off']),
  /** Which part of the digit is to be completed. */
  erased: choice<HoleName>('lower', HOLES),
  erasedRuns: painted(),
  numHidden: choice('100', ['25', '100', '400']),
  /** Digits to learn from, and passes over them. */
  rows: integer(8000, 200, 8000),
  epochs: integer(10, 1, 100),
  seed: integer(1, 0, 2 ** 32 - 1),
};

export type Settings = ValuesOf<typeof fields>;

type Name = keyof Settings;

/** What the answers to the noisy picture depend on, what the machine, and what the completions. */
export const OF_NOISE: readonly Name[] = [
  'picture',
  'letter',
  'number',
  'digit',
  'noise',
  'beta',
  'hole',
  'holeRuns',
  'draws',
  'seed',
];
export const OF_MACHINE: readonly Name[] = ['numHidden', 'rows', 'epochs', 'seed'];
export const OF_COMPLETION: readonly Name[] = [
  ...OF_MACHINE,
  'digit',
  'number',
  'erased',
  'erasedRuns',
];
