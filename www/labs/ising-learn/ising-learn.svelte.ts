import { untrack } from 'svelte';
import type { FitProgress, FitResult, JobHandle } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { OwnFile } from '../../frame/own-file.svelte.js';
import { Replay } from '../../frame/replay.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { real } from '../../lib/format.js';
import { type OwnBits, readOwnFile } from '../../lib/own-bits.js';
import { covariance, type PackedRows, sizeInId } from '../../lib/packed-rows.js';
import { KNOWN_OPTIMUM, LATTICE, loadGlassRows, loadTrueCouplings } from '../../lib/spin-glass.js';
import { Comparison } from './comparison.svelte.js';
import { fitSpec, glassRows, type LearnData, latticeOf, OBJECTIVES } from './fit-spec.js';
import { type FitStep, progressAsStep, resultAsStep } from './fit-step.js';
import { emptyHistory, extend, type History } from './history.js';
import { fields, type Settings, withoutIdle } from './settings.js';

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class IsingLearn {
  settings = $state<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly own = new OwnFile<OwnBits>(() => this.settings, sizeInId);
  /** The course of the fit as far as it is on the page, and as far as it is known. */
  history = $state.raw<History>(emptyHistory());
  #course = emptyHistory();
  readonly replay = new Replay<FitStep>(
    ({ couplings }) => couplings.byteLength,
    ({ objective }) => `${OBJECTIVES[this.settings.objective].symbol} = ${real(objective, 5)}`,
  );
  readonly run = new Run<FitProgress<'ising'>, FitResult<'ising'>>();
  readonly comparison = new Comparison();
  #glass = $state.raw<PackedRows>();
  /** The couplings of the spin glass, which come long before its samples. */
  #couplings = $state.raw<Float64Array>();
  /** Both on their way, or here. */
  #loading: Promise<void> | undefined;
  #covariance = $state.raw<{ file: OwnBits; values: Float64Array }>();
  /** The settings that a link promised a digest for. */
  #promise = $state.raw<{ key: string; digest: string }>();
  /** The settings of the run that is on the page. */
  #ran = $state.raw<Settings>();
  readonly #engine = new EngineHolder();
  /** Counts the covariance of a file. */
  #counting = new AbortController();

  /** The data the settings ask for, once they are here. */
  readonly data: LearnData | undefined = $derived.by(() => {
    if (this.settings.data === 'own') {
      const rows = this.own.content?.rows;
      return (
        rows && { rows, truth: undefined, lattice: latticeOf(rows.dim, this.settings.latticeRows) }
      );
    }
    const [glass, truth] = [this.#glass, this.#couplings];
    return glass && truth && { rows: glassRows(glass, this.settings), truth, lattice: LATTICE };
  });

  /** The couplings that the data were drawn from, where they are known and as soon as they are here. */
  readonly truth = $derived(this.settings.data === 'glass' ? this.#couplings : undefined);
  /** The spin glass may still be on its way: the fit then begins when it has come. */
  readonly canStart = $derived(
    !this.own.reading &&
      !this.comparison.busy &&
      (this.settings.data === 'glass' || this.data !== undefined),
  );

  readonly #key = $derived(this.#keyOf(this.settings));
  /** The settings that a comparison depends on. */
  readonly comparisonKey = $derived(
    writeHash(fields, {
      ...withoutIdle(this.settings),
      objective: fields.objective.initial,
      connectivity: fields.connectivity.initial,
      digest: '',
    }),
  );
  /** Whether the run on the page is one of the settings on the page. */
  readonly isCurrent = $derived(this.#ran !== undefined && this.#keyOf(this.#ran) === this.#key);
  readonly canContinue = $derived(this.run.canContinue && this.isCurrent);

  /** Where the fit has come to, or ended. */
  readonly #latest: FitStep<Float64Array> | undefined = $derived.by(() => {
    const { result, progress } = this.run;
    // The clock goes on between reports; that alone makes no new step.
    const seconds = untrack(() => this.run.seconds);
    if (result) return resultAsStep(result, seconds, this.data?.truth);
    return progress && progressAsStep(progress, seconds, this.data?.truth);
  });
  readonly learned = $derived(this.#latest?.couplings);
  readonly errors = $derived(this.#latest?.errors);

  /** The step that pictures and numbers show: the latest one, or the one chosen in the replay. */
  readonly shown: FitStep | undefined = $derived(
    this.replay.followsRun ? this.#latest : this.replay.shown,
  );

  readonly covariance = $derived(
    this.#covariance?.file === this.own.content ? this.#covariance?.values : undefined,
  );

  /** The least value the objective of the run on the page has, or of the one to come, where it is known. */
  readonly knownOptimum = $derived.by(() => {
    const { data, rows, pattern, objective, connectivity } = this.#ran ?? this.settings;
    // Half of the glass's bits are on: single flips suit it.
    const isKnown = objective === 'mpf' && connectivity !== 'singleAndAllFlips';
    return data === 'glass' && rows === fields.rows.initial && isKnown
      ? KNOWN_OPTIMUM[pattern]
      : undefined;
  });

  /**
   * The self-check against the known optimum. `passed` is open while the fit goes on, and when it was ended early with
   * some way still to go.
   */
  readonly check = $derived.by(() => {
    const { result, progress } = this.run;
    const objective = (result ?? progress)?.objective;
    if (this.knownOptimum === undefined || objective === undefined) return undefined;
    const gap = objective - this.knownOptimum;
    const within = Math.abs(gap) <= 1e-6 * this.knownOptimum;
    return { gap, passed: result && (within || result.converged) ? within : undefined };
  });

  /** The digest, while the settings are still those of the result. */
  readonly digest = $derived(this.isCurrent ? this.run.result?.digest : undefined);
  readonly promisedDigest = $derived(this.#promise?.key === this.#key ? this.#promise.digest : '');

  /** What stands in the address: the settings, and the promise of the link while they are the link's. */
  readonly hash = $derived(this.#hashWith(this.promisedDigest));

  /** Fetches the spin glass; after a failure, again. */
  load(): Promise<void> {
    const couplings = loadTrueCouplings().then((values) => {
      this.#couplings = values;
    });
    const rows = loadGlassRows().then((values) => {
      this.#glass = values;
    });
    const loading = Promise.all([couplings, rows]).then(() => {});
    this.#loading = loading;
    loading.catch((error) => {
      this.#loading = undefined;
      this.run.report(error);
    });
    return loading.catch(() => {});
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    const { values, problems } = readHash(fields, hash);
    this.#forgetRun();
    this.own.keepFor(values);
    this.settings = { ...values, digest: '' };
    this.#promise = values.digest ? { key: this.#keyOf(values), digest: values.digest } : undefined;
    this.linkProblems = problems;
  }

  chooseData(source: Settings['data']): void {
    if (source === this.settings.data) return;
    this.#forgetRun();
    this.settings.data = source;
    this.settings.file = this.own.idFor(source);
  }

  /** The link of what is on the page, with the digest if there is one: whoever opens it can compare. */
  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.#hashWith(this.digest?.slice(0, 16) ?? this.promisedDigest)}`;
  }

  start(): Promise<void> {
    const launch = this.#launch();
    this.#forgetSteps();
    this.#ran = $state.snapshot(this.settings);
    return this.run.start(launch);
  }

  /** Whether the comparison on the page is one of the settings on the page, with a score at least. */
  readonly isCompared = $derived(
    this.comparison.best !== undefined && this.comparison.key === this.comparisonKey,
  );

  /** Compares the objectives chosen on rows held out. */
  async compare(): Promise<void> {
    if (!this.data) return;
    const { data, comparisonKey: key } = this;
    const engine = () => this.#engine.with(this.numWorkers);
    await this.comparison.start({ engine, settings: $state.snapshot(this.settings), data, key });
  }

  continue(): Promise<void> {
    return this.run.continue(this.#launch());
  }

  /** Reads a file and goes over to it; on a bad one, everything but the message stays as it was. */
  async read(file: File): Promise<void> {
    this.#counting.abort();
    this.#counting = new AbortController();
    const { signal } = this.#counting;
    const reading = this.#engine.with(this.numWorkers).then((engine) => readOwnFile(file, engine));
    try {
      let taken: OwnBits | undefined;
      await this.own.read(reading, (_, own) => {
        this.#forgetRun();
        this.settings.data = 'own';
        this.settings.file = own.id;
        this.settings.latticeRows = latticeOf(own.rows.dim, this.settings.latticeRows).numRows;
        taken = own;
      });
      if (taken) this.#covariance = { file: taken, values: await covariance(taken.rows, signal) };
    } catch (error) {
      if (!signal.aborted) this.run.report(error);
    }
  }

  close(): void {
    this.#counting.abort();
    this.own.close();
    this.run.reset();
    this.comparison.reset();
    this.#engine.close();
  }

  #launch(): Launch<FitProgress<'ising'>, FitResult<'ising'>> {
    // While it starts and runs, the settings cannot be changed, and so neither can the data.
    const data = () => {
      if (!this.data) throw new Error('The data are not here.');
      return this.data;
    };
    return {
      engine: async () => {
        const engine = this.#engine.with(this.numWorkers);
        engine.catch(() => {});
        if (!this.data) await (this.#loading ?? this.load());
        return engine;
      },
      job: (engine, options): JobHandle<FitProgress<'ising'>, FitResult<'ising'>> =>
        engine.fit(fitSpec($state.snapshot(this.settings), data()), options),
      onProgress: (progress, seconds) =>
        this.#record(progressAsStep(progress, seconds, data().truth)),
      onShow: () => {
        this.history = { ...this.#course };
        this.replay.publish();
      },
      showInterval: matchMedia('(prefers-reduced-motion: reduce)').matches ? 1000 : 0,
    };
  }

  #record(step: FitStep<Float64Array>): void {
    // After a crash of a worker some steps come again, with the same bits.
    if (step.step <= (this.#course.evaluations.at(-1) ?? 0)) return;
    this.#course = extend(this.#course, {
      evaluations: step.step,
      seconds: step.seconds,
      objective: step.objective,
      gradNorm: step.gradNorm,
      errorAll: step.errors?.all ?? null,
      errorOffDiagonal: step.errors?.offDiagonal ?? null,
    });
    // Enough for pictures, in half the memory.
    this.replay.add({ ...step, couplings: Float32Array.from(step.couplings) });
  }

  #forgetSteps(): void {
    this.#course = emptyHistory();
    this.history = emptyHistory();
    this.replay.clear();
  }

  #forgetRun(): void {
    this.run.reset();
    this.comparison.reset();
    this.#forgetSteps();
    this.#ran = undefined;
    this.own.forgetMismatch();
  }

  #keyOf(settings: Settings): string {
    const { compare } = fields;
    return writeHash(fields, { ...withoutIdle(settings), compare: compare.initial, digest: '' });
  }

  #hashWith(digest: string): string {
    return writeHash(fields, { ...withoutIdle(this.settings), digest });
  }
}
