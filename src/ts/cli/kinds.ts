/**
 * What the command needs to know of each kind of model: how many columns its data have, its default
 * transition, and the shapes of its parameters.
 */

import { type Fields, isObject } from '../checks.js';
import type { BinaryKind, ModelKind } from '../types.js';

interface Kind {
  /** The field with the number of columns of the data, from which it is filled in if absent. */
  dimField?: string;
  /** That number if the field is absent. */
  dim?: number;
  /** The same for states if these are not the data: for generative models, the latent variables. */
  latent?: string[];
  transition?: string;
  /** For each parameter that is a matrix, the field with its number of columns. */
  columns: Record<string, string>;
}

const nuts = { transition: 'nuts', columns: {} };
const table = { dimField: 'dim', transition: 'gibbs', columns: { states: 'dim' } };
const machine = { transition: 'blockGibbs', columns: { weights: 'numVisible' } };

/** Kinds of models; `clusteredLowRank` is for `evidence` alone. */
type Known = ModelKind | 'clusteredLowRank';

export const KINDS: Record<Known, Kind> = {
  ising: { dimField: 'dim', transition: 'gibbs', columns: { couplings: 'dim' } },
  rbm: { ...machine, dimField: 'numVisible' },
  semiRestricted: {
    dimField: 'numVisible',
    transition: 'gibbs',
    columns: { weights: 'numVisible', couplings: 'numVisible' },
  },
  marginal: { transition: 'gibbs', columns: {} },
  potts: { transition: 'gibbs', columns: {} },
  categoricalRbm: { transition: 'blockGibbs', columns: {} },
  replicatedSoftmax: {
    dimField: 'numWords',
    transition: 'blockGibbs',
    columns: { weights: 'numWords' },
  },
  dbn: { transition: 'blockGibbs', columns: {} },
  gaussian: { dimField: 'dim', transition: 'nuts', columns: { precision: 'dim' } },
  studentT: { dimField: 'dim', transition: 'nuts', columns: { precision: 'dim' } },
  ring: { ...nuts, dim: 2 },
  mixture: { dimField: 'dim', transition: 'nuts', columns: { means: 'dim' } },
  banana: { ...nuts, dimField: 'dim', dim: 2 },
  funnel: { ...nuts, dimField: 'dim', dim: 10 },
  doubleWell: { ...nuts, dimField: 'dim', dim: 1 },
  productOfExperts: { dimField: 'dim', transition: 'nuts', columns: { filters: 'dim' } },
  ica: { dimField: 'dim', transition: 'nuts', columns: { filters: 'dim' } },
  linearGenerative: {
    dimField: 'numObserved',
    latent: ['numLatent'],
    transition: 'nuts',
    columns: { basis: 'numLatent' },
  },
  bilinearGenerative: {
    dimField: 'numObserved',
    latent: ['numSigned', 'numPositive'],
    transition: 'nuts',
    columns: { basis: 'numCoefficients', theta: 'numSigned', psi: 'numPositive' },
  },
  gaussianRbm: { ...machine, dimField: 'numVisible', transition: 'nuts' },
  mcRbm: {
    dimField: 'dim',
    transition: 'nuts',
    columns: { pooling: 'numCovarianceUnits', filters: 'dim', weights: 'dim' },
  },
  neural: { ...nuts, dimField: 'dim' },
  formula: nuts,
  posterior: nuts,
  combined: nuts,
  custom: { ...nuts, dimField: 'dim' },
  clustering: table,
  lowRank: table,
  clusteredLowRank: table,
  binaryAttributes: table,
};

const BINARY: Record<BinaryKind, true> = {
  ising: true,
  rbm: true,
  semiRestricted: true,
  marginal: true,
  potts: true,
  categoricalRbm: true,
  dbn: true,
};

/** Whether this is a kind of model. */
export function isKind(name: unknown): name is Known {
  return typeof name === 'string' && Object.hasOwn(KINDS, name);
}

/** Whether the states of a model are rows of zeros and ones. */
export function isBinary(model: Fields): boolean {
  const { kind, binary } = model;
  if (kind === 'formula') return binary === true;
  if (kind === 'combined') return partsOf(model).slice(0, 1).some(isBinary);
  return Object.hasOwn(BINARY, kind as string);
}

/** The models of which a model is combined. */
export function partsOf({ kind, parts }: Fields): Fields[] {
  if (kind !== 'combined' || !Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) =>
    isObject(part) && isObject(part['model']) ? [part['model']] : [],
  );
}

/** The transition that a model is usually sampled by. */
export function usualTransition(model: Fields): string | undefined {
  const { kind } = model;
  if (!isKind(kind)) return undefined;
  const isEither = kind === 'formula' || kind === 'combined';
  return isEither && isBinary(model) ? 'gibbs' : KINDS[kind].transition;
}

/** How many columns the data of a model have, or its states if these are not the data. */
export function dimOf(model: Fields, what: 'data' | 'states'): number | undefined {
  const { kind, sizes, variables, prior } = model;
  if (!isKind(kind)) return undefined;
  const { dimField = '', dim, latent } = KINDS[kind];
  const size = (field: string) => {
    const value = model[field];
    return typeof value === 'number' ? value : undefined;
  };
  if (kind === 'dbn') return Array.isArray(sizes) ? Number(sizes[0]) : undefined;
  if (kind === 'marginal') {
    const inner = model['model'];
    const numSites = isObject(inner) ? dimOf(inner, what) : undefined;
    return numSites === undefined ? undefined : numSites - (size('numHidden') ?? Number.NaN);
  }
  if (kind === 'formula') return Array.isArray(variables) ? variables.length : undefined;
  if (kind === 'posterior') return Array.isArray(prior) ? prior.length : undefined;
  if (kind === 'combined') {
    const [first] = partsOf(model);
    return first && dimOf(first, what);
  }
  if (what === 'states' && latent) {
    return latent.reduce((sum, field) => sum + (size(field) ?? Number.NaN), 0);
  }
  return size(dimField) ?? dim;
}

/** The shape of a parameter of a model, given its number of entries. */
export function shapeOf(model: Fields, name: string, length: number): number[] {
  const field = isKind(model['kind']) ? KINDS[model['kind']].columns[name] : undefined;
  const numColumns = field === undefined ? undefined : model[field];
  if (typeof numColumns !== 'number' || numColumns < 1 || length % numColumns !== 0) {
    return [length];
  }
  return [length / numColumns, numColumns];
}
