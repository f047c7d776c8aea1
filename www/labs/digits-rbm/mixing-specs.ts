import type { SampleSpec } from 'unnorm';
import { type Digits, logOdds, NUM_PIXELS } from '../../lib/digits.js';
import { bytesPerRow, firstRows } from '../../lib/packed-rows.js';
import type { Settings } from './settings.js';

/** The two jobs that ask whether chains of the machine mix: with the same work, alone and on ladders. */

/** Chains alone, and ladders. */
export const NUM_LADDERS = 4;
/** Draws of each. */
export const NUM_MIXED = 100;
/** Steps of a ladder from one draw to the next. */
const LADDER_STEPS = 10;
const LADDER_WARMUP = 128;
/** The digit at which all chains begin. */
export const FIRST_DIGIT = 1;

type Rest = Omit<SampleSpec, 'model' | 'start'>;

/** Block Gibbs sampling alone: as many sweeps as a ladder makes on all rungs but the lowest, which is drawn. */
export function aloneSpec({ rungs, seed }: Settings): Rest {
  return {
    transition: { kind: 'blockGibbs' },
    numChains: NUM_LADDERS,
    numWarmup: LADDER_WARMUP * (rungs - 1),
    numDraws: NUM_MIXED,
    numStepsPerDraw: LADDER_STEPS * (rungs - 1),
    moments: false,
    seed,
  };
}

/** Parallel tempering, from independent pixels that have ink as often as those of the digits learned from. */
export function ladderSpec({ rungs, rows, seed }: Settings, digits: Digits): Rest {
  return {
    transition: {
      kind: 'parallelTempering',
      numRungs: rungs,
      logOdds: logOdds(firstRows(digits.training, rows)),
      transition: { kind: 'blockGibbs' },
    },
    numChains: NUM_LADDERS,
    numWarmup: LADDER_WARMUP,
    numDraws: NUM_MIXED,
    numStepsPerDraw: LADDER_STEPS,
    moments: false,
    recordPath: true,
    seed,
  };
}

/** All chains begin at the first held-out digit of one kind. */
export function startOf({ heldOut, heldOutLabels }: Digits): NonNullable<SampleSpec['start']> {
  const width = bytesPerRow(NUM_PIXELS);
  const row = heldOutLabels.indexOf(FIRST_DIGIT);
  const digit = heldOut.bits.subarray(row * width, (row + 1) * width);
  const bits = new Uint8Array(NUM_LADDERS * width);
  for (let chain = 0; chain < NUM_LADDERS; chain++) bits.set(digit, chain * width);
  return { kind: 'data', data: { kind: 'bits', dim: NUM_PIXELS, numRows: NUM_LADDERS, bits } };
}
