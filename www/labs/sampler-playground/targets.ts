import type { ModelSpec } from 'unnorm';

/** The part of the plane that the pictures show: a square. */
export interface Window {
  centre: readonly [number, number];
  /** Half its side. */
  reach: number;
}

/** A density on the plane with one parameter to play with. */
export interface Target {
  name: string;
  /** The parameter: its name, its range and its usual value. */
  shape: { name: string; min: number; max: number; step: number; initial: number; hint: string };
  window: (shape: number) => Window;
  model: (shape: number) => ModelSpec;
  /** Step sizes to begin with: of the leapfrog, and of Metropolis's random walk. */
  steps: { leapfrog: number; walk: number };
  /** What is hard about it. */
  about: string;
}

export const TARGET_IDS = [
  'ring',
  'gaussian',
  'mixture',
  'banana',
  'funnel',
  'doubleWell',
  'formula',
] as const;
export type TargetId = (typeof TARGET_IDS)[number];

export const TARGETS: Record<Exclude<TargetId, 'formula'>, Target> = {
  ring: {
    name: 'Ring',
    shape: {
      name: 'Sharpness',
      min: 10,
      max: 400,
      step: 10,
      initial: 100,
      hint: 'The larger, the thinner the ring.',
    },
    window: () => ({ centre: [0, 0], reach: 1.7 }),
    model: (sharpness) => ({ kind: 'ring', sharpness }),
    steps: { leapfrog: 0.07, walk: 0.15 },
    about: 'A thin ring: short steps hold it, long ones leave it.',
  },
  gaussian: {
    name: 'Gaussian',
    shape: {
      name: 'Correlation',
      min: -0.99,
      max: 0.99,
      step: 0.01,
      initial: 0.9,
      hint: 'Between x and y.',
    },
    window: () => ({ centre: [0, 0], reach: 3.6 }),
    model: (correlation) => ({
      kind: 'gaussian',
      dim: 2,
      covariance: [1, correlation, correlation, 1],
    }),
    steps: { leapfrog: 0.3, walk: 0.6 },
    about: 'A narrow ridge at an angle to both axes.',
  },
  mixture: {
    name: 'Mixture',
    shape: {
      name: 'Distance',
      min: 1,
      max: 8,
      step: 0.1,
      initial: 4,
      hint: 'Between the means, along either axis.',
    },
    window: (distance) => ({ centre: [0, 0], reach: 0.5 * distance + 3.5 }),
    model: (distance) => ({
      kind: 'mixture',
      dim: 2,
      weights: [2, 1],
      means: [-0.5 * distance, -0.5 * distance, 0.5 * distance, 0.5 * distance],
      covariances: [0.5],
    }),
    steps: { leapfrog: 0.3, walk: 1 },
    about: 'Two hills of weights 2 and 1 with a valley between them: chains stay where they are.',
  },
  banana: {
    name: 'Banana',
    shape: {
      name: 'Thinness',
      min: 0.5,
      max: 10,
      step: 0.5,
      initial: 2,
      hint: 'b of a(x − μ)² + b(y − x²)².',
    },
    window: () => ({ centre: [0, 3], reach: 5 }),
    model: (b) => ({ kind: 'banana', dim: 2, mean: 0, a: 0.5, b }),
    steps: { leapfrog: 0.12, walk: 0.4 },
    about: 'Rosenbrock’s bent valley: no one direction fits it.',
  },
  funnel: {
    name: 'Funnel',
    shape: {
      name: 'Scale',
      min: 0.5,
      max: 3,
      step: 0.1,
      initial: 1.2,
      hint: 'Standard deviation of x, the logarithm of the variance of y.',
    },
    window: (scale) => ({ centre: [0, 0], reach: Math.max(4, 4 * scale) }),
    model: (scale) => ({ kind: 'funnel', dim: 2, scale }),
    steps: { leapfrog: 0.25, walk: 1 },
    about: 'Neal’s funnel: its neck wants short steps, its mouth long ones.',
  },
  doubleWell: {
    name: 'Double well',
    shape: {
      name: 'Barrier',
      min: 1,
      max: 12,
      step: 0.5,
      initial: 4,
      hint: 'Between the wells, in nats.',
    },
    window: () => ({ centre: [0, 0], reach: 3.5 }),
    model: (barrier) => ({ kind: 'doubleWell', dim: 2, barrier, minimum: 1.5 }),
    steps: { leapfrog: 0.25, walk: 0.8 },
    about: 'Two wells with a barrier between them that chains have to cross.',
  },
};

/** Names of the targets, for the list to choose from. */
export const TARGET_NAMES: Record<TargetId, string> = {
  ...(Object.fromEntries(Object.entries(TARGETS).map(([id, { name }]) => [id, name])) as Record<
    keyof typeof TARGETS,
    string
  >),
  formula: 'Your formula',
};

/** The formula that is there before a visitor writes one. */
export const FORMULA = '0.5*(x^2 + y^2 - 4)^2 + cos(3*x)';

export const FORMULA_STEPS = { leapfrog: 0.1, walk: 0.4 };
