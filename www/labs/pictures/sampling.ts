import type { Engine, ModelSpec, SampleSpec } from 'unnorm';

/** Samples on the page, and chains that make them. */
export const NUM_SAMPLES = 40;
/** Steps the chains make with each model they get while the fit goes on. */
const STEPS_ON_THE_WAY = 20;
/** Steps of fresh chains at the final model, where it cannot be drawn from exactly. */
export const FINAL_STEPS = 500;

/** Samples of the model of the moment. */
export interface Samples {
  /** [samples, components]. */
  values: Float64Array;
  /** Steps of Hamiltonian Monte Carlo, or of block Gibbs sampling, since the chains were started; 0 where they are exact draws. */
  numSteps: number;
}

type SamplingSpec = Omit<SampleSpec, 'model'>;

/** How chains move at a model of this kind. */
const transitionOf = (kind: ModelSpec['kind']) =>
  ({ kind: kind === 'gaussianRbm' ? 'blockGibbs' : 'hmc' }) as const;

/** The job that samples the final model, which is of this kind, without the model. */
export function finalSampling(
  kind: ModelSpec['kind'],
  complete: boolean,
  seed: number,
): SamplingSpec {
  const common = { numChains: NUM_SAMPLES, numDraws: 1, seed };
  if (complete) {
    // A step from an exact draw is an exact draw, however short.
    const transition = { kind: 'hmc', numLeapfrogSteps: 1, stepSize: 0.05 } as const;
    return { ...common, transition, numWarmup: 0, start: { kind: 'exact' } };
  }
  return { ...common, transition: transitionOf(kind), numWarmup: FINAL_STEPS };
}

/** Moves the chains on a little at the model of the moment; without chains yet, starts them. */
export async function moveOn(
  model: ModelSpec,
  before: Samples | undefined,
  seed: number,
  engine: Engine,
  signal: AbortSignal,
): Promise<Samples> {
  const numSteps = (before?.numSteps ?? 0) + STEPS_ON_THE_WAY;
  return {
    values: await draw(
      model,
      {
        transition: transitionOf(model.kind),
        numChains: NUM_SAMPLES,
        numWarmup: STEPS_ON_THE_WAY,
        numDraws: 1,
        start: before ? { kind: 'states', states: before.values } : { kind: 'random' },
        // Other random numbers every time.
        seed: seed + numSteps,
      },
      engine,
      signal,
    ),
    numSteps,
  };
}

/** Samples the final model. */
export async function sampleFinal(
  model: ModelSpec,
  complete: boolean,
  seed: number,
  engine: Engine,
  signal: AbortSignal,
): Promise<Samples> {
  const values = await draw(model, finalSampling(model.kind, complete, seed), engine, signal);
  return { values, numSteps: complete ? 0 : FINAL_STEPS };
}

async function draw(
  model: ModelSpec,
  spec: SamplingSpec,
  engine: Engine,
  signal: AbortSignal,
): Promise<Float64Array> {
  const asModel = model as ModelSpec & { kind: 'ica' };
  const { draws } = await engine.sample({ model: asModel, ...spec }, { signal });
  return draws.values;
}
