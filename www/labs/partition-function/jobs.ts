import type { ExactResult, LogZSpec, ModelSpec } from 'unnorm';
import { MODELS, type ModelChoice } from './models.js';
import { SCHEDULES, type Settings, TRANSITIONS } from './settings.js';

/** What is estimated, and how. */
export interface Problem {
  settings: Settings;
  model: ModelSpec;
  /** Whether the reverse runs can start from exact draws of the model. */
  hasExactDraws: boolean;
}

/** The exact answer, and how it was had. */
export type ExactValue = Pick<ExactResult, 'logZ' | 'method'>;

/** What the exact answer depends on, but for the couplings of the 10×10 spin glass, which are always the same. */
export function exactQuestion({ model, shape, size, modelSeed, formula, reach }: ModelChoice) {
  return { model, shape, size, modelSeed, formula, reach };
}

export async function exactValue(job: PromiseLike<ExactResult>): Promise<ExactValue> {
  const { logZ, method } = await job;
  return { logZ, method };
}

/** Chains of the cheap estimates, which take one step each; fewer where their draws have to be made by a chain. */
const NUM_CHEAP_DRAWS = { exact: 10_000, forward: 1000 } as const;

/** Transitions at the model before reverse runs begin that start from the ends of the forward runs. */
const NUM_WARMUP = 1000;

/** Chains of a pilot run, and its distributions: half as many as of the run itself, within reason. */
const PILOT = { numChains: 64, least: 50, most: 500 } as const;

/** The job that estimates log Z with K distributions. */
export function levelSpec({ settings, model, hasExactDraws }: Problem, K: number): LogZSpec {
  const { referenceSd, transition, steps, schedule, chains, confidence } = settings;
  const { isBinary, dim } = MODELS[settings.model];
  return {
    model,
    ...(!isBinary && { reference: { kind: 'model', model: normal(dim(settings), referenceSd) } }),
    schedule: SCHEDULES[schedule].spec,
    transition: TRANSITIONS[transition].spec,
    numChains: chains,
    numDistributions: K,
    ...(steps > 1 && { numStepsPerDistribution: steps }),
    reverse: {
      start: hasExactDraws ? { kind: 'exact' } : { kind: 'forward', numWarmup: NUM_WARMUP },
    },
    pilot: {
      numChains: PILOT.numChains,
      numDistributions: Math.min(PILOT.most, Math.max(PILOT.least, K / 2)),
    },
    confidence: Number(confidence),
    seed: seedOf(settings.seed, K),
  };
}

/** The same in one step: simple importance sampling, and in reverse the harmonic mean. */
export function cheapSpec(problem: Problem): LogZSpec {
  return {
    ...levelSpec({ ...problem, settings: { ...problem.settings, steps: 1 } }, 1),
    schedule: { kind: 'linear' },
    pilot: { numChains: PILOT.numChains, numDistributions: PILOT.least },
    numChains: problem.hasExactDraws ? NUM_CHEAP_DRAWS.exact : NUM_CHEAP_DRAWS.forward,
  };
}

/** Every K has its own seed, so that its errors are not those of the one before. */
function seedOf(seed: number, K: number): number {
  return seed * 2 ** 20 + K;
}

function normal(dim: number, sd: number): ModelSpec {
  return {
    kind: 'gaussian',
    dim,
    covariance: Array.from({ length: dim * dim }, (_, n) => (n % (dim + 1) === 0 ? sd * sd : 0)),
  };
}
