import type { Engine, JobHandle, ModelSpec, RunOptions } from 'unnorm';
import { UnnormError } from 'unnorm';
import type { Contestant, ContestantId } from './contestants.js';
import type { Entry } from './entry.js';
import {
  annealingsOf,
  costOf,
  hasLoss,
  lossOf,
  NUM_RUNGS,
  NUM_ZERO_PATCHES,
  samplingOf,
  startOf,
  trainingOf,
  withoutBasis,
} from './plan.js';
import type { Settings } from './settings.js';

/** One job of the contest. */
export interface Step {
  id: ContestantId;
  kind: 'fit' | 'exact' | 'energies' | 'samples' | 'logZ' | 'zero' | 'loss';
  /** Which annealing, from 0. */
  rung: number;
  /** About how long it takes, in seconds of some machine. */
  cost: number;
}

/**
 * What is to be done, in order: each is trained and judged for a first time; then all are annealed to again, with more
 * distributions each time, so that the intervals of all shrink together.
 */
export function stepsOf(contestants: readonly Contestant[], settings: Settings): Step[] {
  const step = (contestant: Contestant, kind: Step['kind'], rung = 0): Step => ({
    id: contestant.id,
    kind,
    rung,
    cost: costOf(contestant, settings, { kind, rung }),
  });
  const annealing = (contestant: Contestant, rung: number) =>
    annealingsOf(contestant, settings).length > rung ? [step(contestant, 'logZ', rung)] : [];
  const first = contestants.flatMap((contestant) => [
    step(contestant, 'fit'),
    ...(contestant.truth === 'engine' ? [step(contestant, 'exact')] : []),
    ...(contestant.isGenerative ? [] : [step(contestant, 'energies'), step(contestant, 'samples')]),
    ...annealing(contestant, 0),
  ]);
  const others = Array.from({ length: NUM_RUNGS - 1 }, (_, n) =>
    contestants.flatMap((contestant) => annealing(contestant, n + 1)),
  );
  const zeros = contestants
    .filter(({ isGenerative }) => isGenerative)
    .map((contestant) => step(contestant, 'zero'));
  const losses = contestants
    .filter(hasLoss)
    .map((contestant) => step(contestant, 'loss', NUM_RUNGS - 1));
  return [...first, ...others.flat(), ...zeros, ...losses];
}

interface Patches {
  states: Float64Array;
  testStates: Float64Array;
}

/** A report of any job. */
export type AnyProgress = { fraction: number };

/** What a job has ended with: its result, or why there is none. */
export type Outcome = { result: unknown } | { failure: unknown };

/** Starts the job of a step. */
export function begin(
  engine: Engine,
  step: Step,
  { contestant, model }: Entry,
  settings: Settings,
  { states, testStates }: Patches,
  options: RunOptions<AnyProgress>,
): JobHandle<AnyProgress, Outcome> {
  if (step.kind === 'fit') {
    const start = startOf(contestant, settings);
    return settled(
      engine.fit({ model: start, states, ...trainingOf(contestant, settings) }, options),
    );
  }
  if (!model) throw new Error('There is no model yet.');
  const spec = model as ModelSpec & { kind: 'ica' };
  const annealing = (rung: number) => {
    const found = annealingsOf(contestant, settings)[rung];
    if (!found) throw new Error('There is no such annealing.');
    return found;
  };
  switch (step.kind) {
    case 'exact':
      return settled(engine.exact({ model: spec }, options));
    case 'energies':
      return settled(engine.energies({ model: spec, states: testStates }, options));
    case 'samples':
      return settled(engine.sample({ model: spec, ...samplingOf(contestant, settings) }, options));
    case 'logZ':
      return settled(
        engine.logZ({ model: spec, states: testStates, ...annealing(step.rung) }, options),
      );
    case 'loss':
      return settled(engine.logZ({ model: spec, ...lossOf(contestant, settings) }, options));
    case 'zero': {
      const dim = settings.components;
      const few = testStates.slice(0, NUM_ZERO_PATCHES * dim);
      const zero = withoutBasis(spec);
      return settled(
        engine.logZ({ model: zero, states: few, ...annealing(NUM_RUNGS - 1) }, options),
      );
    }
  }
}

/** What is wrong with a model, and not with the page or the machine. */
const OF_THE_MODEL: readonly string[] = ['invalid-spec', 'missing-capability', 'too-large'];

/** A job that fails because of its model has that as its outcome, and the other models go on. */
function settled<P extends AnyProgress, R>(
  handle: JobHandle<P, R>,
): JobHandle<AnyProgress, Outcome> {
  const result = handle.result.then(
    (value): Outcome => ({ result: value }),
    (error: unknown): Outcome => {
      if (error instanceof UnnormError && OF_THE_MODEL.includes(error.code))
        return { failure: error };
      throw error;
    },
  );
  return { ...(handle as unknown as JobHandle<AnyProgress, Outcome>), result };
}
