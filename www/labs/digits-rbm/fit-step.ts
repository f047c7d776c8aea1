import type { FitProgress, FitResult } from 'unnorm';
import type { RbmParams } from '../../lib/rbm.js';

/** Where a fit is after so many updates. */
export interface FitStep {
  /** Updates so far. */
  step: number;
  /** Seconds computed so far. */
  seconds: number;
  /** NaN before the first update. */
  objective: number;
  gradNorm: number;
  model: RbmParams;
  /** The samples as they were then, packed. */
  samples: Samples | undefined;
}

/** Chains at the present model. */
export interface Samples {
  /** One row a chain, packed. */
  bits: Uint8Array;
  /** Sweeps of block Gibbs sampling since they were started. */
  numSweeps: number;
}

export function progressAsStep(
  { numEvaluations, objective, gradNorm, model }: FitProgress<'rbm'>,
  seconds: number,
  samples: Samples | undefined,
): FitStep {
  return { step: numEvaluations, seconds, objective, gradNorm, model, samples };
}

export function resultAsStep(
  { numEvaluations, objective, gradNorm, model }: FitResult<'rbm'>,
  seconds: number,
  samples: Samples | undefined,
): FitStep {
  return { step: numEvaluations, seconds, objective, gradNorm, model, samples };
}

/** The step in half the memory, enough for pictures. */
export function forKeeping(step: FitStep): FitStep {
  const { weights, visibleBias, hiddenBias } = step.model;
  return {
    ...step,
    model: {
      weights: Float32Array.from(weights),
      visibleBias: Float32Array.from(visibleBias),
      hiddenBias: Float32Array.from(hiddenBias),
    },
  };
}

/** About the bytes a kept step takes. */
export function sizeOf({ model, samples }: FitStep): number {
  return model.weights.byteLength + (samples?.bits.length ?? 0);
}
