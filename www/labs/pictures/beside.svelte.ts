import type { Engine } from 'unnorm';
import { Alongside } from '../../frame/alongside.js';
import { exactLogLikelihood } from '../../patches/exact-likelihood.js';
import { hasFiniteZ, NO_FINITE_Z } from '../../patches/finite-z.js';
import type { Prepared } from '../../patches/patches.js';
import type { FitStep, Learned } from './fit-step.js';
import { emptyJudged, extend, type Judged } from './history.js';
import { estimatedLogLikelihood, type Known, ownLogLikelihood } from './judge.js';
import { moveOn, type Samples, sampleFinal } from './sampling.js';
import { isComplete, type Settings } from './settings.js';

const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** What a fit is of. */
export interface Ran {
  settings: Settings;
  prepared: Prepared;
}

/** Where the model was, and of what. */
interface Place {
  ran: Ran;
  model: Learned;
  step: FitStep;
}

/** What goes on beside a fit and after it: test patches judge the model, and chains sample it. */
export class Beside {
  judged = $state.raw<Judged>(emptyJudged());
  /** Samples at the model of the moment. */
  samples = $state.raw<Samples>();
  /** Mean log likelihoods under the final model, in nats a patch; that of training patches only where it is exact. */
  test = $state.raw<Known>();
  training = $state.raw<number>();
  /** What is to be warned of: of the estimate of log Z, or that there is none. */
  warnings = $state.raw<string[]>([]);
  /** The part of that estimate that is done. */
  estimating = $state<number>();
  /** log likelihood of the test patches by this page's own program, to check the engine's. */
  ownTest = $state<number>();
  isSampled = $state(false);
  readonly #engine: () => Promise<Engine>;
  readonly #report: (error: unknown) => void;
  #end = new AbortController();

  readonly #judging = new Alongside<Place>(
    async ({ ran, model, step }, signal) => {
      if (!isComplete(ran.settings)) return;
      const { testStates } = ran.prepared.result;
      const test = await exactLogLikelihood(model, testStates, await this.#engine(), signal);
      if (!signal.aborted) this.#judge(step, test);
    },
    (error) => this.#report(error),
    { leastRest: 600, rest: 4 },
  );
  readonly #sampling = new Alongside<Place>(
    async ({ ran, model }, signal) => {
      const { seed } = ran.settings;
      const samples = await moveOn(model, this.samples, seed, await this.#engine(), signal);
      if (!signal.aborted) this.samples = samples;
    },
    (error) => this.#report(error),
    { leastRest: isStill ? 3000 : 700, rest: 3 },
  );

  constructor(engine: () => Promise<Engine>, report: (error: unknown) => void) {
    this.#engine = engine;
    this.#report = report;
  }

  /** A newer model. */
  offer(place: Place): void {
    if (!hasFiniteZ(place.model)) return;
    this.#judging.offer(place);
    this.#sampling.offer(place);
  }

  /** The final model: all that there is to say of it. */
  async finish(place: Place): Promise<void> {
    this.stop();
    const { signal } = this.#end;
    if (!hasFiniteZ(place.model)) {
      this.warnings = [NO_FINITE_Z];
      return;
    }
    try {
      await this.#judgeFinal(place, signal);
      if (signal.aborted) return;
      const { settings } = place.ran;
      const engine = await this.#engine();
      const complete = isComplete(settings);
      const samples = await sampleFinal(place.model, complete, settings.seed, engine, signal);
      if (signal.aborted) return;
      this.samples = samples;
      this.isSampled = true;
    } catch (error) {
      if (!signal.aborted) this.#report(error);
    }
  }

  stop(): void {
    this.#judging.cancel();
    this.#sampling.cancel();
    this.#end.abort();
    this.#end = new AbortController();
    this.estimating = undefined;
  }

  reset(): void {
    this.stop();
    this.judged = emptyJudged();
    this.samples = undefined;
    this.test = undefined;
    this.training = undefined;
    this.warnings = [];
    this.ownTest = undefined;
    this.isSampled = false;
  }

  async #judgeFinal({ ran, model, step }: Place, signal: AbortSignal): Promise<void> {
    const { states, testStates } = ran.prepared.result;
    const engine = await this.#engine();
    if (isComplete(ran.settings) && model.kind !== 'gaussianRbm') {
      const test = await exactLogLikelihood(model, testStates, engine, signal);
      const training = await exactLogLikelihood(model, states, engine, signal);
      if (signal.aborted) return;
      this.#judge(step, test);
      this.test = { value: test, error: 0 };
      this.training = training;
      this.ownTest = ownLogLikelihood(model, testStates);
      return;
    }
    this.estimating = 0;
    const { seed } = ran.settings;
    const onFraction = (fraction: number) => {
      if (!signal.aborted) this.estimating = fraction;
    };
    const { likelihood, warnings } = await estimatedLogLikelihood(
      model,
      testStates,
      seed,
      engine,
      signal,
      onFraction,
    );
    if (signal.aborted) return;
    this.estimating = undefined;
    this.test = likelihood;
    this.warnings = warnings;
  }

  #judge({ step, seconds }: FitStep, test: number): void {
    if (step <= (this.judged.evaluations.at(-1) ?? -1)) return;
    this.judged = extend(this.judged, { evaluations: step, seconds, test });
  }
}
