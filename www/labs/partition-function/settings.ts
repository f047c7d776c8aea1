import type { ScheduleSpec, TransitionSpec } from 'unnorm';
import { choice, formula, integer, real, text, type ValuesOf } from '../../lib/fields.js';
import { FORMULA } from '../../lib/plane-targets.js';
import { MODEL_IDS, MODELS, usualNumbers } from './models.js';

/** The first and the last number of distributions of a run. */
export const FIRST_K = 16;
export const LAST_K = 2 ** 17;

/** How chains move, by the kind of states they are for. */
export const TRANSITIONS = {
  gibbs: {
    name: 'Gibbs',
    for: 'bits',
    hint: 'One bit after another, each drawn given all others.',
    spec: { kind: 'gibbs' },
  },
  blockGibbs: {
    name: 'Block Gibbs',
    for: 'rbm',
    hint: 'All hidden units at once given the visible ones, and back.',
    spec: { kind: 'blockGibbs' },
  },
  hais: {
    name: 'HMC, momentum kept',
    for: 'reals',
    hint: 'One leapfrog step a distribution; the momentum goes on from one to the next.',
    spec: { kind: 'hmc', numLeapfrogSteps: 1, momentumRefresh: 0.129449436703876 },
  },
  hmc: {
    name: 'HMC, fresh momentum',
    for: 'reals',
    hint: 'One leapfrog step a distribution, each with a new momentum.',
    spec: { kind: 'hmc', numLeapfrogSteps: 1, momentumRefresh: 1 },
  },
  metropolis: {
    name: 'Metropolis',
    for: 'reals',
    hint: 'A normal step to any side, taken or not.',
    spec: { kind: 'metropolis' },
  },
} as const satisfies Record<
  string,
  { name: string; for: 'bits' | 'rbm' | 'reals'; hint: string; spec: TransitionSpec }
>;
export type TransitionId = keyof typeof TRANSITIONS;
const TRANSITION_IDS = Object.keys(TRANSITIONS) as TransitionId[];

/** Where on the way the distributions lie. */
export const SCHEDULES = {
  adaptive: {
    name: 'Adaptive',
    hint: 'Where a pilot run finds the weights to change most.',
    spec: { kind: 'adaptive' },
  },
  linear: { name: 'Linear', hint: 'Evenly.', spec: { kind: 'linear' } },
  sigmoidal: {
    name: 'Sigmoidal',
    hint: 'Denser towards both ends.',
    spec: { kind: 'sigmoidal', delta: 4 },
  },
  geometric: {
    name: 'Geometric',
    hint: 'Each a constant multiple of the one before, from 0.001 on.',
    spec: { kind: 'geometric', first: 0.001 },
  },
  optimalBinned: {
    name: 'Optimal, ten bins',
    hint: 'Linear in ten parts, with as many in each as a pilot run finds best.',
    spec: { kind: 'optimalBinned', numBins: 10 },
  },
} as const satisfies Record<string, { name: string; hint: string; spec: ScheduleSpec }>;
export type ScheduleId = keyof typeof SCHEDULES;

const initial = usualNumbers('glass');

/** The state of the lab that a link carries. */
export const fields = {
  model: choice('glass', MODEL_IDS),
  /** The parameter of the model. */
  shape: real(initial.shape, -1, 400),
  /** Spins, hidden units, dimensions. */
  size: integer(initial.size, 2, 100),
  /** Of the parameters that are drawn. */
  modelSeed: integer(1, 0, 2 ** 32 - 1),
  formula: formula(FORMULA),
  /** Half the side of the window of the formula. */
  reach: real(4, 0.5, 50),
  /** Standard deviation of the normal distribution that annealing starts from; not for bits. */
  referenceSd: real(initial.referenceSd, 0.05, 50),
  transition: choice('gibbs', TRANSITION_IDS),
  /** Transitions at each distribution. */
  steps: integer(1, 1, 100),
  schedule: choice('adaptive', Object.keys(SCHEDULES) as ScheduleId[]),
  chains: integer(100, 2, 2000),
  /** The gap at which the run stops by itself, in nats. */
  gap: real(0.2, 0.001, 100),
  confidence: choice('0.95', ['0.8', '0.95', '0.99']),
  seed: integer(1, 0, 2 ** 32 - 1),
  /** The digest that a link promises, or its beginning. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The transitions that a model can be annealed by; the first is the usual one. */
export function transitionsOf(model: Settings['model']): TransitionId[] {
  if (!MODELS[model].isBinary)
    return TRANSITION_IDS.filter((id) => TRANSITIONS[id].for === 'reals');
  return model === 'rbm' ? ['blockGibbs', 'gibbs'] : ['gibbs'];
}
