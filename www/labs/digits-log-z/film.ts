import { KeptSteps, type Step } from '../../frame/kept-steps.js';
import { NUM_PIXELS } from '../../lib/digits.js';

/** Chains that are shown, each a row of pictures. */
export const NUM_SHOWN = 3;

/** Where chains are seen: what the columns show. */
export const COLUMNS = Array.from({ length: 10 }, (_, n) => (2 * n + 1) / 20);
/** Stages of a run, at whose ends the engine tells where chains are: the columns and what lies half-way between. */
export const NUM_STAGES = 20;

/** The chains at one moment of their way from the reference to the machine. */
export interface Frame extends Step {
  beta: number;
  /** Pixels of ink, the mean over all chains. */
  ink: number;
  /** The pixels of the first chains, `[shown, pixels]`. */
  states: Uint8Array;
}

/** The frame of `[chains, pixels]` states. */
export function frameOf(step: number, beta: number, states: Float64Array): Frame {
  const ink = states.reduce((sum, pixel) => sum + pixel, 0) / (states.length / NUM_PIXELS);
  return { step, beta, ink, states: Uint8Array.from(states.subarray(0, NUM_SHOWN * NUM_PIXELS)) };
}

export function newFilm(): KeptSteps<Frame> {
  return new KeptSteps<Frame>(({ states }) => states.byteLength);
}

/** The frame nearest to each column; none where chains have not come as far. */
export function inColumns(frames: readonly Frame[]): (Frame | undefined)[] {
  const last = frames.at(-1)?.beta ?? 0;
  return COLUMNS.map((beta) => {
    if (beta > last + 1e-9) return undefined;
    const off = (frame: Frame) => Math.abs(frame.beta - beta);
    return frames.reduce((best, frame) => (off(frame) < off(best) ? frame : best));
  });
}
