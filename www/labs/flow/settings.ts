import { choice, type Field, integer, real, text, type ValuesOf } from '../../lib/fields.js';
import { t } from '../../lib/language.js';

export const SPINS = { least: 2, most: 6, mostOwn: 4 } as const;

/** Most rows in one state. */
export const MOST_COUNT = 999;

/** The models, in the order of the choice. */
export const MODELS = {
  ferromagnet: {
    name: t('Ferromagnet'),
    hint: t(
      'Spins of ±1, all coupled, that rather agree: most of the model is all bits off, or all on.',
    ),
  },
  frustrated: {
    name: t('Frustrated'),
    hint: t('Spins of ±1, all coupled, that rather differ, which three of them cannot.'),
  },
  random: { name: t('Random'), hint: t('A spin glass: couplings of either sign, from the seed.') },
  own: {
    name: t('My own'),
    hint: t('Any couplings, of up to {mostOwn} spins.', { mostOwn: SPINS.mostOwn }),
  },
} as const;
export type ModelName = keyof typeof MODELS;
export const MODEL_NAMES = Object.keys(MODELS) as ModelName[];

/** The range of a coupling or bias typed in. */
export const coupling = real(0, -5, 5);

/** Couplings typed in: the biases J_ii, then J_ij for i < j, joined by underscores, which an address leaves as they are. */
const couplings: Field<readonly number[]> = {
  initial: [],
  expects: t('numbers from −5 to 5, joined by _, for {least} to {mostOwn} spins', {
    least: SPINS.least,
    mostOwn: SPINS.mostOwn,
  }),
  parse(given) {
    const values = given.split('_').map((part) => coupling.parse(part));
    const isRight = [2, 3, 4].some((dim) => values.length === (dim * (dim + 1)) / 2);
    return isRight && values.every((value) => value !== undefined) ? values : undefined;
  },
  print: (values) => values.join('_'),
};

/** The state of the lab that a link carries. */
export const fields = {
  spins: integer(4, SPINS.least, SPINS.most),
  model: choice('ferromagnet', MODEL_NAMES),
  /** Of all models but one's own. */
  strength: real(0.4, 0, 1.5),
  bias: real(0, -1.5, 1.5),
  /** Of `random`. */
  seed: integer(1, 0, 2 ** 32 - 1),
  /** Of `own`. */
  couplings,
  /** States with their numbers of rows; those of the example if empty. */
  data: text(
    /^[01]{2,6}(\.\d{1,3})?(_[01]{2,6}(\.\d{1,3})?)*$/,
    t('states such as 0110.3, joined by _'),
  ),
  connectivity: choice('singleFlips', ['singleFlips', 'singleAndAllFlips']),
  /** Flow from data states to data states: counted in K, as the package does unless told otherwise, or left out. */
  between: choice('counted', ['counted', 'out']),
  /** How far along the axis of time, in thousandths. */
  moment: integer(0, 0, 1000),
};

export type Settings = Omit<ValuesOf<typeof fields>, 'moment'>;
