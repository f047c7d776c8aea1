import type { Engine, FitSpec } from 'unnorm';
import type { Point } from '../../lib/badly-scaled-gaussian.js';
import type { Settings } from './settings.js';

/** The energy of N(x; Aθ, I), with θ₁ and θ₂ as a and b. */
const EXPRESSION = '((x - 3*a - b/3)^2 + (y - a/3)^2)/2';

/** Rows of mean 0 and covariance I, so that the covariance of ∂E/∂θ over them is the Fisher information. */
export const STATES = [1, 1, 1, -1, -1, 1, -1, -1];

/**
 * A descent by the package. Score matching of this energy is its negative log likelihood but for a constant; minibatches
 * of all rows make its steps those of gradient descent.
 */
export function specOf(
  { theta1, theta2, steepest, natural }: Settings,
  name: 'steepest' | 'natural',
  numSteps: number,
): FitSpec {
  return {
    model: { kind: 'formula', expression: EXPRESSION, params: { a: theta1, b: theta2 } },
    states: STATES,
    objective: { kind: 'scoreMatching' },
    optimizer: {
      kind: 'sgd',
      learningRate: name === 'natural' ? natural : steepest,
      batchSize: STATES.length / 2,
      numEpochs: numSteps,
      coordinates:
        name === 'natural'
          ? {
              kind: 'metric',
              metric: 'energyCovariance',
              form: 'full',
              damping: { kind: 'ridge', strength: 1e-13 },
            }
          : { kind: 'params' },
    },
    seed: 1,
  };
}

/** Where a descent by the package is after so many steps. */
export async function endOf(
  engine: Engine,
  settings: Settings,
  name: 'steepest' | 'natural',
  numSteps: number,
): Promise<{ theta: Point; digest: string }> {
  const { model, digest } = await engine.fit(specOf(settings, name, numSteps));
  if (model.kind !== 'formula') throw new Error('A fit gives a model of the kind it was given.');
  const { a, b } = model.params ?? {};
  return { theta: [Number(a), Number(b)], digest };
}
