import type { Engine, LogZSpec, ModelSpec } from 'unnorm';
import { meanLogLikelihood } from '../../lib/independent-experts.js';
import type { Learned } from './fit-step.js';

/** Chains of the estimate of log Z where it is not known, and distributions on their way from a normal one. */
const ANNEALING = { numChains: 200, numDistributions: 1000 } as const;

/** A number with its standard error; 0 where it is exact. */
export interface Known {
  value: number;
  error: number;
}

/** The job that estimates log Z, without the model and the patches. */
export function annealing(seed: number): Omit<LogZSpec, 'model' | 'states'> {
  return { ...ANNEALING, seed };
}

/** The mean log likelihood of states with the error of the estimate of log Z. */
export async function estimatedLogLikelihood(
  model: ModelSpec,
  states: Float64Array,
  seed: number,
  engine: Engine,
  signal: AbortSignal,
  onFraction: (fraction: number) => void,
): Promise<{ likelihood: Known; warnings: string[] }> {
  const { likelihood, warnings } = await engine.logZ(
    { model, states, ...annealing(seed) },
    { signal, progressInterval: 200, onProgress: ({ fraction }) => onFraction(fraction) },
  );
  if (!likelihood) throw new Error('The engine gave no likelihood.');
  return {
    likelihood: { value: likelihood.mean.value, error: likelihood.mean.standardError },
    warnings,
  };
}

/** The same as the exact one, by this page’s own program. */
export function ownLogLikelihood(
  model: Exclude<Learned, { kind: 'gaussianRbm' }>,
  states: Float64Array,
): number {
  const dim = model.dim;
  const [expert, lambda] =
    model.kind === 'ica'
      ? (['laplace', new Float64Array(dim).fill(1)] as const)
      : ([model.expert, model.lambda] as const);
  return meanLogLikelihood(expert, model.filters, lambda, states);
}
