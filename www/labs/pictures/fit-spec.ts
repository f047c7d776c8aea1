import type { FitSpec, ModelSpec } from 'unnorm';
import { noiseFilters } from '../../lib/random-models.js';
import { NOISE } from './models.js';
import { numFilters, type Settings } from './settings.js';

type PictureModel = ModelSpec & { kind: 'ica' | 'productOfExperts' };

/** Where a fit starts, in plain numbers: filters of noise of about this length, and exponents. */
export function startOf(settings: Settings): { length: number; lambda?: number } {
  const share = numFilters(settings) / settings.components;
  // Whitened patches have variance 1 in all directions: so have, about, such experts, whatever their number.
  if (settings.model === 'studentT') return { length: 1, lambda: 2 / share };
  return { length: 1.25 / share };
}

/** The standard deviation of each entry of a filter at the start. */
export function noiseScale(settings: Settings): number {
  const { length } = startOf(settings);
  return Number((length / Math.sqrt(settings.components)).toPrecision(4));
}

/** The model where the fit starts, without its filters. */
export function modelWithoutFilters(settings: Settings): PictureModel {
  const { model, components: dim } = settings;
  if (model === 'ica') return { kind: 'ica', dim };
  const numExperts = numFilters(settings);
  const { lambda } = startOf(settings);
  return {
    kind: 'productOfExperts',
    expert: model,
    dim,
    numExperts,
    ...(lambda !== undefined && { lambda: new Array<number>(numExperts).fill(lambda) }),
  };
}

/** The job but for the patches: it starts from noise. */
export function fitSpecWithoutStates(settings: Settings): Omit<FitSpec, 'states'> & {
  model: PictureModel;
} {
  const { method, patches, iterations, refreshes, steps, components, seed } = settings;
  const filters = noiseFilters(numFilters(settings), components, noiseScale(settings), seed);
  const model = { ...modelWithoutFilters(settings), filters };
  if (method === 'persistentMpf') {
    return {
      model,
      objective: { kind: method, numChains: patches, numSteps: steps, numRefreshes: refreshes },
      seed,
    };
  }
  return {
    model,
    objective:
      method === 'denoisingScoreMatching'
        ? { kind: method, noise: NOISE, numSamples: 1 }
        : { kind: method },
    optimizer: { kind: 'lbfgs', maxIterations: iterations },
    seed,
  };
}

/** Numbers that are learned. */
export function numParams(settings: Settings): number {
  const num = numFilters(settings);
  return num * settings.components + (settings.model === 'studentT' ? num : 0);
}

export function fitSpec(settings: Settings, states: Float64Array) {
  return { ...fitSpecWithoutStates(settings), states };
}
