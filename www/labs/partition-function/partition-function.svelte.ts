import {
  type ExactResult,
  type JobHandle,
  type LogZProgress,
  type LogZResult,
  type ModelSpec,
  UnnormError,
} from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { Replay } from '../../frame/replay.svelte.js';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { keptAnswer } from '../../lib/first-answers.js';
import { count } from '../../lib/format.js';
import { type Density, planeDensity } from '../../lib/plane-density.js';
import { doublingsLeft } from '../../lib/sandwich.js';
import { loadTrueCouplings } from '../../lib/spin-glass.js';
import { excerpt, Film, type Frame } from './film.js';
import firstAnswers from './first-answers.json';
import {
  cheapSpec,
  type ExactValue,
  exactQuestion,
  exactValue,
  levelSpec,
  type Problem,
} from './jobs.js';
import { type Level, levelOf, sizeOf } from './level.js';
import { MODELS, type ModelId, suits, usualNumbers } from './models.js';
import { FIRST_K, fields, LAST_K, type Settings, transitionsOf } from './settings.js';

/** Milliseconds after a change before the exact value is computed anew. */
const TYPING_PAUSE = 80;

/** Milliseconds between two pictures of the chains, and where little motion is wanted. */
const SHOW_INTERVAL = 60;
const CALM_INTERVAL = 1500;

/** Chains whose bits are shown. */
const CHAINS_SHOWN = 18;

/** What the work for one K comes to besides its K steps, in steps. */
const OVERHEAD = 50;

/** Hidden units up to which a restricted Boltzmann machine has exact draws. */
const MAX_HIDDEN_DRAWN = 20;

/** What is known of log Z without an estimate. */
export type Exact =
  | { kind: 'pending' }
  | ({ kind: 'known' } & ExactValue)
  | { kind: 'unknown'; reason: string };

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class PartitionFunction {
  settings = $state<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  exact = $state.raw<Exact>({ kind: 'pending' });
  /** The density over the window, for models on the plane. */
  density = $state.raw<Density>();
  /** What is wrong with the formula, in the engine's words. */
  formulaProblem = $state('');
  /** Every K that is done, ascending, each twice the one before. */
  levels = $state.raw<readonly Level[]>([]);
  /** With K = 1. */
  cheap = $state.raw<LogZResult>();
  /** Where the chains were that go forward, and those that go back. */
  forward = $state.raw<readonly Frame[]>([]);
  reverse = $state.raw<readonly Frame[]>([]);
  /** The β at which they are looked at; undefined follows the run. */
  beta = $state<number>();
  readonly replay = new Replay<Level>(sizeOf, ({ K }) => `K = ${count(K)}`);
  readonly run = new RunSequence<LogZProgress, LogZResult>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  readonly #films = { forward: new Film(), reverse: new Film() };
  #glass = $state.raw<Float64Array>();
  /** The digest that the link promised, until a setting is changed. */
  #promise = $state('');
  readonly #engine = new EngineHolder();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #serial = 0;
  #exactJob: JobHandle<unknown, ExactResult> | undefined;

  readonly labModel = $derived(MODELS[this.settings.model]);
  readonly dim = $derived(this.labModel.dim(this.settings));
  /** The model; undefined until the couplings of the spin glass are here. */
  readonly model: ModelSpec | undefined = $derived.by(() => {
    const glass = this.settings.model === 'glass' ? this.#glass : new Float64Array();
    return glass && this.labModel.spec(this.settings, glass);
  });
  /** How many chains are shown, and how many of their numbers: all bits, or two coordinates. */
  readonly seen = $derived(
    this.labModel.isBinary
      ? { num: Math.min(CHAINS_SHOWN, this.settings.chains), width: this.dim }
      : { num: this.settings.chains, width: 2 },
  );
  readonly exactLogZ = $derived(this.exact.kind === 'known' ? this.exact.logZ : undefined);
  /** Whether reverse runs can start from exact draws: wherever Z is known, but for large machines. */
  readonly hasExactDraws = $derived(
    this.exact.kind === 'known' &&
      !(this.settings.model === 'rbm' && this.settings.size > MAX_HIDDEN_DRAWN),
  );

  /** The K at which the run has come, or will come, to its end. */
  readonly finalLevel = $derived(
    this.levels.find(({ gap }) => gap <= this.settings.gap) ??
      this.levels.find(({ K }) => K >= LAST_K),
  );
  readonly isGapReached = $derived(
    this.finalLevel !== undefined && this.finalLevel.gap <= this.settings.gap,
  );
  readonly K = $derived(FIRST_K * 2 ** this.levels.length);
  readonly canStart = $derived(this.exact.kind !== 'pending' && !this.formulaProblem);
  readonly canContinue = $derived(
    this.run.status === 'stopped' ||
      (this.run.status === 'failed' && this.run.run.canContinue) ||
      (this.run.status === 'done' && !this.finalLevel),
  );
  /** The level that pictures and numbers show. */
  readonly shown = $derived(this.replay.shown);
  /** The digest of the last K, when the run has come to its end. */
  readonly digest = $derived(this.finalLevel?.result.digest);
  readonly promisedDigest = $derived(this.#promise);
  readonly hash = $derived(writeHash(fields, { ...this.settings, digest: this.#promise }));

  /** The part that is done, and that of the present K, as far as the way the gap falls lets it be foretold. */
  readonly #share = $derived.by(() => {
    const { levels } = this;
    const left = doublingsLeft(
      levels.map(({ gap }) => gap),
      this.settings.gap,
    );
    if (left === undefined) return undefined;
    const workOf = (K: number) => K + OVERHEAD;
    const last = Math.min(LAST_K, (this.K / 2) * 2 ** left);
    let total = 0;
    let before = 0;
    for (let K = FIRST_K; K <= last; K *= 2) {
      total += workOf(K);
      if (K < this.K) before += workOf(K);
    }
    return { before: before / total, job: workOf(this.K) / total };
  });

  /** The settings with what is to be estimated, as plain data. */
  get problem(): Problem | undefined {
    return (
      this.model && {
        settings: $state.snapshot(this.settings) as Settings,
        model: this.model,
        hasExactDraws: this.hasExactDraws,
      }
    );
  }

  /** The same, in a run: its first job has waited for the couplings. */
  get #known(): Problem {
    const { problem } = this;
    if (!problem) throw new Error('The couplings of the spin glass are not here.');
    return problem;
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash && this.exact.kind !== 'pending') return;
    const { values, problems } = readHash(fields, hash);
    const usual = usualNumbers(values.model);
    const fits = suits(values);
    // What a link leaves open is what suits its model.
    const given = new URLSearchParams(hash.replace(/^#/, ''));
    for (const name of ['shape', 'size'] as const) {
      if (given.has(name) && !fits[name])
        problems.push(`The link’s ${name} does not go with its model; ${usual[name]} is used.`);
      if (!given.has(name) || !fits[name]) values[name] = usual[name];
    }
    if (!given.has('referenceSd')) values.referenceSd = usual.referenceSd;
    const transitions = transitionsOf(values.model);
    if (!transitions.includes(values.transition)) {
      if (given.has('transition'))
        problems.push('The link’s transition is not for its model; the usual one is used.');
      values.transition = transitions[0] ?? 'gibbs';
    }
    this.reset();
    this.#promise = values.digest;
    this.settings = { ...values, digest: '' };
    this.linkProblems = problems;
    this.#prepare();
  }

  close(): void {
    this.reset();
    clearTimeout(this.#timer);
    this.#serial++;
    this.#exactJob?.cancel();
    this.#engine.close();
  }

  /** The link of what is on the page, with the digest if there is one: whoever opens it can compare. */
  link(): string {
    const digest = this.digest?.slice(0, 16) ?? this.#promise;
    return `${location.href.replace(/[?#].*$/, '')}${writeHash(fields, { ...this.settings, digest })}`;
  }

  /** Changes settings: what was found with the old ones goes. */
  change(settings: Partial<Settings>): void {
    Object.assign(this.settings, settings);
    this.#promise = '';
    this.reset();
    const isOther = (['model', 'shape', 'size', 'modelSeed', 'formula', 'reach'] as const).some(
      (name) => name in settings,
    );
    if (isOther) this.#prepare();
  }

  /** Another model, with the numbers and the transition that suit it. */
  chooseModel(model: ModelId): void {
    const transition = transitionsOf(model)[0] ?? 'gibbs';
    this.change({ model, transition, ...usualNumbers(model) });
  }

  /** Another gap to stop at. What was found stays: a run that has ended may have further to go. */
  setGap(gap: number): void {
    this.settings.gap = gap;
    this.#promise = '';
  }

  reset(): void {
    this.run.reset();
    this.levels = [];
    this.cheap = undefined;
    this.#films.forward.clear();
    this.#films.reverse.clear();
    this.#showChains();
    this.beta = undefined;
    this.replay.clear();
  }

  start(): Promise<void> {
    this.reset();
    return this.run.start();
  }

  continue(): Promise<void> {
    return this.run.continue();
  }

  /** The next job: first the cheap estimates, then every K until the gap is small enough. */
  #next(): Launch<LogZProgress, LogZResult> | undefined {
    if (this.finalLevel) return undefined;
    if (!this.cheap) {
      return {
        engine: async () => {
          // The exact value may be here before the couplings of the spin glass.
          await this.#loadGlass();
          return this.#engine.with(USUAL_WORKERS);
        },
        job: (made, options) => made.logZ(cheapSpec(this.#known), options),
        onProgress: () => {},
        onResult: (result) => {
          this.cheap = result;
        },
      };
    }
    const engine = () => this.#engine.with(USUAL_WORKERS);
    const { K } = this;
    const spec = levelSpec(this.#known, K);
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return {
      engine,
      job: (made, options) => made.logZ(spec, { ...options, streamDraws: true }),
      onProgress: (progress) => this.#film(K, progress),
      // Every round: most runs are over in a blink, and are looked at afterwards.
      progressInterval: 0,
      onShow: () => this.#showChains(),
      showInterval: calm ? CALM_INTERVAL : SHOW_INTERVAL,
      onResult: (result, seconds) => {
        const level = levelOf(this.levels.length + 1, K, result, seconds);
        this.levels = [...this.levels, level];
        this.replay.add(level);
        this.replay.publish();
        this.#showChains();
      },
    };
  }

  #film(K: number, { phase, beta, states }: LogZProgress): void {
    if (!states || states.length === 0 || (phase !== 'forward' && phase !== 'reverse')) return;
    const { num, width } = this.seen;
    this.#films[phase].add(K, beta, excerpt(states, this.dim, { num, width }), width);
  }

  #showChains(): void {
    this.forward = this.#films.forward.frames();
    this.reverse = this.#films.reverse.frames();
  }

  /** Finds out what is known of the model, when the typing pauses. */
  #prepare(): void {
    const serial = ++this.#serial;
    this.#exactJob?.cancel();
    const kept = keptAnswer<ExactValue>(firstAnswers, exactQuestion(this.settings));
    this.exact = kept ? { kind: 'known', ...kept } : { kind: 'pending' };
    if (kept) this.formulaProblem = '';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#findOut(serial), TYPING_PAUSE);
  }

  async #loadGlass(): Promise<void> {
    if (this.settings.model === 'glass') this.#glass ??= await loadTrueCouplings();
  }

  async #findOut(serial: number): Promise<void> {
    try {
      await this.#loadGlass();
      const engine = await this.#engine.with(USUAL_WORKERS);
      if (serial !== this.#serial || !this.model || this.exact.kind === 'known') return;
      const { model, labModel, settings } = this;
      const density =
        labModel.window && this.dim === 2
          ? await planeDensity(engine, model, labModel.window(settings))
          : undefined;
      if (serial !== this.#serial) return;
      this.density = density;
      const job = engine.exact({ model });
      this.#exactJob = job;
      const value = await exactValue(job);
      if (serial !== this.#serial) return;
      this.formulaProblem = '';
      this.exact = { kind: 'known', ...value };
    } catch (error) {
      if (serial === this.#serial) this.#takeError(error);
    }
  }

  #takeError(error: unknown): void {
    const code = error instanceof UnnormError ? error.code : undefined;
    if (code === 'missing-capability' || code === 'too-large') {
      this.formulaProblem = '';
      this.exact = { kind: 'unknown', reason: String((error as UnnormError).message) };
    } else if (this.settings.model === 'formula' && code?.startsWith('invalid')) {
      this.formulaProblem = (error as UnnormError).message.replace(/^model\.expression:\s*/, '');
    } else if (code !== 'aborted') {
      this.run.report(error);
    }
  }
}
