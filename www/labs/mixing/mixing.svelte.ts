import type { ChainProgress, ChainResult, Engine } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { Playhead, prefersStill } from '../../frame/playhead.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { distanceOf, Evolution } from '../../lib/evolution.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { boundsOf } from './bounds.js';
import { MatrixDraft } from './matrix-draft.svelte.js';
import { chainOf } from './presets.js';
import { fields, type Settings } from './settings.js';
import { Sizes } from './sizes.svelte.js';

/** Steps that the pictures show where the mixing time is not known or short, and how many mixing times else. */
const LEAST_HORIZON = 24;
const MIXING_TIMES_SHOWN = 4;

/** The state of the lab and what can be done with it; with `sizes`, the only place in it that talks to the engine. */
export class Mixing {
  settings = $state.raw<Settings>(settingsIn('').settings);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  result = $state.raw<ChainResult>();
  seconds = $state.raw<number>();
  readonly run = new Run<ChainProgress, ChainResult>();
  /** How far along the steps the pictures are. */
  readonly playhead = new Playhead();
  /** The matrix as it is being typed. */
  readonly draft = new MatrixDraft();
  readonly sizes: Sizes;
  /** Steps that a link asks for may lie beyond what would be shown. */
  #asked = $state(0);
  /** Once something was computed, whatever is changed is computed at once. */
  #hasRun = false;
  readonly #engine = new EngineHolder();

  readonly chain = $derived.by(() => chainOf(this.settings));
  /** T, once it is known. */
  readonly matrix: ArrayLike<number> | undefined = $derived.by(
    () => this.chain.matrix ?? this.result?.transitions,
  );
  readonly start = $derived.by(() => Math.min(this.settings.start, this.chain.numStates - 1));
  readonly horizon = $derived.by(() =>
    Math.max(LEAST_HORIZON, this.#asked, MIXING_TIMES_SHOWN * (this.result?.mixingTime ?? 0)),
  );
  readonly t = $derived.by(() => Math.round(this.playhead.share * this.horizon));
  readonly #evolution = $derived.by(() => (this.matrix ? new Evolution(this.matrix) : undefined));
  /** δ_i Tᵗ; where T is not known yet, only before the first step. */
  readonly now: Float64Array | undefined = $derived.by(() => {
    if (this.#evolution) return this.#evolution.after(this.start, this.t);
    if (this.t > 0) return undefined;
    return Float64Array.from(this.chain.names, (_, state) => Number(state === this.start));
  });
  readonly distance = $derived.by(() =>
    this.now && this.result ? distanceOf(this.now, this.result.stationary) : undefined,
  );
  readonly bounds = $derived.by(() => (this.result ? boundsOf(this.result) : undefined));
  readonly hash = $derived.by(() =>
    writeHash(fields, { ...this.settings, start: this.start, t: this.t }),
  );

  constructor() {
    this.sizes = new Sizes(
      () => this.settings.beta,
      () => this.engine(),
    );
    this.playhead.goTo(0);
    this.draft.show(this.chain.matrix ?? []);
  }

  /** The distance from π after so many steps; undefined while T or π is not known. */
  distanceAt(t: number): number | undefined {
    const now = this.#evolution?.after(this.start, t);
    return now && this.result ? distanceOf(now, this.result.stationary) : undefined;
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash) return;
    const { settings, t, problems } = settingsIn(hash);
    const isOther = settings.beta !== this.settings.beta;
    this.#change(settings);
    if (isOther) this.sizes.reset();
    this.linkProblems = problems;
    this.#asked = t;
    this.goTo(t);
  }

  close(): void {
    this.reset();
    this.sizes.reset();
    this.#engine.close();
  }

  engine(): Promise<Engine> {
    return this.#engine.with(USUAL_WORKERS);
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes what chain it is. */
  change(settings: Partial<Settings>): void {
    this.#change(settings);
    this.#asked = 0;
    this.goTo(0);
    if (this.#hasRun) void this.launch();
  }

  /** Changes where it begins: nothing needs to be computed anew. */
  begin(start: number): void {
    this.settings = { ...this.settings, start };
  }

  changeBeta(beta: number): void {
    this.settings = { ...this.settings, beta };
    this.sizes.reset();
  }

  /** The matrix that was typed becomes the chain, once nothing is wrong with it. */
  take(): void {
    const { matrix } = this.draft;
    if (matrix) this.change({ preset: 'own', matrix });
    else this.reset();
  }

  reset(): void {
    this.run.reset();
    this.result = undefined;
    this.seconds = undefined;
    this.playhead.pause();
  }

  /** To so many steps, and stays there. */
  goTo(t: number): void {
    this.playhead.goTo(Math.min(1, t / this.horizon));
  }

  launch(): Promise<void> {
    this.#hasRun = true;
    const { t } = this;
    this.reset();
    this.goTo(t);
    return this.run.start(this.#launch());
  }

  continue(): Promise<void> {
    return this.run.continue(this.#launch());
  }

  #launch(): Launch<ChainProgress, ChainResult> {
    const spec = this.chain.spec;
    return {
      engine: () => this.engine(),
      job: (engine, options) => engine.chain(spec, options),
      onProgress: () => {},
      onResult: (result, seconds) => this.#show(result, seconds),
    };
  }

  #show(result: ChainResult, seconds: number): void {
    const { t } = this;
    this.result = result;
    this.seconds = seconds;
    if (!this.chain.matrix) this.draft.show(result.transitions ?? []);
    this.goTo(t);
    if (prefersStill() || t > 0) return;
    this.playhead.play();
  }

  #change(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    this.reset();
    this.draft.show(this.chain.matrix ?? []);
  }
}

function settingsIn(hash: string): { settings: Settings; t: number; problems: string[] } {
  const { values, problems } = readHash(fields, hash);
  const { t, ...settings } = values;
  return { settings, t, problems };
}
