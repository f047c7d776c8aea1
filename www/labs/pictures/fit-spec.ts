import type { FitSpec, ModelSpec } from 'unnorm';
import { noiseFilters } from '../../lib/random-models.js';
import { NOISE } from './models.js';
import { numFilters, type Settings } from './settings.js';

type PictureModel = ModelSpec & { kind: 'ica' | 'productOfExperts' | 'gaussianRbm' };

/** Hidden units are off at first but for one in twenty, or they would all learn the same. */
const HIDDEN_BIAS = -3;

/** Where a fit starts, in plain numbers: filters of noise of about this length, and exponents. */
export function startOf(settings: Settings): { length: number; lambda?: number } {
  const share = numFilters(settings) / settings.components;
  if (settings.model === 'gaussianRbm') return { length: 0.4 };
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
  if (model === 'gaussianRbm') {
    const hiddenBias = new Array<number>(numExperts).fill(HIDDEN_BIAS);
    return { kind: model, numVisible: dim, numHidden: numExperts, hiddenBias };
  }
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
  const { method, patches, iterations, refreshes, steps, epochs, components, seed } = settings;
  const filters = noiseFilters(numFilters(settings), components, noiseScale(settings), seed);
  const start = modelWithoutFilters(settings);
  const model =
    start.kind === 'gaussianRbm' ? { ...start, weights: filters } : { ...start, filters };
  if (method === 'persistentMpf') {
    return {
      model,
      objective: { kind: method, numChains: patches, numSteps: steps, numRefreshes: refreshes },
      seed,
    };
  }
  if (method === 'persistentContrastiveDivergence') {
    return {
      model,
      objective: { kind: method, numChains: 200, numSteps: 1, transition: { kind: 'blockGibbs' } },
      optimizer: {
        kind: 'adam',
        batchSize: 100,
        numEpochs: epochs,
        learningRate: { start: 0.01, end: 0.001 },
      },
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
  const { model, components } = settings;
  const num = numFilters(settings);
  // Of a machine a bias for each unit, and a standard deviation for each pixel.
  const others = { ica: 0, laplace: 0, studentT: num, gaussianRbm: num + 2 * components };
  return num * components + others[model];
}

export function fitSpec(settings: Settings, states: Float64Array) {
  return { ...fitSpecWithoutStates(settings), states };
}
