import type { FitProgress, FitResult, IsingSpec } from 'unnorm';
import { type CouplingErrors, couplingErrors } from '../../lib/coupling-errors.js';

/** Where a fit is after so many evaluations. */
export interface FitStep<M extends Float32Array | Float64Array = Float32Array | Float64Array> {
  /** Evaluations of the objective so far. */
  step: number;
  /** Steps of L-BFGS so far. */
  iteration: number;
  /** Seconds computed so far. */
  seconds: number;
  objective: number;
  gradNorm: number;
  /** J, row-major [dim, dim]. */
  couplings: M;
  /** Against the true couplings, where they are known. */
  errors: CouplingErrors | undefined;
}

export function progressAsStep(
  progress: FitProgress<'ising'>,
  seconds: number,
  truth: Float64Array | undefined,
): FitStep<Float64Array> {
  const { numEvaluations, iteration, objective, gradNorm, model } = progress;
  return {
    step: numEvaluations,
    iteration,
    seconds,
    objective,
    gradNorm,
    ...measured(model, truth),
  };
}

export function resultAsStep(
  result: FitResult<'ising'>,
  seconds: number,
  truth: Float64Array | undefined,
): FitStep<Float64Array> {
  const { numEvaluations, numIterations, objective, gradNorm, model } = result;
  return {
    step: numEvaluations,
    iteration: numIterations,
    seconds,
    objective,
    gradNorm,
    ...measured(model, truth),
  };
}

function measured({ couplings: given = [] }: IsingSpec, truth: Float64Array | undefined) {
  const couplings = given instanceof Float64Array ? given : Float64Array.from(given);
  const comparable = truth?.length === couplings.length;
  return { couplings, errors: comparable ? couplingErrors(couplings, truth) : undefined };
}
