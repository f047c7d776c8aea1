import { choice, integer, real, type ValuesOf } from '../../lib/fields.js';
import { STANDARD_NORMAL, WIDE_START } from '../../lib/surprising-path.js';

/** Where annealing starts: the name on the page, and mean and variance of every coordinate of x. */
export const REFERENCES = {
  normal: { name: 'Standard normal', start: STANDARD_NORMAL, hint: 'As the thesis has it.' },
  wide: {
    name: 'As wide as both',
    start: WIDE_START,
    hint: 'Normal of mean 2.5 and standard deviation 3 in every x: over both explanations.',
  },
} as const;
export type ReferenceName = keyof typeof REFERENCES;
export const REFERENCE_NAMES = Object.keys(REFERENCES) as ReferenceName[];

export const DISTRIBUTION_COUNTS = [100, 300, 1000, 3000, 10_000] as const;
export const CHAIN_COUNTS = [100, 200, 500, 1000, 2000] as const;

/** The state of the lab that a link carries. */
export const fields = {
  reference: choice<ReferenceName>('normal', REFERENCE_NAMES),
  /** Number of distributions, K. */
  distributions: integer(1000, 100, 10_000),
  chains: integer(500, 100, 2000),
  seed: integer(1, 0, 2 ** 53 - 1),
  /** The moment that the pictures show. */
  beta: real(0, 0, 1),
};

/** What a run depends on. */
export type Settings = Omit<ValuesOf<typeof fields>, 'beta'>;
