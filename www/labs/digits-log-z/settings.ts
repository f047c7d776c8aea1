import { choice, integer, text, type ValuesOf } from '../../lib/fields.js';

/** The two paths: their names on the page and their colours. */
export const PATHS = [
  {
    id: 'geometric',
    name: 'Geometric averages',
    title: 'Geometric',
    short: 'geometric',
    colour: '--series-2',
  },
  {
    id: 'moments',
    name: 'Averages of moments',
    title: 'Moments',
    short: 'moments',
    colour: '--series-1',
  },
] as const;
export type PathId = (typeof PATHS)[number]['id'];
/** One of something for each path. */
export type ByPath<T> = Readonly<Record<PathId, T>>;

/** How the machine is trained. */
export const TRAININGS = {
  pcd: {
    name: 'Persistent CD',
    objective: { kind: 'persistentContrastiveDivergence', numChains: 100, numSteps: 1 },
  },
  cd: { name: 'CD-1', objective: { kind: 'contrastiveDivergence', numSteps: 1 } },
} as const;
export type TrainingName = keyof typeof TRAININGS;
export const TRAINING_NAMES = Object.keys(TRAININGS) as TrainingName[];

/** Where annealing starts. */
export const REFERENCES = {
  uniform: { name: 'Uniform', hint: 'Every pixel is ink or paper with even odds.' },
  baseRates: {
    name: 'Base rates',
    hint: 'Every pixel is ink as often as in the digits, whatever the others are.',
  },
} as const;
export type ReferenceName = keyof typeof REFERENCES;
export const REFERENCE_NAMES = Object.keys(REFERENCES) as ReferenceName[];

export const HIDDEN_COUNTS = ['8', '12', '16', '20'] as const;
export const DISTRIBUTION_COUNTS = [100, 300, 1000, 3000, 10_000] as const;
export const CHAIN_COUNTS = [50, 100, 200, 500] as const;

/** The state of the lab that a link carries. */
export const fields = {
  /** How many hidden units: few enough that log Z is known. */
  hidden: choice('16', HIDDEN_COUNTS),
  training: choice<TrainingName>('pcd', TRAINING_NAMES),
  reference: choice<ReferenceName>('uniform', REFERENCE_NAMES),
  /** Number of distributions, K. */
  distributions: integer(1000, 20, 10_000),
  chains: integer(100, 20, 500),
  seed: integer(1, 0, 2 ** 53 - 1),
  /** The digest that a link promises, or its beginning. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

/** What a run depends on. */
export type Settings = Omit<ValuesOf<typeof fields>, 'digest'>;

/** What the machine depends on. */
export function sameMachine(a: Settings, b: Settings): boolean {
  return a.hidden === b.hidden && a.training === b.training && a.seed === b.seed;
}

/** What the knots depend on. */
export function sameKnots(a: Settings, b: Settings): boolean {
  return sameMachine(a, b) && a.reference === b.reference;
}
