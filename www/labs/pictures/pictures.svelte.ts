import { untrack } from 'svelte';
import { EngineHolder } from '../../frame/engine-holder.js';
import { Replay } from '../../frame/replay.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { keyOfPatches } from '../../patches/choice.js';
import { OwnPictures } from '../../patches/own-pictures.svelte.js';
import { greyScaleOf, type Prepared } from '../../patches/patches.js';
import { Preparation } from '../../patches/preparation.svelte.js';
import { Beside, type Ran } from './beside.svelte.js';
import { fitSpec } from './fit-spec.js';
import {
  type FitStep,
  forKeeping,
  type Progress,
  progressAsStep,
  type Result,
  resultAsStep,
  sizeOf,
} from './fit-step.js';
import { emptyHistory, extend, type History } from './history.js';
import { keptPipeline, type PipelinePictures, pipelineOf } from './pipeline.js';
import {
  agreeing,
  fields,
  isComplete,
  ofTheFit,
  ofThePatches,
  type Settings,
  USUAL_COMPONENTS,
  withoutIdle,
} from './settings.js';

/** Least milliseconds between two reports of the fit, each of which brings the whole model; and between two pictures. */
const REPORT_INTERVAL = 60;
const SHOW_INTERVAL = 120;
const CALM_INTERVAL = 1000;
const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** How close the engine and this page's own program have to be, relative to what they tell. */
const TOLERANCE = 1e-9;

/** The state of the lab and what can be done with it. */
export class PicturesLab {
  settings = $state<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  history = $state.raw<History>(emptyHistory());
  #course = emptyHistory();
  readonly replay = new Replay<FitStep>(sizeOf, ({ seconds }) => `${seconds.toFixed(1)} s`);
  readonly run = new Run<Progress, Result>();
  readonly #holder = new EngineHolder();
  readonly #engine = () => this.#holder.with(this.numWorkers);
  readonly #report = (error: unknown) => this.run.report(error);
  /** Pictures that were dropped. */
  readonly own = new OwnPictures((own) => {
    this.run.error = undefined;
    this.change({ source: 'own', own });
  }, this.#report);
  readonly preparation = new Preparation(
    this.#engine,
    (choice) => this.own.chosenBy(choice),
    this.#report,
  );
  readonly beside = new Beside(this.#engine, this.#report);
  #promise = $state.raw<{ key: string; digest: string }>();
  /** The run that is on the page. */
  #ran = $state.raw<Ran>();

  readonly #key = $derived(writeHash(fields, ofTheFit(this.settings)));
  readonly #patchesKey = $derived(keyOfPatches(ofThePatches(this.settings)));
  /** The newest patches. */
  readonly prepared = $derived(this.preparation.prepared);
  /** What of the patches is shown first: of their pictures, or of those kept. */
  readonly pipeline: PipelinePictures | undefined = $derived(
    this.prepared ? pipelineOf(this.prepared) : keptPipeline(this.#patchesKey),
  );
  /** Whether they are those of the settings. */
  readonly isPrepared = $derived(this.prepared?.key === this.#patchesKey);
  /** Patches that are still being cut are waited for. */
  readonly canStart = $derived(this.isPrepared || this.preparation.isUnderWay);
  readonly hasPictures = $derived(this.own.has(this.settings));
  /** What the run on the page is of, or the one to come. */
  readonly setting = $derived(this.#ran?.settings ?? this.settings);
  readonly setup = $derived(this.#ran?.prepared ?? this.prepared);
  readonly complete = $derived(isComplete(this.setting));
  /** Whether the run on the page is one of the settings on the page. */
  readonly isCurrent = $derived(
    this.#ran !== undefined && writeHash(fields, ofTheFit(this.#ran.settings)) === this.#key,
  );
  readonly canContinue = $derived(this.run.canContinue && this.isCurrent);
  readonly greyScale = $derived(this.setup && greyScaleOf(this.setup));

  /** Where the fit has come to, or ended. */
  readonly latest: FitStep | undefined = $derived.by(() => {
    const { result, progress } = this.run;
    // The clock goes on between reports; that alone makes no new step.
    const seconds = untrack(() => this.run.seconds);
    if (result) return resultAsStep(result, seconds);
    return progress && progressAsStep(progress, seconds, undefined);
  });
  /** The step that pictures and numbers show: the latest one, or the one chosen in the replay. */
  readonly shown: FitStep | undefined = $derived(
    this.replay.followsRun ? this.latest : this.replay.shown,
  );
  readonly shownSamples = $derived(
    this.replay.followsRun ? this.beside.samples?.values : this.replay.shown?.samples,
  );

  /** The self-checks: whitening, and where log Z is known, the likelihood by another program. */
  readonly checks = $derived.by(() => {
    const { setup, beside } = this;
    const { test, ownTest } = beside;
    return {
      whitening:
        setup &&
        compared(setup.gaussian.training, whitenedLogLikelihood(setup.result.variances.length)),
      likelihood:
        test && ownTest !== undefined && test.error === 0
          ? compared(test.value, ownTest)
          : undefined,
    };
  });

  /** The digest, while the settings are still those of the result. */
  readonly digest = $derived(this.isCurrent ? this.run.result?.digest : undefined);
  readonly promisedDigest = $derived(this.#promise?.key === this.#key ? this.#promise.digest : '');
  readonly hash = $derived(this.#hashWith(this.promisedDigest));

  /** Takes over the settings of an address. */
  open(hash: string): void {
    const { values, problems } = readHash(fields, hash);
    const given = new URLSearchParams(hash.replace(/^#/, ''));
    if (!given.has('components')) values.components = USUAL_COMPONENTS[values.side];
    const settings = agreeing(values);
    for (const name of ['components', 'patches', 'method'] as const) {
      if (given.has(name) && settings[name] !== values[name])
        problems.push(
          `What the link says of ${name} does not go with the rest of it; ${settings[name]} is used.`,
        );
    }
    this.#forgetRun();
    this.settings = { ...settings, digest: '' };
    const key = writeHash(fields, ofTheFit(settings));
    this.#promise = values.digest ? { key, digest: values.digest } : undefined;
    this.linkProblems = problems;
    this.#prepare();
  }

  /** Changes settings; what does not go with them any more is brought into line. */
  change(changes: Partial<Settings>): void {
    this.settings = agreeing({ ...$state.snapshot(this.settings), ...changes } as Settings);
    this.#prepare();
  }

  /** The link of what is on the page, with the digest if there is one: whoever opens it can compare. */
  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.#hashWith(this.digest?.slice(0, 16) ?? this.promisedDigest)}`;
  }

  start(): Promise<void> {
    this.#forgetRun();
    return this.run.start(this.#launch($state.snapshot(this.settings) as Settings));
  }

  async continue(): Promise<void> {
    if (this.#ran) await this.run.continue(this.#launch(this.#ran.settings, this.#ran.prepared));
  }

  close(): void {
    this.preparation.cancel();
    this.beside.stop();
    this.run.reset();
    this.#holder.close();
  }

  #prepare(): void {
    if (!this.hasPictures) this.preparation.cancel();
    else this.preparation.want(ofThePatches($state.snapshot(this.settings) as Settings));
  }

  /** Without patches it is of those last wanted, once they are here. */
  #launch(settings: Settings, patches?: Prepared): Launch<Progress, Result> {
    let ran: Ran;
    return {
      engine: async () => {
        ran = { settings, prepared: patches ?? (await this.preparation.ready()) };
        return this.#engine();
      },
      job: (engine, options) => {
        this.#ran = ran;
        return engine.fit(fitSpec(settings, ran.prepared.result.states), options);
      },
      progressInterval: REPORT_INTERVAL,
      onProgress: (progress, seconds) => {
        const step = progressAsStep(progress, seconds, this.beside.samples?.values);
        this.#record(step);
        // The last one is judged with the result.
        if (!progress.done && Number.isFinite(step.objective))
          this.beside.offer({ ran, model: progress.model, step });
      },
      onShow: () => {
        this.history = { ...this.#course };
        this.replay.publish();
      },
      onResult: (result, seconds) =>
        void this.beside.finish({ ran, model: result.model, step: resultAsStep(result, seconds) }),
      showInterval: isStill ? CALM_INTERVAL : SHOW_INTERVAL,
    };
  }

  #record(step: FitStep): void {
    // After a crash of a worker some steps come again, with the same bits.
    if (step.step <= (this.#course.evaluations.at(-1) ?? 0)) return;
    this.#course = extend(this.#course, {
      evaluations: step.step,
      seconds: step.seconds,
      objective: Number.isFinite(step.objective) ? step.objective : null,
    });
    this.replay.add(forKeeping(step));
  }

  #forgetRun(): void {
    this.beside.reset();
    this.run.reset();
    this.#course = emptyHistory();
    this.history = emptyHistory();
    this.replay.clear();
    this.#ran = undefined;
  }

  #hashWith(digest: string): string {
    return writeHash(fields, { ...withoutIdle(this.settings), digest });
  }
}

/** The log likelihood under a Gaussian, in nats a row, of rows whose covariance is 1 to the last bit. */
function whitenedLogLikelihood(dim: number): number {
  return -0.5 * dim * (Math.log(2 * Math.PI) + 1);
}

/** Two numbers that ought to be the same. */
function compared(value: number, other: number) {
  const gap = value - other;
  return { value, gap, passed: Math.abs(gap) <= TOLERANCE * Math.max(1, Math.abs(value)) };
}
