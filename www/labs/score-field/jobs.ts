import type { Engine, FitSpec, ModelSpec, SampleSpec, TransitionSpec } from 'unnorm';
import { noisy, SHAPES } from '../../lib/plane-mixtures.js';
import type { Network } from './field.js';
import { BRUSH, type SetId, type Settings, WINDOW } from './settings.js';

/** Rows a minibatch. */
const BATCH = 100;
/** Chains of persistent contrastive divergence, their steps an update, and how often one starts anew. */
const PERSISTENT = { numChains: 200, numSteps: 10, restartProbability: 0.05 };
/** Of Adam, from the first update of a level to the last. */
const LEARNING_RATE = { start: 0.03, end: 0.002 };
/** Width of the bowl that the network begins with: the data fit in. */
const BOWL = 2;

/** The shape of a data set; undefined where too little is drawn. */
export function shapeOf(
  settings: Settings,
  set: SetId,
): { means: number[]; sd: number } | undefined {
  const chosen = settings[set];
  if (chosen === 'none') return undefined;
  if (chosen !== 'drawn') return SHAPES[chosen];
  const means = [...(set === 'a' ? settings.pointsA : settings.pointsB)];
  return means.length >= 2 ? { means, sd: BRUSH } : undefined;
}

/** Independent exact draws: a chain's step from an exact draw, accepted or rejected, is one too. */
export function dataSpec(settings: Settings, set: SetId): SampleSpec | undefined {
  const shape = shapeOf(settings, set);
  return (
    shape && {
      model: noisy(shape, 0),
      transition: { kind: 'langevin', stepSize: 0.02 },
      numChains: settings.rows,
      numWarmup: 0,
      numDraws: 1,
      start: { kind: 'exact' },
      seed: seedOf(settings, set),
    }
  );
}

export async function drawData(engine: Engine, spec: SampleSpec): Promise<Float64Array> {
  const { draws } = await engine.sample(spec as SampleSpec & { model: { kind: 'mixture' } });
  return draws.values;
}

/** What a fit of one level is asked; `from` is the model of the level before, if there is one. */
export function fitSpec(
  settings: Settings,
  set: SetId,
  noise: number,
  states: Float64Array,
  from: Network | undefined,
): FitSpec & { model: { kind: 'neural' } } {
  const { layers, units } = settings;
  const numHidden = Array.from({ length: layers }, () => units);
  return {
    model: from ?? { kind: 'neural', dim: 2, numHidden, scale: BOWL },
    states,
    objective: objectiveOf(settings, noise),
    optimizer: {
      kind: 'adam',
      batchSize: BATCH,
      numEpochs: epochsOf(settings),
      learningRate: LEARNING_RATE,
    },
    ...(!from && { init: { kind: 'normal', scale: 0.5 } }),
    seed: seedOf(settings, set),
  };
}

function epochsOf({ updates, rows }: Settings): number {
  return Math.max(1, Math.round((updates * BATCH) / rows));
}

/** Updates of a level: whole passes over the data. */
export function updatesOf(settings: Settings): number {
  return epochsOf(settings) * Math.ceil(settings.rows / BATCH);
}

function objectiveOf(
  { method, layers }: Settings,
  noise: number,
): NonNullable<FitSpec['objective']> {
  switch (method) {
    case 'denoising':
      return { kind: 'denoisingScoreMatching', noise };
    case 'scoreMatching':
      // Through two layers the trace of second derivatives is dear; one random direction a row serves.
      return layers === 1 ? { kind: 'scoreMatching' } : { kind: 'scoreMatching', numSlices: 1 };
    case 'persistent':
      return {
        kind: 'persistentContrastiveDivergence',
        ...PERSISTENT,
        transition: { kind: 'langevin', stepSize: 0.1 },
      };
  }
}

/** Langevin moves at a level: as long as its noise allows; where there is none, as the least noise would, and adjusted. */
export function transitionOf({ step, least }: Settings, noise: number): TransitionSpec {
  const stepSize = Number((step * (noise || least)).toPrecision(6));
  return { kind: 'langevin', adjusted: noise === 0, stepSize };
}

/** What the particles do at one level: they go on from where they were. */
export function flowSpec(
  settings: Settings,
  model: ModelSpec,
  noise: number,
  level: number,
  states: Float64Array,
): SampleSpec {
  return {
    model,
    transition: transitionOf(settings, noise),
    numChains: settings.particles,
    numWarmup: 0,
    // Where there is but one level, its chains go as far as those of all levels would.
    numDraws: noise === 0 ? settings.steps * settings.levels : settings.steps,
    start: { kind: 'states', states },
    seed: settings.seed + level,
  };
}

/** Points that fill the window evenly (Roberts 2018): where particles start. */
export function evenly(count: number): Float64Array {
  const { reach } = WINDOW;
  return Float64Array.from({ length: 2 * count }, (_, at) => {
    const share = 0.5 + Math.floor(at / 2) * (at % 2 === 0 ? 0.7548776662 : 0.5698402909);
    return Number((reach * (2 * (share % 1) - 1)).toFixed(6));
  });
}

function seedOf({ seed }: Settings, set: SetId): number {
  return set === 'a' ? seed : seed + 1;
}
