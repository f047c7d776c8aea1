import type { LatentModelSpec, VariancesSpec } from 'unnorm';
import { choice, integer, real, type ValuesOf } from '../../lib/fields.js';

export const MODELS = ['clustering', 'lowRank', 'binaryAttributes'] as const;
export type ModelId = (typeof MODELS)[number];

/** What a model is called, and the size of its table at first: what two workers race through in some 20 seconds. */
export const MODEL_WORDS: Record<
  ModelId,
  {
    name: string;
    /** As in a sentence. */
    noun: string;
    /** What there are K of. */
    parts: string;
    hint: string;
    sizes: { rows: number; columns: number; k: number; longest: number };
  }
> = {
  clustering: {
    name: 'Clusters',
    noun: 'clusters',
    parts: 'Clusters, K',
    hint: 'Every row belongs to one of K clusters: it is the centre of that one, and noise.',
    sizes: { rows: 50, columns: 25, k: 10, longest: 3000 },
  },
  lowRank: {
    name: 'Low rank',
    noun: 'low rank',
    parts: 'Factors, K',
    hint: 'Every row is a sum of K loadings, each times a normal number of that row, and noise.',
    sizes: { rows: 50, columns: 25, k: 5, longest: 3000 },
  },
  binaryAttributes: {
    name: 'Binary attributes',
    noun: 'binary attributes',
    parts: 'Attributes, K',
    hint: 'Every row has some of K attributes: it is the sum of their features, and noise.',
    sizes: { rows: 40, columns: 20, k: 5, longest: 1000 },
  },
};

/** K of annealing with the most distributions. All other estimators have settings that cost as much. */
export const LONGEST = [100, 300, 1000, 3000, 10_000] as const;

const FIRST = MODEL_WORDS.clustering.sizes;

/** The state of the lab that a link carries. */
export const fields = {
  data: choice('simulated', ['simulated', 'own']),
  model: choice('clustering', MODELS),
  rows: integer(FIRST.rows, 5, 200),
  columns: integer(FIRST.columns, 2, 60),
  k: integer(FIRST.k, 1, 12),
  /** Variance of the signal in a cell of the table; that of the noise is 1. */
  signal: real(1, 0.05, 10),
  trials: integer(10, 2, 50),
  longest: integer(FIRST.longest, 30, 10_000),
  seed: integer(1, 0, 2 ** 53 - 1),
};

export type Settings = ValuesOf<typeof fields>;

/** A model with variances of its features such that the signal in a cell has the one that was asked for. */
export function modelSpec(model: ModelId, settings: Settings, dim: number): LatentModelSpec {
  const { data, k, signal } = settings;
  const variances = (share: number): VariancesSpec =>
    data === 'own' ? { kind: 'sampled' } : { kind: 'fixed', signal: share * signal };
  switch (model) {
    case 'clustering':
      return { kind: 'clustering', dim, numClusters: k, variances: variances(1) };
    case 'lowRank':
      return { kind: 'lowRank', dim, numFactors: k, variances: variances(1 / k) };
    case 'binaryAttributes':
      // An attribute is there half of the time.
      return { kind: 'binaryAttributes', dim, numAttributes: k, variances: variances(2 / k) };
  }
}
