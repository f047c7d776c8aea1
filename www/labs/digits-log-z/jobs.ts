import type { FitSpec, LogZSpec, ReferenceSpec, SplineSpec } from 'unnorm';
import { type Digits, logOdds, NUM_PIXELS } from '../../lib/digits.js';
import { firstRows, type PackedRows } from '../../lib/packed-rows.js';
import { type PathId, type Settings, TRAININGS } from './settings.js';

/** The digits that the machine is trained on, and whose base rates are a reference. */
export const NUM_ROWS = 2000;

export function rowsOf(digits: Digits): PackedRows {
  return firstRows(digits.training, NUM_ROWS);
}

/** All of the training but the digits. */
export function trainingSpec({ hidden, training, seed }: Settings) {
  return {
    model: { kind: 'rbm', numVisible: NUM_PIXELS, numHidden: Number(hidden) },
    objective: TRAININGS[training].objective,
    optimizer: { kind: 'adam', learningRate: { start: 0.02, end: 0.001 }, numEpochs: 20 },
    init: { kind: 'dataMeans', scale: 0.01 },
    seed,
  } as const satisfies Omit<FitSpec, 'data'>;
}

/** Hidden units up to which knots are found by exact gradients in a few seconds. */
const MOST_BY_GRADIENTS = 12;

/** All of the search for knots but the machine and the reference: as good as they get in a few seconds. */
export function knotsSpec({ hidden, seed }: Settings) {
  const matching =
    Number(hidden) <= MOST_BY_GRADIENTS
      ? ({ kind: 'exact', tolerance: 0.005, maxEvaluations: 50 } as const)
      : ({ kind: 'persistent', numUpdates: 200, numParticles: 100 } as const);
  return {
    momentAverages: { moments: { kind: 'exact' }, matching },
    seed,
  } as const satisfies Omit<SplineSpec, 'model'>;
}

/** The distribution at β = 0. */
export function referenceOf({ reference }: Settings, digits: Digits): ReferenceSpec {
  return reference === 'uniform'
    ? { kind: 'uniform' }
    : { kind: 'independent', logOdds: logOdds(rowsOf(digits)) };
}

/** All of a run but the machine, the reference and the path. */
export function annealingSpec({ distributions, chains, seed }: Settings) {
  return {
    schedule: { kind: 'linear' },
    numChains: chains,
    numDistributions: distributions,
    reverse: { start: { kind: 'exact' } },
    seed,
  } as const satisfies Omit<LogZSpec, 'model'>;
}

/** The jobs of a run, in order. */
export type Step = 'fit' | 'exact' | 'knots' | PathId;

/** About how many seconds a job takes. */
export function secondsOf(step: Step, settings: Settings): number {
  const hidden = Number(settings.hidden);
  switch (step) {
    case 'fit':
      return 0.2 + 0.07 * hidden;
    case 'exact':
      return 1e-6 * 2 ** hidden;
    case 'knots':
      return hidden <= MOST_BY_GRADIENTS ? 1e-3 * 2 ** hidden + 1 : 0.5 * hidden;
    default:
      return 2.6e-6 * settings.distributions * settings.chains * hidden;
  }
}
