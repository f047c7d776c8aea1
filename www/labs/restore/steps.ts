import type { ExactSpec, SampleSpec } from 'unnorm';
import type { IsingModel, Seen } from './posterior.js';

/** The jobs that restore a picture, one after another. */

/** Chains whose draws the posterior mean is of, each with its own random numbers. */
export const NUM_CHAINS = 20;

/** Widest picture whose log Z is known by elimination, within seconds. */
const CHECKED_SIDE = 16;
/** Pixels that are checked. */
const NUM_CHECKED = 6;

export function checkedSites(side: number): number[] {
  if (side > CHECKED_SIDE) return [];
  return Array.from({ length: NUM_CHECKED }, (_, n) => (37 * n + 5) % side ** 2);
}

/** What is done in turn; a number is a pixel that is checked. */
export type Step = 'descent' | 'cut' | 'draws' | 'whole' | number;

export function stepsOf(side: number): Step[] {
  const sites = checkedSites(side);
  return ['descent', 'cut', 'draws', ...(sites.length > 0 ? ['whole' as const, ...sites] : [])];
}

/** About how long a step takes, in seconds of some machine: for the progress of the whole. */
export function secondsOf(step: Step, dim: number, numDraws: number): number {
  const size = dim / 4096;
  switch (step) {
    case 'descent':
      return 0.8 * size ** 2;
    case 'cut':
      return 0.2 * size;
    case 'draws':
      return 0.002 * size * (200 + 2 * numDraws);
    default:
      return 0.33;
  }
}

/** Descent: each pixel in turn takes its more probable value given all others, from what is seen until nothing changes. */
export function descentSpec(model: IsingModel, { bits }: Seen, seed: number) {
  // The rows are moved out of a spec once it is read.
  const cues = { kind: 'bits', dim: model.dim, numRows: 1, bits: bits.slice() } as const;
  return { model, cues, seed };
}

/** Draws of the posterior, every other sweep. */
export function drawsSpec(
  model: IsingModel,
  numDraws: number,
  seed: number,
): SampleSpec & { model: IsingModel } {
  return { model, ...drawsWithoutModel(numDraws, seed) };
}

export function drawsWithoutModel(numDraws: number, seed: number): Omit<SampleSpec, 'model'> {
  return {
    transition: { kind: 'gibbs' },
    numChains: NUM_CHAINS,
    numWarmup: 200,
    numDraws,
    numStepsPerDraw: 2,
    moments: false,
    energies: true,
    seed,
  };
}

/** log Z, or log Z with a pixel held at ink: p(x_i = 1) is the exponential of their difference. */
export function exactSpec(model: IsingModel, site: number | undefined): ExactSpec {
  return site === undefined ? { model } : { model, observed: { sites: [site], values: [1] } };
}
