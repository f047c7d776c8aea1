import type { FitProgress, FitResult } from 'unnorm';

type Kind = 'ica' | 'productOfExperts' | 'gaussianRbm';
export type Progress = FitProgress<Kind>;
export type Result = FitResult<Kind>;
export type Learned = Result['model'];

/** Where a fit is after so many evaluations. */
export interface FitStep {
  /** Evaluations of the objective so far. */
  step: number;
  /** Steps of L-BFGS, refreshes or updates so far. */
  iteration: number;
  /** Seconds computed so far. */
  seconds: number;
  /** NaN before the first evaluation. */
  objective: number;
  gradNorm: number;
  /** Row-major [filters, components]. */
  filters: Float64Array | Float32Array;
  /** Exponents or factors of experts; none with ICA. */
  lambda: Float64Array | Float32Array | undefined;
  /** Where chains at the model were then, [chains, components]. */
  samples: Float64Array | Float32Array | undefined;
}

export function progressAsStep(
  { numEvaluations, iteration, objective, gradNorm, model }: Progress,
  seconds: number,
  samples: Float64Array | undefined,
): FitStep {
  return {
    step: numEvaluations,
    iteration,
    seconds,
    objective,
    gradNorm,
    ...paramsOf(model),
    samples,
  };
}

export function resultAsStep(
  { numEvaluations, numIterations, objective, gradNorm, model }: Result,
  seconds: number,
): FitStep {
  return {
    step: numEvaluations,
    iteration: numIterations,
    seconds,
    objective,
    gradNorm,
    ...paramsOf(model),
    samples: undefined,
  };
}

function paramsOf(model: Learned) {
  if (model.kind === 'gaussianRbm') return { filters: model.weights, lambda: undefined };
  return { filters: model.filters, lambda: model.kind === 'ica' ? undefined : model.lambda };
}

/** The step in half the memory, enough for pictures. */
export function forKeeping(step: FitStep): FitStep {
  return {
    ...step,
    filters: Float32Array.from(step.filters),
    lambda: step.lambda && Float32Array.from(step.lambda),
    samples: step.samples && Float32Array.from(step.samples),
  };
}

/** About the bytes a kept step takes. */
export function sizeOf({ filters, samples }: FitStep): number {
  return filters.byteLength + (samples?.byteLength ?? 0);
}
