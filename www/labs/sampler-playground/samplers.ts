import type { MomentumFlips, TransitionSpec } from 'unnorm';
import type { Field } from '../../lib/fields.js';

export const SAMPLER_NAMES = {
  hmc: 'HMC',
  nuts: 'NUTS',
  mala: 'Langevin, adjusted',
  ula: 'Langevin, unadjusted',
  metropolis: 'Metropolis',
  slice: 'Slice sampling',
  tempering: 'Parallel tempering',
  simulated: 'Simulated tempering',
} as const;
export type SamplerKind = keyof typeof SAMPLER_NAMES;
export const SAMPLER_KINDS = Object.keys(SAMPLER_NAMES) as SamplerKind[];

/** The settings of one sampler. All kinds share them, so that a change of kind keeps what it can. */
export interface Sampler {
  /** Off where the place is empty. */
  kind: SamplerKind | 'off';
  /** ε; the standard deviation of a step of Metropolis's walk; the length of a slice's first interval. */
  stepSize: number;
  /** Whether warm-up adapts the step size and a scale for each entry, starting from the step size. */
  tuned: boolean;
  numLeapfrogSteps: number;
  /** γ, the part of the momentum's power replaced before each proposal. */
  momentumRefresh: number;
  momentumFlips: MomentumFlips;
  numRungs: number;
}

export const LIMITS = {
  stepSize: [0.005, 5],
  numLeapfrogSteps: [1, 100],
  momentumRefresh: [0.01, 1],
  numRungs: [2, 20],
} as const;

/** Steps of warm-up where the sampler is tuned: chains take them before the first one shown. */
export const NUM_WARMUP = 300;

/** A sampler as text in the address: `hmc_0.07_fixed_20_1_standard_6`, or `off`. */
export function samplerField(initial: Sampler): Field<Sampler> {
  return {
    initial,
    expects: 'a sampler with its settings, as this page writes it, or off',
    parse: (text) => {
      if (text === 'off') return { ...initial, kind: 'off' };
      const parts = text.split('_');
      const [kind, stepSize, tuned, leapfrog, refresh, flips, rungs] = parts;
      const sampler = {
        kind: kind as SamplerKind,
        stepSize: numberIn(stepSize, LIMITS.stepSize),
        tuned: tuned === 'tuned',
        numLeapfrogSteps: numberIn(leapfrog, LIMITS.numLeapfrogSteps),
        momentumRefresh: numberIn(refresh, LIMITS.momentumRefresh),
        momentumFlips: flips as MomentumFlips,
        numRungs: numberIn(rungs, LIMITS.numRungs),
      };
      const isSound =
        parts.length === 7 &&
        Object.hasOwn(SAMPLER_NAMES, sampler.kind) &&
        ['tuned', 'fixed'].includes(tuned ?? '') &&
        ['standard', 'reduced'].includes(flips ?? '') &&
        !Number.isNaN(sampler.stepSize + sampler.momentumRefresh) &&
        Number.isInteger(sampler.numLeapfrogSteps) &&
        Number.isInteger(sampler.numRungs);
      return isSound ? sampler : undefined;
    },
    print: (sampler) =>
      sampler.kind === 'off'
        ? 'off'
        : [
            sampler.kind,
            sampler.stepSize,
            sampler.tuned ? 'tuned' : 'fixed',
            sampler.numLeapfrogSteps,
            sampler.momentumRefresh,
            sampler.momentumFlips,
            sampler.numRungs,
          ].join('_'),
  };
}

function numberIn(text: string | undefined, [min, max]: readonly [number, number]): number {
  const value = /^\d{1,6}(\.\d{1,18})?$/.test(text ?? '') ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : Number.NaN;
}

/** How the engine is told. */
export function transitionOf(sampler: Sampler): TransitionSpec {
  const { kind, stepSize, numLeapfrogSteps, momentumRefresh, momentumFlips } = sampler;
  const tuning = { stepSize, ...(sampler.tuned && { adaptation: {} }) };
  const hmc = { kind: 'hmc' as const, numLeapfrogSteps, momentumRefresh, ...tuning };
  switch (kind) {
    case 'off':
    case 'hmc':
      // With all of the momentum new, there is nothing for flips to do.
      return momentumRefresh < 1 ? { ...hmc, momentumFlips } : hmc;
    case 'nuts':
      return { kind, ...tuning };
    case 'mala':
      return { kind: 'langevin', ...tuning };
    case 'ula':
      return { kind: 'langevin', adjusted: false, ...tuning };
    case 'metropolis':
    case 'slice':
      return { kind, ...tuning };
    case 'tempering':
    case 'simulated':
      return {
        kind: kind === 'tempering' ? 'parallelTempering' : 'simulatedTempering',
        numRungs: sampler.numRungs,
        transition: { ...hmc, momentumRefresh: 1 },
      };
  }
}

/** Whether a sampler moves on a ladder of distributions. */
export function hasLadder({ kind }: Sampler): boolean {
  return kind === 'tempering' || kind === 'simulated';
}

/** Whether the engine records how chain 0 moves: not on a ladder, where it changes places. */
export function hasTrajectories(sampler: Sampler): boolean {
  return !hasLadder(sampler);
}

/** Steps before the first one shown. Simulated tempering finds the weights of its levels in them. */
export function numWarmupOf({ kind, tuned }: Sampler): number {
  return tuned || kind === 'simulated' ? NUM_WARMUP : 0;
}
