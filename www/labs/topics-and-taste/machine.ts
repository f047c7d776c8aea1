import type { FitSpec, SampleSpec } from 'unnorm';
import type { PackedRows } from '../../lib/packed-rows.js';
import { NUM_VALUES, startingBiases } from '../../lib/taste-people.js';
import { countsOf, startingWordBiases } from '../../lib/word-counts.js';
import { NUM_BITS, NUM_THINGS } from './catalogue.js';
import type { Settings } from './settings.js';

/** What the lab asks of the engine: people, and machines that learn of them and of documents. */

/** People who are kept out of what the machine learns from, and asked for one rating more. */
export const NUM_HELD_OUT = 400;
/** One paragraph in this many is held out. */
export const HELD_OUT_EVERY = 8;

type Arrays<M> = {
  [K in keyof M]-?: K extends 'weights' | 'visibleBias' | 'wordBias' | 'hiddenBias'
    ? Float64Array
    : M[K];
};
type Kind<K extends string> = Extract<FitSpec['model'], { kind: K }>;
/** Machines as fits give them: with all of their numbers. */
export type TasteModel = Arrays<Kind<'categoricalRbm'>>;
export type TopicModel = Arrays<Kind<'replicatedSoftmax'>>;

/** Complete rows of as many people as learn and are held out. */
export function peopleWithoutModel({ people, seed }: Settings): Omit<SampleSpec, 'model'> {
  return {
    transition: { kind: 'blockGibbs' },
    numChains: people + NUM_HELD_OUT,
    numWarmup: 0,
    numDraws: 1,
    // A chain from noise would take hundreds of sweeps to forget it.
    start: { kind: 'exact' },
    moments: false,
    seed,
  };
}

type Learning = Required<
  Pick<FitSpec, 'objective' | 'optimizer' | 'regularizer' | 'init' | 'seed'>
>;

/** One step of contrastive divergence an update. */
function learning(optimizer: Learning['optimizer'], penalty: number, seed: number): Learning {
  return {
    objective: { kind: 'contrastiveDivergence', numSteps: 1 },
    optimizer,
    regularizer: { kind: 'l2', strength: penalty },
    init: { kind: 'normal', scale: 0.05 },
    seed,
  };
}

function falling(rate: number) {
  return { start: rate, end: Number((rate / 10).toPrecision(12)) };
}

export const TASTE_BATCH = 100;
export const TOPIC_BATCH = 20;

/** All of the fit to ratings but the data and what comes from them. */
export function tasteFit({ tastes, epochs, rate, penalty, seed }: Settings) {
  const model = {
    kind: 'categoricalRbm',
    numSites: NUM_THINGS,
    numValues: NUM_VALUES,
    numHidden: tastes,
  } as const;
  const optimizer = {
    kind: 'sgd',
    momentum: 0.5,
    learningRate: falling(rate),
    batchSize: TASTE_BATCH,
    numEpochs: epochs,
  } as const;
  return { model, ...learning(optimizer, penalty, seed) };
}

export function tasteFitSpec(settings: Settings, { bits, numRows }: PackedRows): FitSpec {
  const { model, ...rest } = tasteFit(settings);
  const visibleBias = startingBiases(bits, numRows, NUM_THINGS);
  return {
    model: { ...model, visibleBias },
    data: { kind: 'bits', dim: NUM_BITS, numRows, bits: bits.slice() },
    ...rest,
  };
}

/** All of the fit to documents but the data and what comes from them. */
export function topicFit(
  { topics, passes, textRate, textPenalty, seed }: Settings,
  numWords: number,
) {
  const model = { kind: 'replicatedSoftmax', numWords, numHidden: topics } as const;
  const optimizer = {
    kind: 'adam',
    learningRate: falling(textRate),
    batchSize: TOPIC_BATCH,
    numEpochs: passes,
  } as const;
  return { model, ...learning(optimizer, textPenalty, seed) };
}

export function topicFitSpec(
  settings: Settings,
  documents: readonly (readonly number[])[],
  numWords: number,
): FitSpec {
  const { model, ...rest } = topicFit(settings, numWords);
  const wordBias = startingWordBiases(documents, numWords);
  return {
    model: { ...model, wordBias },
    states: countsOf(documents, numWords),
    ...rest,
  };
}

/** Updates of one pass. */
export function updatesAPass(numRows: number, batchSize: number): number {
  return Math.ceil(numRows / batchSize);
}
