import { choice, type Field, integer, someOf, type ValuesOf } from '../../lib/fields.js';
import { t } from '../../lib/language.js';
import { LETTERS, lettersOf } from '../../lib/letters.js';
import { type OwnPictures, printOwn, readOwn } from './own-pictures.js';
import { RULE_IDS } from './rules.js';

export const SIDES = ['8', '16', '32', '64'] as const;

/** Where pictures come from. Those that were drawn or dropped come after them. */
export const SOURCES = [
  { id: 'letters', name: t('Letters') },
  { id: 'digits', name: t('Handwritten digits') },
  { id: 'fingerprints', name: t('Fingerprints') },
  { id: 'random', name: t('Random bits') },
  { id: 'own', name: t('Only my own') },
] as const;

export const MAX_FINGERPRINTS = 80;

const MAX_TEXT = 40;

const letters: Field<string> = {
  initial: 'HOPFIELD',
  expects: t('up to {MAX_TEXT} of the letters {LETTERS}', { MAX_TEXT, LETTERS }),
  parse: (given) =>
    given.length <= MAX_TEXT && lettersOf(given).length === new Set(given.toUpperCase()).size
      ? given.toUpperCase()
      : undefined,
  print: (value) => value,
};

const own: Field<OwnPictures> = {
  initial: { side: 16, pictures: [] },
  expects: t('pictures as this page writes them'),
  parse: readOwn,
  print: printOwn,
};

/** The state of the lab that a link carries. The number of workers is left out: it changes no bit of the result. */
export const fields = {
  /** Store pictures and recall them, or measure how many random ones can be stored. */
  task: choice('recall', ['recall', 'capacity']),
  source: choice('letters', ['letters', 'digits', 'fingerprints', 'random', 'own']),
  letters,
  /** How many digits, fingerprints or random pictures. */
  num: integer(20, 1, 200),
  /** Pixels along a side. */
  side: choice('16', SIDES),
  rule: choice('mpf', RULE_IDS),
  /** Percent of the bits that are flipped in the copies to learn from; 0 learns from the pictures themselves. */
  corrupted: integer(10, 0, 45),
  /** Such copies of each picture. */
  copies: integer(50, 1, 1000),
  /** Percent of the bits that are flipped in a cue. */
  noise: integer(15, 1, 50),
  /** In which order recall goes over the units. */
  order: choice('inOrder', ['inOrder', 'random']),
  seed: integer(1, 0, 2 ** 32 - 1),
  /** Pictures that were drawn or dropped. */
  own,
  /** Of the measurement of capacity: percent of the bits that are flipped in the copies to learn from, units, sets of random patterns, rules. */
  spoiled: integer(0, 0, 45),
  units: integer(64, 8, 128),
  trials: integer(10, 2, 100),
  rules: someOf(RULE_IDS),
  /** The beginning of the digest that the maker of the link got. */
  digest: {
    initial: '',
    expects: t('the first 16 digits of a digest'),
    parse: (given: string) => (/^[0-9a-f]{16}$/.test(given) ? given : undefined),
    print: (value: string) => value,
  },
};

export type Settings = ValuesOf<typeof fields>;
