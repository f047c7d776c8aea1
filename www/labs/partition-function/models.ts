import type { ModelSpec } from 'unnorm';
import { PLANE_TARGETS, type Window } from '../../lib/plane-targets.js';
import { randomFilters, randomRbm, spinGlassCouplings } from '../../lib/random-models.js';
import { LATTICE } from '../../lib/spin-glass.js';

/** What the settings say of the model. */
export interface ModelChoice {
  model: ModelId;
  shape: number;
  size: number;
  modelSeed: number;
  formula: string;
  reach: number;
}

/** A number to play with: its name, its range and its usual value. */
export interface Knob {
  name: string;
  min: number;
  max: number;
  step: number;
  initial: number;
  hint: string;
}

/** A model of the lab. */
export interface LabModel {
  name: string;
  /** What it is, and what makes its Z hard. */
  about: string;
  /** Whether states are made of zeros and ones. */
  isBinary: boolean;
  shape?: Knob;
  /** How large it may be. */
  size?: { name: string; options: readonly number[]; initial: number; hint: string };
  /** Whether its parameters are drawn, by a seed of their own. */
  isRandom?: boolean;
  /** Standard deviation of the normal distribution that annealing usually starts from. */
  referenceSd?: number;
  /** The part of the plane its pictures show, of the first two coordinates. */
  window?: (choice: ModelChoice) => Window;
  /** Zeros and ones from left to right and from top to bottom of the square that shows a state. */
  side?: (choice: ModelChoice) => number;
  /** The number of binary variables or of dimensions. */
  dim: (choice: ModelChoice) => number;
  /** As the engine takes it. `glass` are the couplings of the 10×10 spin glass. */
  spec: (choice: ModelChoice, glass: Float64Array) => ModelSpec;
}

export const MODEL_IDS = [
  'glass',
  'ising',
  'rbm',
  'gaussian',
  'ring',
  'mixture',
  'laplace',
  'studentT',
  'banana',
  'doubleWell',
  'funnel',
  'formula',
] as const;
export type ModelId = (typeof MODEL_IDS)[number];

/** Visible units of the restricted Boltzmann machine, and pixels along a side of their picture. */
const VISIBLE_SIDE = 6;

const DIMENSIONS = [2, 5, 10, 20, 50];

export const MODELS: Record<ModelId, LabModel> = {
  glass: {
    name: 'Spin glass, 10×10',
    about:
      'A hundred spins on a grid, coupled to their neighbours by numbers of either sign: the sum has 2¹⁰⁰ terms, yet on a grid this narrow it can be taken line by line.',
    isBinary: true,
    shape: {
      name: 'Inverse temperature',
      min: 0.1,
      max: 3,
      step: 0.1,
      initial: 1,
      hint: 'Multiplies all energies. The colder, the harder.',
    },
    side: () => LATTICE.numRows,
    dim: () => LATTICE.numRows * LATTICE.numCols,
    spec: ({ shape }, glass) => ({
      kind: 'ising',
      dim: LATTICE.numRows * LATTICE.numCols,
      pattern: { kind: 'lattice', ...LATTICE, periodic: false },
      couplings: glass.map((coupling) => shape * coupling),
    }),
  },
  ising: {
    name: 'Spin glass, all pairs',
    about:
      'Every spin is coupled to every other one at random (Sherrington and Kirkpatrick). Small enough to add up all states.',
    isBinary: true,
    isRandom: true,
    shape: {
      name: 'Coupling',
      min: 0.2,
      max: 6,
      step: 0.2,
      initial: 2,
      hint: 'Standard deviation of the couplings, times the root of the number of spins.',
    },
    size: { name: 'Spins', options: [9, 16], initial: 16, hint: '' },
    side: ({ size }) => Math.sqrt(size),
    dim: ({ size }) => size,
    spec: ({ size, shape, modelSeed }) => ({
      kind: 'ising',
      dim: size,
      couplings: spinGlassCouplings(size, shape, modelSeed),
    }),
  },
  rbm: {
    name: 'RBM, random weights',
    about: `A restricted Boltzmann machine with ${VISIBLE_SIDE ** 2} visible units. With few hidden ones Z is summed over their states; with more than 25 nobody knows it.`,
    isBinary: true,
    isRandom: true,
    shape: {
      name: 'Weights',
      min: 0.1,
      max: 3,
      step: 0.1,
      initial: 1,
      hint: 'Their standard deviation.',
    },
    size: {
      name: 'Hidden units',
      options: [4, 8, 12, 16, 20, 24, 32, 48],
      initial: 16,
      hint: 'Up to 20 there are exact draws, up to 25 an exact Z.',
    },
    side: () => VISIBLE_SIDE,
    dim: () => VISIBLE_SIDE ** 2,
    spec: ({ size, shape, modelSeed }) => ({
      kind: 'rbm',
      numVisible: VISIBLE_SIDE ** 2,
      numHidden: size,
      ...randomRbm(VISIBLE_SIDE ** 2, size, shape, modelSeed),
    }),
  },
  gaussian: onPlane('gaussian', { referenceSd: 1, dimensions: DIMENSIONS }),
  ring: onPlane('ring', { referenceSd: 1 }),
  mixture: onPlane('mixture', { referenceSd: 3 }),
  laplace: productOfExperts('laplace', 'Product of experts, Laplace', 1),
  studentT: productOfExperts('studentT', 'Product of experts, Student’s t', 2.5),
  banana: onPlane('banana', { referenceSd: 2, dimensions: DIMENSIONS }),
  doubleWell: onPlane('doubleWell', { referenceSd: 1.5, dimensions: DIMENSIONS }),
  funnel: onPlane('funnel', { referenceSd: 1.5, dimensions: DIMENSIONS }),
  formula: {
    name: 'Your formula',
    about: 'The energy of any density on the plane. What its Z is, nobody knows.',
    isBinary: false,
    referenceSd: 2,
    window: ({ reach }) => ({ centre: [0, 0], reach }),
    dim: () => 2,
    spec: ({ formula }) => ({ kind: 'formula', expression: formula, variables: ['x', 'y'] }),
  },
};

/** A density of the plane that other labs show too, where it goes on, in more dimensions. */
function onPlane(
  id: keyof typeof PLANE_TARGETS,
  { referenceSd, dimensions }: { referenceSd: number; dimensions?: readonly number[] },
): LabModel {
  const { name, about, shape, window, model } = PLANE_TARGETS[id];
  return {
    name,
    about,
    isBinary: false,
    // One that has to be a covariance in every dimension: not below 0.
    shape: id === 'gaussian' ? { ...shape, min: 0 } : shape,
    referenceSd,
    ...(dimensions && {
      size: { name: 'Dimensions', options: dimensions, initial: 2, hint: '' },
    }),
    window: (choice) => window(choice.shape),
    dim: (choice) => (dimensions ? choice.size : 2),
    spec: (choice) => model(choice.shape, dimensions ? choice.size : 2),
  };
}

function productOfExperts(expert: 'laplace' | 'studentT', name: string, lambda: number): LabModel {
  const numExperts = ({ shape, size }: ModelChoice) => Math.round(shape * size);
  return {
    name,
    about:
      'A product of one-dimensional densities along random directions. With as many as dimensions Z is known, with more nobody knows it.',
    isBinary: false,
    isRandom: true,
    shape: {
      name: 'Experts a dimension',
      min: 1,
      max: 3,
      step: 0.5,
      initial: 1,
      hint: 'Above 1 there is no formula for Z.',
    },
    size: { name: 'Dimensions', options: [2, 8, 18, 36], initial: 8, hint: '' },
    referenceSd: 1,
    window: () => ({ centre: [0, 0], reach: 5 }),
    dim: ({ size }) => size,
    spec: (choice) => ({
      kind: 'productOfExperts',
      dim: choice.size,
      expert,
      numExperts: numExperts(choice),
      filters: randomFilters(numExperts(choice), choice.size, choice.modelSeed),
      lambda: new Array<number>(numExperts(choice)).fill(lambda),
    }),
  };
}

/** Names of the models, for the list to choose from. */
export const MODEL_OPTIONS = MODEL_IDS.map((value) => ({ value, label: MODELS[value].name }));

/** The numbers that suit a model. */
export function usualNumbers(model: ModelId): { shape: number; size: number; referenceSd: number } {
  const { shape, size, referenceSd } = MODELS[model];
  return {
    shape: shape?.initial ?? 1,
    size: size?.initial ?? 2,
    referenceSd: referenceSd ?? 1,
  };
}

/** Whether a number of a link goes with its model. */
export function suits({ model, shape, size }: ModelChoice): { shape: boolean; size: boolean } {
  const { shape: knob, size: sizes } = MODELS[model];
  return {
    shape: !knob || (shape >= knob.min && shape <= knob.max),
    size: !sizes || sizes.options.includes(size),
  };
}
