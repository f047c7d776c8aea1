import type { ModelSpec } from 'unnorm';

/** A square part of the plane, as the pictures show it. */
export interface Window {
  centre: readonly [number, number];
  /** Half its side. */
  reach: number;
}

/** A density on the plane with one parameter to play with. */
export interface PlaneTarget {
  name: string;
  /** The parameter: its name, its range and its usual value. */
  shape: { name: string; min: number; max: number; step: number; initial: number; hint: string };
  window: (shape: number) => Window;
  /** Some go on in more dimensions than two, 2 if absent; the others have two whatever is asked. */
  model: (shape: number, dim?: number) => ModelSpec;
  /** What is hard about it. */
  about: string;
}

export const PLANE_TARGETS = {
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
    model: (correlation, dim = 2) => ({
      kind: 'gaussian',
      dim,
      covariance: Array.from({ length: dim * dim }, (_, n) =>
        n % (dim + 1) === 0 ? 1 : correlation,
      ),
    }),
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
    model: (b, dim = 2) => ({ kind: 'banana', dim, mean: 0, a: 0.5, b }),
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
    model: (scale, dim = 2) => ({ kind: 'funnel', dim, scale }),
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
    model: (barrier, dim = 2) => ({ kind: 'doubleWell', dim, barrier, minimum: 1.5 }),
    about: 'Two wells with a barrier between them that chains have to cross.',
  },
} satisfies Record<string, PlaneTarget>;

/** The formula that is there before a visitor writes one. */
export const FORMULA = '0.5*(x^2 + y^2 - 4)^2 + cos(3*x)';
