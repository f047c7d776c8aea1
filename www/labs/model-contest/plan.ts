import type { FitSpec, LogZSpec, ModelSpec, SampleSpec } from 'unnorm';
import { startingModel } from '../../lib/image-models.js';
import { normals } from '../../lib/random-models.js';
import { CONTESTANT_IDS, type Contestant } from './contestants.js';
import type { Effort, Settings } from './settings.js';

/** Samples of each model that are shown. */
export const NUM_SAMPLES = 12;
/** Steps of the chains that draw them, where a model cannot be drawn from exactly. */
const SAMPLING_STEPS = 300;
/** Hidden units of the Gaussian machine: its log Z is the sum over all states of these. */
const MAX_HIDDEN = 16;
/** Test patches that generative models without basis functions are tried on. */
export const NUM_ZERO_PATCHES = 5;

/** Patches drawn from a generative model, to see what annealing loses. */
const NUM_SIMULATED = 20;

interface Budget {
  /** Iterations of L-BFGS, where the likelihood is known. */
  complete: number;
  /** Refreshes of the samples of a model, and of a posterior. */
  experts: number;
  hidden: number;
  linear: number;
  bilinear: number;
}

const TRAINING: Record<Effort, Budget> = {
  brief: { complete: 60, experts: 6, hidden: 6, linear: 20, bilinear: 10 },
  usual: { complete: 200, experts: 25, hidden: 25, linear: 200, bilinear: 150 },
  long: { complete: 400, experts: 100, hidden: 60, linear: 300, bilinear: 300 },
};

type Annealing = Pick<LogZSpec, 'numChains' | 'numDistributions' | 'pilot'>;

/** Of one log Z for all patches, and of one for each. */
const ANNEALING: Record<Effort, { analysis: Annealing; generative: Annealing }> = {
  brief: {
    analysis: { numChains: 50, numDistributions: 160, pilot: pilot(32, 100, 1) },
    generative: { numChains: 8, numDistributions: 320, pilot: pilot(16, 100, 1) },
  },
  usual: {
    analysis: { numChains: 200, numDistributions: 1600, pilot: pilot(32, 200, 2) },
    generative: { numChains: 12, numDistributions: 3200, pilot: pilot(16, 200, 1) },
  },
  long: {
    analysis: { numChains: 200, numDistributions: 9600, pilot: pilot(64, 1000, 2) },
    generative: { numChains: 20, numDistributions: 9600, pilot: pilot(16, 500, 1) },
  },
};

function pilot(numChains: number, numDistributions: number, numRuns: number) {
  return { numChains, numDistributions, numRuns };
}

/** Each time annealing starts afresh with four times as many distributions as before; the last counts. */
const SHARES = [1 / 16, 1 / 4, 1];
export const NUM_RUNGS = SHARES.length;

/** Experts, coefficients, factors or hidden units. */
export function sizeOf({ id, family }: Contestant, { components, factor }: Settings): number {
  if (family === 'overcomplete' || id === 'mcRbm') return Math.ceil(Number(factor) * components);
  return id === 'gaussianRbm' ? Math.min(MAX_HIDDEN, components) : components;
}

/** What each contestant has as the seed of its noise: its own, whoever else takes part. */
export function noiseSeed({ id }: Contestant, { seed }: Settings): number {
  return (seed + 1009 * CONTESTANT_IDS.indexOf(id)) % 2 ** 32;
}

/** The model as its training starts. */
export function startOf(contestant: Contestant, settings: Settings): ModelSpec {
  const normal = normals(noiseSeed(contestant, settings));
  const { components } = settings;
  const size = sizeOf(contestant, settings);
  return startingModel(contestant.kind, components, size, normal, meansOf(contestant, settings));
}

/** Mean units of the mcRBM. */
export function meansOf({ id }: Contestant, { components }: Settings): number | undefined {
  return id === 'mcRbm' ? components : undefined;
}

/** How a model is trained, but for the model and the patches. */
export function trainingOf(
  { family, id, isGenerative }: Contestant,
  { training, patches, seed }: Settings,
): Omit<FitSpec, 'model' | 'states' | 'data'> {
  const budget = TRAINING[training];
  const transition = { kind: 'hmc', numLeapfrogSteps: 10 } as const;
  if (family === 'gaussian' || family === 'complete') {
    const optimizer = { kind: 'lbfgs', maxIterations: budget.complete } as const;
    return { objective: { kind: 'maximumLikelihood' }, optimizer, seed };
  }
  if (isGenerative) {
    const numRefreshes = id === 'bilinear' ? budget.bilinear : budget.linear;
    const objective = {
      kind: 'expectationMaximization',
      numSteps: 2,
      numRefreshes,
      transition,
    } as const;
    return { objective, seed };
  }
  const numRefreshes = family === 'hidden' ? budget.hidden : budget.experts;
  const objective = {
    kind: 'persistentMpf',
    numChains: patches,
    numSteps: 1,
    numRefreshes,
    transition,
  } as const;
  // With more, its parameters go further than the samples, which are those of the model before, can tell.
  const optimizer = { kind: 'lbfgs', maxIterations: 3 } as const;
  return { objective, ...(id === 'mcRbm' && { optimizer }), seed };
}

/** The annealings of a model, each with more distributions, but for the model and the patches. */
export function annealingsOf(
  { family, isGenerative }: Contestant,
  { annealing, seed }: Settings,
): Omit<LogZSpec, 'model' | 'states'>[] {
  // Whitened patches leave a Gaussian where annealing starts: there is no way to go.
  if (family === 'gaussian') return [];
  const last = ANNEALING[annealing][isGenerative ? 'generative' : 'analysis'];
  return SHARES.map((share) => ({
    ...last,
    numDistributions: Math.max(10, Math.round(share * last.numDistributions)),
    seed,
  }));
}

/** Whether it is to be seen what annealing loses: where the likelihood is not known. */
export function hasLoss({ isGenerative, truth }: Contestant): boolean {
  return isGenerative && truth === 'none';
}

/** The annealing both ways of patches drawn from a generative model, but for the model. */
export function lossOf(contestant: Contestant, settings: Settings): Omit<LogZSpec, 'model'> {
  const annealing = annealingsOf(contestant, settings).at(-1);
  if (!annealing) throw new Error('There is no annealing.');
  const numWarmup = Math.min(1000, annealing.numDistributions);
  return {
    ...annealing,
    simulate: { numRows: NUM_SIMULATED },
    reverse: { start: { kind: 'simulated', numWarmup } },
  };
}

/** The job that draws samples of a model that is not generative, but for the model. */
export function samplingOf({ truth }: Contestant, { seed }: Settings): Omit<SampleSpec, 'model'> {
  const common = { numChains: NUM_SAMPLES, numDraws: 1, seed };
  if (truth === 'engine') {
    // A step from an exact draw is an exact draw, however short.
    const transition = { kind: 'hmc', numLeapfrogSteps: 1, stepSize: 0.05 } as const;
    return { ...common, transition, numWarmup: 0, start: { kind: 'exact' } };
  }
  return { ...common, transition: { kind: 'hmc' }, numWarmup: SAMPLING_STEPS };
}

/** A generative model whose basis functions are all zero. */
export function withoutBasis(model: ModelSpec & { basis?: ArrayLike<number> }): ModelSpec {
  return { ...model, basis: new Float64Array(model.basis?.length ?? 0) } as ModelSpec;
}

/** About how long a step of the contest takes, in seconds of some machine: only the ratios matter. */
export function costOf(
  contestant: Contestant,
  settings: Settings,
  step: { kind: string; rung?: number },
): number {
  const { components: dim, patches, test, training, annealing } = settings;
  const size = sizeOf(contestant, settings);
  const budget = TRAINING[training];
  const products = (dim * size) / 288;
  switch (step.kind) {
    case 'fit': {
      const rows = patches / 1500;
      if (contestant.isGenerative) {
        const isBilinear = contestant.id === 'bilinear';
        const refreshes = isBilinear ? budget.bilinear / 15 : budget.linear / 50;
        return 0.1 + refreshes * rows * Math.sqrt(products * 2);
      }
      if (contestant.family === 'gaussian' || contestant.family === 'complete')
        return 0.02 + 0.001 * budget.complete * rows * products * 2;
      const share = contestant.family === 'hidden' ? budget.hidden * 0.16 : budget.experts * 0.06;
      return 0.1 + share * rows * products;
    }
    case 'logZ':
    case 'loss': {
      const { numChains, numDistributions, pilot } =
        ANNEALING[annealing][contestant.isGenerative ? 'generative' : 'analysis'];
      const share = SHARES[step.rung ?? 0] ?? 1;
      const rows = step.kind === 'loss' ? 2 * NUM_SIMULATED : contestant.isGenerative ? test : 1;
      const chains = numChains * rows;
      const pilots = (pilot?.numDistributions ?? 0) * (contestant.isGenerative ? chains : 64);
      const each = contestant.id === 'bilinear' ? 3e-6 : 1.2e-6;
      return 0.05 + each * (chains * numDistributions * share + pilots) * products * 2;
    }
    default:
      return 0.1;
  }
}
