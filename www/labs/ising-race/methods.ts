import type { FitSpec } from 'unnorm';
import type { Settings } from './settings.js';

export const METHOD_IDS = ['mpf', 'pseudolikelihood', 'tap', 'cd1', 'cd10', 'pcd'] as const;
export type MethodId = (typeof METHOD_IDS)[number];

/** A method of the race: how it is called and drawn. */
export interface Method {
  id: MethodId;
  /** As in a sentence. */
  name: string;
  /** Where there is little room. */
  short: string;
  /** Where one chooses. */
  label: string;
  colour: `--${string}`;
  dash?: number[];
  width: number;
  /** What its progress counts. */
  counts: string;
}

/** In the order of the turns. Curves differ in lightness and dashes as well as in hue. */
export const METHODS: readonly Method[] = [
  {
    id: 'mpf',
    name: 'minimum probability flow',
    short: 'MPF',
    label: 'Minimum probability flow',
    colour: '--series-1',
    width: 3,
    counts: 'evaluations',
  },
  {
    id: 'pseudolikelihood',
    name: 'pseudolikelihood',
    short: 'Pseudolikelihood',
    label: 'Pseudolikelihood',
    colour: '--series-2',
    dash: [10, 4],
    width: 2.25,
    counts: 'evaluations',
  },
  {
    id: 'tap',
    name: 'TAP mean field',
    short: 'TAP',
    label: 'TAP mean field',
    colour: '--series-3',
    dash: [2, 3],
    width: 2,
    counts: 'in closed form',
  },
  {
    id: 'cd1',
    name: 'contrastive divergence with 1 step',
    short: 'CD-1',
    label: 'Contrastive divergence, CD-1',
    colour: '--series-4',
    dash: [5, 3],
    width: 2,
    counts: 'updates',
  },
  {
    id: 'cd10',
    name: 'contrastive divergence with 10 steps',
    short: 'CD-10',
    label: 'Contrastive divergence, CD-10',
    colour: '--series-5',
    dash: [9, 3, 2, 3],
    width: 2,
    counts: 'updates',
  },
  {
    id: 'pcd',
    name: 'persistent contrastive divergence',
    short: 'Persistent CD',
    label: 'Persistent CD',
    colour: '--series-6',
    width: 1.5,
    counts: 'updates',
  },
];

/** What each method is asked to do; the same model, data and seed for all. */
export function methodSpec(
  id: MethodId,
  settings: Settings,
): Pick<FitSpec, 'objective' | 'optimizer'> {
  switch (id) {
    case 'mpf':
      return {
        objective: { kind: 'mpf', connectivity: { kind: 'singleFlips' } },
        optimizer: { kind: 'lbfgs', tolerance: TOLERANCE },
      };
    case 'pseudolikelihood':
      return {
        objective: { kind: 'pseudolikelihood' },
        optimizer: { kind: 'lbfgs', tolerance: TOLERANCE },
      };
    case 'tap':
      return { objective: { kind: 'meanField', order: 'tap' } };
    case 'cd1':
      return {
        objective: { kind: 'contrastiveDivergence', numSteps: 1 },
        optimizer: descent(settings),
      };
    case 'cd10':
      return {
        objective: { kind: 'contrastiveDivergence', numSteps: 10 },
        optimizer: descent(settings),
      };
    case 'pcd':
      return {
        objective: {
          kind: 'persistentContrastiveDivergence',
          numChains: BATCH_SIZE,
          numSteps: 1,
        },
        optimizer: descent(settings),
      };
  }
}

const TOLERANCE = 1e-9;
/** Rows a minibatch, and chains of the persistent method, so that its updates cost as much as those of CD-1. */
const BATCH_SIZE = 100;

function descent({ numEpochs, rate }: Settings): NonNullable<FitSpec['optimizer']> {
  return {
    kind: 'sgd',
    learningRate: { start: rate, end: rate / 50 },
    batchSize: BATCH_SIZE,
    numEpochs,
  };
}
