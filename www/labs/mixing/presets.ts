import type { ChainSpec, KernelSpec, ModelSpec } from 'unnorm';
import { t } from '../../lib/language.js';
import { dumbbell, LECTURE, matrixOf } from '../../lib/small-chains.js';
import type { Layout } from '../../pictures/chain-graph.js';
import type { Settings } from './settings.js';

/** The chain of the settings, as far as it is known before it is computed. */
export interface Chain {
  spec: ChainSpec;
  numStates: number;
  /** What a state is called: a letter, or the bits of its sites. */
  names: readonly string[];
  layout: Layout;
  /** T, row-major, where the spec has it. */
  matrix: readonly number[] | undefined;
}

/** What each preset is called, and what it shows. */
export const PRESETS = {
  lecture: {
    name: t('Three states of a lecture'),
    hint: t('All go to one π, and yet no flow is balanced.'),
  },
  disconnected: {
    name: t('Disconnected'),
    hint: t('Two parts, and no way between them: where it ends depends on where it begins.'),
  },
  flip: { name: t('Periodic: a flip'), hint: t('Two states that take turns for ever.') },
  cycle: { name: t('Periodic: a cycle'), hint: t('Four states, one after another.') },
  dumbbell: { name: t('Bottleneck'), hint: t('Two clusters of four, and a narrow bridge.') },
  ring: {
    name: t('Walk on a ring'),
    hint: t('To either neighbour with probability ¼, and else it stays.'),
  },
  metropolis: { name: t('Metropolis'), hint: t('Made for π in proportion to the weights.') },
  cube: { name: t('Cube'), hint: t('Binary sites without energy: a step draws one of them anew.') },
  ising: { name: t('Ising model'), hint: t('All pairs of sites are coupled.') },
  own: { name: t('Your own matrix'), hint: t('Change the numbers below the pictures.') },
} as const;
export type PresetName = keyof typeof PRESETS;
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

function ringDistance(i: number, j: number, size: number): number {
  const apart = Math.abs(i - j);
  return Math.min(apart, size - apart);
}

/** The probability of the bridge of the dumbbell. */
const BRIDGE = 0.02;

const MATRICES: Partial<Record<PresetName, readonly number[]>> = {
  lecture: LECTURE,
  disconnected: matrixOf(6, (i, j) =>
    Math.floor(i / 3) === Math.floor(j / 3) ? (i === j ? 0.5 : 0.25) : 0,
  ),
  flip: [0, 1, 1, 0],
  cycle: matrixOf(4, (i, j) => Number(j === (i + 1) % 4)),
  dumbbell: dumbbell(BRIDGE),
  ring: matrixOf(8, (i, j) => [0.5, 0.25][ringDistance(i, j, 8)] ?? 0),
};

function kernelOf(move: Settings['move']): KernelSpec {
  switch (move) {
    case 'singleSiteGibbs':
      return { kind: 'singleSite', rule: 'gibbs' };
    case 'singleSiteMetropolis':
      return { kind: 'singleSite', rule: 'metropolis' };
    default:
      return { kind: move };
  }
}

export function chainOf(settings: Settings): Chain {
  const { preset, sites } = settings;
  switch (preset) {
    case 'metropolis':
      return ofWeights(settings);
    case 'cube':
      return ofModel({ kind: 'ising', dim: sites }, kernelOf('singleSiteGibbs'), sites);
    case 'ising': {
      const model: ModelSpec = {
        kind: 'ising',
        dim: sites,
        uniform: { coupling: settings.coupling },
      };
      return ofModel(model, kernelOf(settings.move), sites);
    }
    default:
      return ofMatrix(MATRICES[preset] ?? settings.matrix);
  }
}

function ofMatrix(matrix: readonly number[]): Chain {
  const numStates = Math.sqrt(matrix.length);
  return {
    spec: { transitions: [...matrix] },
    numStates,
    names: letters(numStates),
    layout: { kind: 'ring' },
    matrix,
  };
}

function ofWeights({ weights, proposal }: Settings): Chain {
  const size = weights.length;
  const isProposed = (i: number, j: number) =>
    i !== j && (proposal === 'anywhere' || ringDistance(i, j, size) === 1);
  const numProposed = proposal === 'anywhere' || size < 3 ? size - 1 : 2;
  const spec: ChainSpec = {
    weights: [...weights],
    proposal: matrixOf(size, (i, j) => Number(isProposed(i, j)) / numProposed),
  };
  return {
    spec,
    numStates: size,
    names: letters(size),
    layout: { kind: 'ring' },
    matrix: undefined,
  };
}

function ofModel(model: ModelSpec, transition: KernelSpec, dim: number): Chain {
  const numStates = 2 ** dim;
  // Site i is bit i of a state's number: it is written first.
  const bitsOf = (state: number) =>
    Array.from({ length: dim }, (_, site) => (state >> site) & 1).join('');
  const names = Array.from({ length: numStates }, (_, state) => bitsOf(state));
  return {
    spec: { model, transition },
    numStates,
    names,
    layout: { kind: 'cube', dim },
    matrix: undefined,
  };
}

function letters(size: number): string[] {
  return Array.from({ length: size }, (_, n) => String.fromCharCode(65 + n));
}
