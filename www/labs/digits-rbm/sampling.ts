import type { Engine, SampleSpec } from 'unnorm';
import { type Digits, NUM_PIXELS } from '../../lib/digits.js';
import { bytesPerRow, firstRows } from '../../lib/packed-rows.js';
import type { RbmParams } from '../../lib/rbm.js';
import type { Samples } from './fit-step.js';
import type { Settings } from './settings.js';

/** Chains, each with one picture. */
export const NUM_CHAINS = 40;
/** Sweeps the chains make with each model they get while the fit goes on. */
const SWEEPS_ON_THE_WAY = 10;
/** Afterwards fresh chains make this many at the final model. */
export const FINAL_SWEEPS = 1000;
const SWEEPS_PER_PICTURE = 20;

type RbmSampleSpec = SampleSpec & { model: { kind: 'rbm' } };

export function asSpec({ weights, visibleBias, hiddenBias }: RbmParams): RbmSampleSpec['model'] {
  return {
    kind: 'rbm',
    numVisible: visibleBias.length,
    numHidden: hiddenBias.length,
    weights: Float64Array.from(weights),
    visibleBias: Float64Array.from(visibleBias),
    hiddenBias: Float64Array.from(hiddenBias),
  };
}

/** The job that samples the final model, without the model and, where it starts from digits, without them. */
export function finalSampling(settings: Settings): Omit<RbmSampleSpec, 'model' | 'start'> {
  return {
    transition: { kind: 'blockGibbs' },
    numChains: NUM_CHAINS,
    numWarmup: 0,
    numDraws: FINAL_SWEEPS / SWEEPS_PER_PICTURE,
    numStepsPerDraw: SWEEPS_PER_PICTURE,
    seed: settings.seed,
  };
}

function startOf(settings: Settings, digits: Digits): NonNullable<SampleSpec['start']> {
  if (settings.start === 'noise') return { kind: 'random' };
  return { kind: 'data', data: { kind: 'bits', ...firstRows(digits.heldOut, NUM_CHAINS) } };
}

/** Moves the chains on a little at the model of the moment; without chains yet, starts them. */
export async function moveOn(
  model: RbmParams,
  before: Samples | undefined,
  settings: Settings,
  digits: Digits,
  engine: Engine,
  signal: AbortSignal,
): Promise<Samples> {
  const numSweeps = (before?.numSweeps ?? 0) + SWEEPS_ON_THE_WAY;
  const rows = before && { dim: NUM_PIXELS, numRows: NUM_CHAINS, bits: before.bits };
  const { draws } = await engine.sample(
    {
      model: asSpec(model),
      transition: { kind: 'blockGibbs' },
      numChains: NUM_CHAINS,
      numWarmup: 0,
      numDraws: 1,
      numStepsPerDraw: SWEEPS_ON_THE_WAY,
      start: rows ? { kind: 'data', data: { kind: 'bits', ...rows } } : startOf(settings, digits),
      // Other random numbers every time.
      seed: (settings.seed + numSweeps) % Number.MAX_SAFE_INTEGER,
    },
    { signal },
  );
  return { bits: draws.bits, numSweeps };
}

/** Samples the final model with fresh chains; `show` sees them on their way. */
export async function sampleFinal(
  model: RbmParams,
  settings: Settings,
  digits: Digits,
  engine: Engine,
  signal: AbortSignal,
  show: (samples: Samples) => void,
  leastInterval: number,
): Promise<void> {
  const width = NUM_CHAINS * bytesPerRow(NUM_PIXELS);
  const { draws } = await engine.sample(
    { model: asSpec(model), ...finalSampling(settings), start: startOf(settings, digits) },
    {
      signal,
      streamDraws: true,
      progressInterval: leastInterval,
      onProgress: ({ newDraws }) => {
        if (signal.aborted || !newDraws?.bits || newDraws.numDraws === 0) return;
        show({
          bits: newDraws.bits.slice(-width),
          numSweeps: (newDraws.firstDraw + newDraws.numDraws) * SWEEPS_PER_PICTURE,
        });
      },
    },
  );
  show({ bits: draws.bits.slice(-width), numSweeps: FINAL_SWEEPS });
}
