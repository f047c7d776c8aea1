import type { FitSpec } from 'unnorm';
import type { Settings } from './settings.js';

export const METHOD_IDS = ['pcd', 'cd', 'mpf', 'pseudolikelihood'] as const;
export type MethodId = (typeof METHOD_IDS)[number];

export interface Method {
  id: MethodId;
  label: string;
  /** One sentence on what it does. */
  hint: string;
  /** Whether it runs Markov chains, so that their steps matter. */
  hasChains: boolean;
  /** What the chart of the objective is called, and what unit it has. */
  objective: { title: string; unit: string; note: string };
  /** Settings that give good digits. */
  usual: { numEpochs: number; rate: number };
  /** Nanoseconds of one processor a row, a visible and a hidden unit, measured in WebAssembly; for a forecast of the time. */
  cost: number;
}

const contrast = {
  title: 'Contrast',
  unit: 'mean energy of the data minus that of the chains, nats',
  note: 'Mean energy of the data minus that of the chains over the epoch so far; nothing is minimized.',
};

export const METHODS: readonly Method[] = [
  {
    id: 'pcd',
    label: 'Persistent CD',
    hint: 'Persistent contrastive divergence: follows the likelihood with 100 Gibbs chains that go on from update to update.',
    hasChains: true,
    objective: contrast,
    usual: { numEpochs: 30, rate: 0.1 },
    cost: 2.6,
  },
  {
    id: 'cd',
    label: 'CD',
    hint: 'Contrastive divergence: follows the likelihood with short Gibbs chains that start from the digits anew each time.',
    hasChains: true,
    objective: contrast,
    usual: { numEpochs: 30, rate: 0.1 },
    cost: 2.6,
  },
  {
    id: 'mpf',
    label: 'Minimum probability flow',
    hint: 'Minimizes the flow of probability from the digits to images one pixel away.',
    hasChains: false,
    objective: {
      title: 'Objective',
      unit: 'K, dimensionless, on the training digits',
      note: 'How fast probability would flow from the digits to images one pixel away; dimensionless.',
    },
    usual: { numEpochs: 10, rate: 0.005 },
    cost: 3,
  },
  {
    id: 'pseudolikelihood',
    label: 'Pseudolikelihood',
    hint: 'Maximizes the probability of each pixel given all others.',
    hasChains: false,
    objective: {
      title: 'Objective',
      unit: 'negative log pseudolikelihood of the training digits, nats a digit',
      note: 'Negative log pseudolikelihood of the training digits over the epoch so far, in nats a digit.',
    },
    usual: { numEpochs: 10, rate: 0.005 },
    cost: 3,
  },
];

export function methodOf(id: MethodId): Method {
  return METHODS.find((method) => method.id === id) as Method;
}

/** Rows a minibatch, and persistent chains. */
const BATCH_SIZE = 100;
/** The rate falls to this part of what it was. */
const FALL = 0.05;

/** The objective and the optimizer of the settings. */
export function methodSpec(settings: Settings): Required<Pick<FitSpec, 'objective' | 'optimizer'>> {
  const { method, numSteps, numEpochs, rate } = settings;
  const learningRate = { start: rate, end: Number((FALL * rate).toPrecision(12)) };
  const common = { learningRate, batchSize: BATCH_SIZE, numEpochs };
  switch (method) {
    case 'pcd':
      return {
        objective: { kind: 'persistentContrastiveDivergence', numChains: BATCH_SIZE, numSteps },
        optimizer: { kind: 'sgd', momentum: 0.5, ...common },
      };
    case 'cd':
      return {
        objective: { kind: 'contrastiveDivergence', numSteps },
        optimizer: { kind: 'sgd', momentum: 0.5, ...common },
      };
    case 'mpf':
      return {
        objective: { kind: 'mpf', connectivity: { kind: 'singleFlips' } },
        optimizer: { kind: 'adam', ...common },
      };
    case 'pseudolikelihood':
      return { objective: { kind: 'pseudolikelihood' }, optimizer: { kind: 'adam', ...common } };
  }
}
