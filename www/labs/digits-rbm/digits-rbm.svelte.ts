import { untrack } from 'svelte';
import type { FitProgress, FitResult, JobHandle } from 'unnorm';
import { Alongside } from '../../frame/alongside.js';
import { breather } from '../../frame/breather.js';
import { EngineHolder } from '../../frame/engine-holder.js';
import { Replay } from '../../frame/replay.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { type Digits, firstOfEachKind, loadDigits } from '../../lib/digits.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { keptAnswer } from '../../lib/first-answers.js';
import { count, superscript } from '../../lib/format.js';
import type { PackedRows } from '../../lib/packed-rows.js';
import { enumeratedLogZ, MAX_ENUMERATED } from '../../lib/rbm.js';
import { question } from './first-answers.js';
import firstAnswers from './first-answers.json';
import { fitSpec } from './fit-spec.js';
import {
  type FitStep,
  forKeeping,
  progressAsStep,
  resultAsStep,
  type Samples,
  sizeOf,
} from './fit-step.js';
import { emptyHistory, emptyJudged, extend, type History, type Judged } from './history.js';
import { heldOutRows, independentLogLikelihood, judge, NUM_ON_THE_WAY } from './judge.js';
import { type MethodId, methodOf } from './methods.js';
import { Mixing } from './mixing.svelte.js';
import { moveOn, sampleFinal } from './sampling.js';
import { fields, ofTheFit, type Settings, withoutIdle } from './settings.js';

type Progress = FitProgress<'rbm'>;
type Result = FitResult<'rbm'>;

/** Least milliseconds a hidden unit between two reports of the fit: a report brings the whole model. */
const REPORT_INTERVAL = 1.2;
/** The same between two reports on the page: every one draws all pictures anew. */
const SHOW_INTERVAL = 2;
const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** The state of the lab and what can be done with it; the only place in it that starts jobs. */
export class DigitsRbm {
  settings = $state<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  digits = $state.raw<Digits>();
  #loading: Promise<Digits> | undefined;
  /** The course of the fit as far as it is on the page, and as far as it is known. */
  history = $state.raw<History>(emptyHistory());
  #course = emptyHistory();
  /** What the held-out digits have said so far. */
  judged = $state.raw<Judged>(emptyJudged());
  /** The chains at the model of the moment. */
  samples = $state.raw<Samples>();
  /** Whether the model at the end has been judged by all held-out digits, and sampled. */
  isJudged = $state(false);
  isSampled = $state(false);
  /** log Z at the end by this page's own program, to check the engine's. */
  ownLogZ = $state<number>();
  readonly replay = new Replay<FitStep>(sizeOf, ({ seconds }) => `${seconds.toFixed(1)} s`);
  readonly run = new Run<Progress, Result>();
  #promise = $state.raw<{ key: string; digest: string }>();
  /** The settings of the run that is on the page. */
  #ran = $state.raw<Settings>();
  readonly #engine = new EngineHolder();
  #end = new AbortController();

  /** Whether chains of the machine go from digit to digit. */
  readonly mixing = new Mixing({
    engine: () => this.#engine.with(this.numWorkers),
    settings: () => $state.snapshot(this.settings),
    digits: () => this.digits,
    // Once the samples of the fit are over.
    model: () => (this.isSampled && this.isCurrent ? this.run.result?.model : undefined),
  });

  readonly #judging = new Alongside<FitStep>(
    (step, signal) => this.#judge(step, NUM_ON_THE_WAY, signal),
    (error) => this.run.report(error),
    { leastRest: 1000, rest: 3 },
  );
  readonly #sampling = new Alongside<FitStep>(
    async ({ model }, signal) => {
      const { digits } = this;
      if (!digits) return;
      const engine = await this.#engine.with(this.numWorkers);
      const settings = $state.snapshot(this.#ran ?? this.settings);
      const samples = await moveOn(model, this.samples, settings, digits, engine, signal);
      if (!signal.aborted) this.samples = samples;
    },
    (error) => this.run.report(error),
    { leastRest: isStill ? 3000 : 700, rest: 2 },
  );

  /** Those that are reconstructed. */
  readonly firstDigits = $derived(
    this.digits ? firstOfEachKind(this.digits) : keptAnswer<PackedRows>(firstAnswers, question),
  );
  readonly #rows = $derived(this.digits && heldOutRows(this.digits));
  readonly #key = $derived(keyOf(this.settings));
  /** Whether the run on the page is one of the settings on the page. */
  readonly isCurrent = $derived(this.#ran !== undefined && keyOf(this.#ran) === this.#key);
  readonly canContinue = $derived(this.run.canContinue && this.isCurrent);
  /** The method of the run on the page, or of the one to come. */
  readonly method = $derived(methodOf((this.#ran ?? this.settings).method));
  readonly numHidden = $derived(Number((this.#ran ?? this.settings).numHidden));
  /** Whether log Z can be had by enumeration. */
  readonly isSmall = $derived(this.numHidden <= MAX_ENUMERATED);

  /** Where the fit has come to, or ended. */
  readonly latest: FitStep | undefined = $derived.by(() => {
    const { result, progress } = this.run;
    // The clock goes on between reports; that alone makes no new step.
    const seconds = untrack(() => this.run.seconds);
    if (result) return resultAsStep(result, seconds, undefined);
    return progress && progressAsStep(progress, seconds, undefined);
  });

  /** The step that pictures and numbers show: the latest one, or the one chosen in the replay. */
  readonly shown: FitStep | undefined = $derived(
    this.replay.followsRun ? this.latest : this.replay.shown,
  );
  readonly shownSamples = $derived(
    this.replay.followsRun ? this.samples : this.replay.shown?.samples,
  );
  /** The place in `judged` of the last judgement up to the step shown. */
  readonly judgedAt = $derived.by(() => {
    const { updates } = this.judged;
    const { shown } = this;
    return shown ? updates.filter((update) => update <= shown.step).length - 1 : -1;
  });

  /** What independent pixels would reach, in nats a held-out digit: exact. */
  readonly independent = $derived.by(() => {
    const { rows } = this.#ran ?? this.settings;
    return this.digits && this.#rows
      ? independentLogLikelihood(this.digits, rows, this.#rows)
      : undefined;
  });

  /** The self-check: log Z of the final model by the engine and by this page's own program. */
  readonly check = $derived.by(() => {
    const logZ = this.judged.logZ.at(-1);
    if (!this.isJudged || typeof logZ !== 'number' || this.ownLogZ === undefined) return undefined;
    const gap = logZ - this.ownLogZ;
    return { logZ, gap, passed: Math.abs(gap) <= 1e-9 * Math.max(1, Math.abs(logZ)) };
  });

  /** The digest, while the settings are still those of the result. */
  readonly digest = $derived(this.isCurrent ? this.run.result?.digest : undefined);
  readonly promisedDigest = $derived(this.#promise?.key === this.#key ? this.#promise.digest : '');
  readonly hash = $derived(this.#hashWith(this.promisedDigest));

  async load(): Promise<void> {
    try {
      await this.#loaded();
    } catch (error) {
      this.run.report(error);
    }
  }

  /** The digits, fetched once. */
  #loaded(): Promise<Digits> {
    if (this.#loading) return this.#loading;
    const loading = loadDigits();
    this.#loading = loading;
    loading.then(
      (digits) => {
        this.digits = digits;
      },
      // What could not be had is not kept: the next try may fare better.
      () => {
        this.#loading = undefined;
      },
    );
    return loading;
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    const { values, problems } = readHash(fields, hash);
    this.#forgetRun();
    this.settings = { ...values, digest: '' };
    this.#promise = values.digest ? { key: keyOf(values), digest: values.digest } : undefined;
    this.linkProblems = problems;
  }

  /** Goes over to a method, with the budget and rate that suit it. */
  chooseMethod(method: MethodId): void {
    Object.assign(this.settings, { method, ...methodOf(method).usual });
  }

  /** The link of what is on the page, with the digest if there is one: whoever opens it can compare. */
  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.#hashWith(this.digest?.slice(0, 16) ?? this.promisedDigest)}`;
  }

  start(): Promise<void> {
    this.#forgetRun();
    const launch = this.#launch();
    this.#ran = $state.snapshot(this.settings);
    return this.run.start(launch);
  }

  continue(): Promise<void> {
    return this.run.continue(this.#launch());
  }

  close(): void {
    this.#stopBeside();
    this.mixing.reset();
    this.run.reset();
    this.#engine.close();
  }

  #launch(): Launch<Progress, Result> {
    const settings = $state.snapshot(this.settings);
    const numHidden = Number(settings.numHidden);
    let digits: Digits;
    return {
      engine: async () => {
        const engine = this.#engine.with(this.numWorkers);
        digits = await this.#loaded();
        return engine;
      },
      job: (engine, options): JobHandle<Progress, Result> =>
        engine.fit(fitSpec(settings, digits.training), options),
      progressInterval: REPORT_INTERVAL * numHidden,
      onProgress: (progress, seconds) => {
        const step = progressAsStep(progress, seconds, this.samples);
        this.#record(step);
        // The last one is judged with the result.
        if (progress.done) return;
        this.#judging.offer(step);
        this.#sampling.offer(step);
      },
      onShow: () => {
        this.history = { ...this.#course };
        this.replay.publish();
      },
      onResult: (result, seconds) => void this.#finish(resultAsStep(result, seconds, undefined)),
      showInterval: isStill ? 1000 : SHOW_INTERVAL * numHidden,
    };
  }

  #record(step: FitStep): void {
    // After a crash of a worker some steps come again, with the same bits.
    if (step.step <= (this.#course.updates.at(-1) ?? 0)) return;
    this.#course = extend(this.#course, {
      updates: step.step,
      seconds: step.seconds,
      objective: Number.isFinite(step.objective) ? step.objective : null,
    });
    this.replay.add(forKeeping(step));
  }

  /** What comes after the fit: all held-out digits, fresh chains, and the self-check. */
  async #finish(step: FitStep): Promise<void> {
    this.#stopBeside();
    const { signal } = this.#end;
    const { digits } = this;
    const settings = $state.snapshot(this.#ran ?? this.settings);
    if (!digits) return;
    this.samples = undefined;
    const guard = (error: unknown) => {
      if (!signal.aborted) this.run.report(error);
    };
    await this.#judge(step, digits.heldOut.numRows, signal)
      .then(async () => {
        if (signal.aborted) return;
        this.isJudged = true;
        if (!this.isSmall) return;
        const logZ = await enumeratedLogZ(step.model, breather(signal));
        if (!signal.aborted) this.ownLogZ = logZ;
      })
      .catch(guard);
    if (signal.aborted) return;
    const show = (samples: Samples) => {
      if (!signal.aborted) this.samples = samples;
    };
    await this.#engine
      .with(this.numWorkers)
      .then((engine) =>
        sampleFinal(step.model, settings, digits, engine, signal, show, isStill ? 3000 : 100),
      )
      .then(() => {
        if (!signal.aborted) this.isSampled = true;
      })
      .catch(guard);
  }

  async #judge(step: FitStep, numRows: number, signal: AbortSignal): Promise<void> {
    const rows = this.#rows?.slice(0, numRows);
    if (!rows) return;
    const engine = await this.#engine.with(this.numWorkers);
    const judgement = await judge(step.model, rows, engine, signal);
    if (signal.aborted) return;
    // The end may have been judged on the way, by fewer digits.
    const before =
      this.judged.updates.at(-1) === step.step ? withoutLast(this.judged) : this.judged;
    this.judged = extend(before, { updates: step.step, seconds: step.seconds, ...judgement });
  }

  #stopBeside(): void {
    this.#judging.cancel();
    this.#sampling.cancel();
    this.#end.abort();
    this.#end = new AbortController();
  }

  #forgetRun(): void {
    this.#stopBeside();
    this.mixing.reset();
    this.run.reset();
    this.#course = emptyHistory();
    this.history = emptyHistory();
    this.judged = emptyJudged();
    this.samples = undefined;
    this.isJudged = false;
    this.isSampled = false;
    this.ownLogZ = undefined;
    this.replay.clear();
    this.#ran = undefined;
  }

  #hashWith(digest: string): string {
    return writeHash(fields, { ...withoutIdle(this.settings), digest });
  }
}

function keyOf(settings: Settings): string {
  return writeHash(fields, ofTheFit(settings));
}

function withoutLast(judged: Judged): Judged {
  return Object.fromEntries(
    Object.entries(judged).map(([name, values]) => [name, values.slice(0, -1)]),
  ) as unknown as Judged;
}

/** The number of states of the hidden units in words: 65,536, or 2¹⁰⁰. */
export function numStates(numHidden: number): string {
  return numHidden <= MAX_ENUMERATED ? count(2 ** numHidden) : `2${superscript(numHidden)}`;
}
