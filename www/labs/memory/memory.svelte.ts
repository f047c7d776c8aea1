import type { MemorizeProgress, MemorizeResult, RecallProgress, RecallResult } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { ByFlips } from './by-flips.svelte.js';
import { Capacity } from './capacity.svelte.js';
import { emptyCourse, extended, type LearningCourse } from './course.js';
import { type Explored, exploredOf, minimaOf, startsOf } from './explore.js';
import { type LieCheck, lieCheck } from './lie-check.js';
import { type OwnPictures, resized } from './own-pictures.js';
import { type Files, loadFor, type Pictures, picturesOf } from './pictures.js';
import { Recall } from './recall.svelte.js';
import { memorizeSpec } from './rules.js';
import { fields, type Settings } from './settings.js';

/** Pictures that were stored, and the network that holds them. */
export interface Memory {
  pictures: Pictures;
  result: MemorizeResult;
  /** The biases and couplings, as the engine gives them. */
  params: Float64Array;
  seconds: number;
}

type Progress = MemorizeProgress | RecallProgress;
type Result = MemorizeResult | RecallResult;

/** Which settings the result of storing does not depend on. */
const IDLE = ['task', 'noise', 'spoiled', 'units', 'trials', 'rules', 'digest'] as const;

/** The part of the time that storing takes; the rest goes into looking around. */
const STORING = 0.7;

/** The state of the lab and what can be done with it; the only place in it that starts jobs, with `recall` and `capacity`. */
export class MemoryLab {
  settings = $state<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  #files = $state.raw<Files>({});
  memory = $state.raw<Memory>();
  course = $state.raw<LearningCourse>(emptyCourse());
  /** What lies in the memory besides. */
  explored = $state.raw<Explored>();
  /** Margins and energies by this page's own program. */
  check = $state.raw<LieCheck>();
  readonly #engine = new EngineHolder();
  readonly run = new RunSequence<Progress, Result>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  readonly recall = new Recall(this);
  readonly capacity = new Capacity(this);
  readonly byFlips = new ByFlips(this);
  #promise = $state('');
  #end = new AbortController();
  #learning = emptyCourse();

  readonly isCapacity = $derived(this.settings.task === 'capacity');
  readonly side = $derived(Number(this.settings.side));
  readonly dim = $derived(this.side ** 2);
  /** What is to be stored; undefined while its data are on the way. */
  readonly pictures: Pictures | undefined = $derived(picturesOf(this.settings, this.#files));
  readonly minima = $derived(
    this.memory && this.explored ? minimaOf(this.memory, this.explored) : [],
  );
  readonly digest = $derived(this.memory?.result.digest);
  readonly promisedDigest = $derived(this.#promise);
  readonly hash = $derived(writeHash(fields, { ...this.settings, digest: this.#promise }));
  readonly canContinue = $derived(this.run.status === 'stopped');
  readonly #share = $derived(
    this.memory ? { before: STORING, job: 1 - STORING } : { before: 0, job: STORING },
  );

  /** The settings as plain data. */
  get plainSettings(): Settings {
    return $state.snapshot(this.settings) as Settings;
  }

  engine() {
    return this.#engine.with(USUAL_WORKERS);
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash && this.pictures) return;
    const { values, problems } = readHash(fields, hash);
    this.capacity.reset();
    this.#forget();
    this.#promise = values.digest;
    this.settings = { ...values, digest: '' };
    if (values.own.pictures.length > 0) this.settings.own = resized(values.own, this.side);
    this.linkProblems = problems;
    void this.#load();
  }

  /** The link of what is on the page, with the digest if there is one: whoever opens it can compare. */
  link(): string {
    const digest = this.digest?.slice(0, 16) ?? this.#promise;
    return `${location.href.replace(/[?#].*$/, '')}${writeHash(fields, { ...this.settings, digest })}`;
  }

  /** Changes settings; what was stored with the old ones goes, where it depends on them. */
  change(settings: Partial<Settings>): void {
    Object.assign(this.settings, settings);
    if (settings.units || settings.trials || settings.rules) this.capacity.reset();
    if (settings.seed !== undefined || settings.spoiled !== undefined) this.capacity.reset();
    if (settings.rules) this.byFlips.reset();
    const names = Object.keys(settings);
    if (names.every((name) => IDLE.some((idle) => idle === name))) return;
    this.#promise = '';
    if (settings.side) this.settings.own = resized(this.settings.own, this.side);
    this.#forget();
    void this.#load();
  }

  /** Adds a picture of the present size. */
  add(bits: Uint8Array): void {
    const { pictures } = this.settings.own;
    this.change({ own: { side: this.side, pictures: [...pictures, bits.slice()] } });
    this.recall.pick((this.pictures?.rows.numRows ?? 1) - 1);
  }

  setOwn(own: OwnPictures): void {
    this.change({ own });
  }

  start(): Promise<void> {
    const { cue, picked } = this.recall;
    this.#forget();
    // What was drawn stays on the grid.
    if (cue) this.recall.restore(cue, picked);
    return this.run.start();
  }

  continue(): Promise<void> {
    return this.run.continue();
  }

  close(): void {
    this.#forget();
    this.capacity.reset();
    this.#engine.close();
  }

  /** First the pictures are stored, then it is looked at what comes back, and what lies there besides. */
  #next(): Launch<Progress, Result> | undefined {
    const { pictures, memory } = this;
    if (!pictures || pictures.rows.numRows === 0) return undefined;
    const settings = this.plainSettings;
    if (!memory) return this.#storing(pictures, settings);
    if (this.explored) return undefined;
    const starts = startsOf(memory.pictures, settings);
    return {
      engine: () => this.engine(),
      job: (made, options) =>
        made.recall(
          {
            model: memory.result.model,
            cues: { kind: 'bits', ...starts.cues },
            order: { kind: settings.order },
            seed: settings.seed,
          },
          options,
        ),
      onProgress: () => {},
      onResult: (result) => {
        this.explored = exploredOf(memory.pictures, starts, result as RecallResult);
      },
    };
  }

  #storing(pictures: Pictures, settings: Settings): Launch<Progress, Result> {
    const spec = memorizeSpec(settings, pictures.rows.dim);
    return {
      engine: () => this.engine(),
      job: (made, options) =>
        made.memorize({ ...spec, patterns: { kind: 'bits', ...pictures.rows } }, options),
      // A report of a large network is soon made, but the rounds between are long.
      progressInterval: 0,
      onProgress: (progress) => {
        if (progress.verb === 'memorize') this.#learning = extended(this.#learning, progress);
      },
      onShow: () => {
        this.course = this.#learning;
      },
      showInterval: 40,
      onResult: (result, seconds) => {
        const stored = result as MemorizeResult;
        const params = (stored.model as { params: Float64Array }).params;
        this.memory = { pictures, result: stored, params, seconds };
        void this.#checkLies(this.memory);
      },
    };
  }

  async #checkLies(memory: Memory): Promise<void> {
    const { signal } = this.#end;
    try {
      const check = await lieCheck(memory, signal);
      if (!signal.aborted) this.check = check;
    } catch (error) {
      if (!signal.aborted) this.run.report(error);
    }
  }

  async #load(): Promise<void> {
    try {
      this.#files = await loadFor(this.settings.source, this.#files);
      this.recall.pick(0);
    } catch (error) {
      this.run.report(error);
    }
  }

  #forget(): void {
    this.#end.abort();
    this.#end = new AbortController();
    this.run.reset();
    this.memory = undefined;
    this.#learning = emptyCourse();
    this.course = this.#learning;
    this.explored = undefined;
    this.check = undefined;
    this.recall.reset();
    this.byFlips.reset();
  }
}
