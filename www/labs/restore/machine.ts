import type { FitSpec, LogZSpec, SampleSpec } from 'unnorm';
import { isSet } from '../../lib/bit-pictures.js';
import { logOdds, NUM_PIXELS } from '../../lib/digits.js';
import { firstRows, type PackedRows } from '../../lib/packed-rows.js';
import { type RbmParams, softplus } from '../../lib/rbm.js';
import { placesIn } from './masks.js';
import type { Settings } from './settings.js';

/** A machine that learns digits, and completes one of which a part is given. */

type RbmFitSpec = FitSpec & { model: { kind: 'rbm' } };
export type RbmSpec = RbmFitSpec['model'];

/** All of the fit but the data and the visible biases, which come from the data: persistent contrastive divergence. */
export function fitWithoutData({ numHidden, epochs, seed }: Settings): Omit<RbmFitSpec, 'data'> {
  return {
    model: { kind: 'rbm', numVisible: NUM_PIXELS, numHidden: Number(numHidden) },
    objective: { kind: 'persistentContrastiveDivergence', numChains: 100, numSteps: 1 },
    optimizer: {
      kind: 'sgd',
      momentum: 0.5,
      learningRate: { start: 0.1, end: 0.005 },
      batchSize: 100,
      numEpochs: epochs,
    },
    regularizer: { kind: 'l2', strength: 0.0001 },
    init: { kind: 'normal', scale: 0.01 },
    seed,
  };
}

export function fitSpec(settings: Settings, training: PackedRows): RbmFitSpec {
  const rows = firstRows(training, settings.rows);
  const spec = fitWithoutData(settings);
  return {
    ...spec,
    model: { ...spec.model, visibleBias: logOdds(rows) },
    data: { kind: 'bits', dim: rows.dim, numRows: rows.numRows, bits: rows.bits.slice() },
  };
}

export function modelOf({ weights, visibleBias, hiddenBias }: RbmParams): RbmSpec {
  return {
    kind: 'rbm',
    numVisible: visibleBias.length,
    numHidden: hiddenBias.length,
    weights: Float64Array.from(weights),
    visibleBias: Float64Array.from(visibleBias),
    hiddenBias: Float64Array.from(hiddenBias),
  };
}

/** What is given of the digit. */
export function givenOf(digit: Uint8Array, erased: Uint8Array) {
  const sites = placesIn(erased, false);
  const ink = new Set(placesIn(digit));
  return { sites, values: sites.map((site) => Number(ink.has(site))) };
}

/** Completions: one a chain, each from noise. */
export const NUM_COMPLETIONS = 40;

export function completionWithoutModel(seed: number): Omit<SampleSpec, 'model' | 'observed'> {
  return {
    transition: { kind: 'blockGibbs' },
    numChains: NUM_COMPLETIONS,
    numWarmup: 100,
    numDraws: 50,
    numStepsPerDraw: 20,
    moments: false,
    energies: true,
    seed,
  };
}

/** ln p of the erased part given the rest, by annealing from independent pixels. */
export function likelihoodWithoutModel(seed: number): Omit<LogZSpec, 'model' | 'reference'> {
  return { schedule: { kind: 'linear' }, numChains: 50, numDistributions: 500, seed };
}

/** The log odds of ink at each pixel, over the digits that the machine learns from. */
export function oddsOf(rows: number, training: PackedRows): number[] {
  return logOdds(firstRows(training, rows));
}

/** ln p of the erased part if every pixel were on its own. */
export function independentLogP(digit: Uint8Array, erased: Uint8Array, odds: readonly number[]) {
  return placesIn(erased).reduce((sum, n) => {
    const logOdds = odds[n] ?? 0;
    return sum - softplus(isSet(digit, n) ? -logOdds : logOdds);
  }, 0);
}

export type Step = 'fit' | 'sample' | 'likelihood';
export const STEPS: readonly Step[] = ['fit', 'sample', 'likelihood'];

/** About how long a step takes, in seconds of some machine: for the progress of the whole. */
export function secondsOf(step: Step, { numHidden, rows, epochs }: Settings): number {
  const size = Number(numHidden) / 100;
  if (step === 'fit') return 1.2e-4 * rows * epochs * (size + 0.08);
  return (step === 'sample' ? 0.8 : 1.1) * (size + 0.1);
}
