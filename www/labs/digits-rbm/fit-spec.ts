import type { FitSpec } from 'unnorm';
import { logOdds, NUM_PIXELS } from '../../lib/digits.js';
import { firstRows, type PackedRows } from '../../lib/packed-rows.js';
import { methodOf, methodSpec } from './methods.js';
import type { Settings } from './settings.js';

type RbmFitSpec = FitSpec & { model: { kind: 'rbm' } };

/** All of the job but the data and the visible biases, which come from the data. */
export function fitSpecWithoutData(settings: Settings): Omit<RbmFitSpec, 'data'> {
  const { numHidden, penalty, noise, seed } = settings;
  return {
    model: { kind: 'rbm', numVisible: NUM_PIXELS, numHidden: Number(numHidden) },
    ...methodSpec(settings),
    ...(penalty > 0 && { regularizer: { kind: 'l2', strength: penalty } }),
    init: noise > 0 ? { kind: 'normal', scale: noise } : { kind: 'model' },
    seed,
  };
}

/** The job: it starts from the probabilities of ink of each pixel. */
export function fitSpec(settings: Settings, training: PackedRows): RbmFitSpec {
  const rows = firstRows(training, settings.rows);
  const spec = fitSpecWithoutData(settings);
  return {
    ...spec,
    model: { ...spec.model, visibleBias: logOdds(rows) },
    data: { kind: 'bits', ...rows },
  };
}

/** Weights and biases. */
export function numParams({ numHidden }: Settings): number {
  return Number(numHidden) * (NUM_PIXELS + 1) + NUM_PIXELS;
}

/** About how many seconds the fit takes on a machine with two free processors, pictures and samples included. */
export function expectedSeconds({
  method,
  numHidden,
  rows,
  numEpochs,
  numSteps,
}: Settings): number {
  const { cost, hasChains } = methodOf(method);
  const work = rows * numEpochs * NUM_PIXELS * (Number(numHidden) + 8);
  // Half of the work of contrastive divergence is in the chains.
  return (1e-9 * cost * work * (hasChains ? (1 + numSteps) / 2 : 1)) / 1.3;
}
