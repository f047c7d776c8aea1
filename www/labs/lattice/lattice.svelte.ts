import type { Engine } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { t } from '../../lib/language.js';
import { energyPerSite as exactEnergy, magnetization } from '../../lib/onsager.js';
import { Playback } from './playback.js';
import { checkOf, type Point, pointOf, samePlace, together } from './point.js';
import { type Course, Sampling } from './sampling.svelte.js';
import { alignedBits, energyPerSite, numDrawsOf, type Segment, segmentSeed } from './segment.js';
import type { NewStates, SegmentEnd } from './segment-job.js';
import {
  fields,
  isPossible,
  MAX_COMMON_SIDE,
  type Sampler,
  type Settings,
  SWEEP,
  samplerOf,
} from './settings.js';
import { type Trace, TraceKeeper } from './trace.js';

/** Milliseconds between two updates of curves and numbers, and of the lattice where little motion is wanted. */
const SHOW_INTERVAL = 250;
const CALM_INTERVAL = 1000;

/** A segment as it went: enough to sample it again. */
export type Done = Pick<
  Segment,
  'index' | 'temperature' | 'field' | 'sampler' | 'numDraws' | 'measured' | 'seed'
>;

/** The newest state, for the picture. */
export interface Picture {
  side: number;
  bits: Uint8Array;
}

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class LatticeLab {
  settings = $state<Settings>(readHash(fields, '').values);
  linkProblems = $state.raw<string[]>([]);
  readonly run = new Sampling();
  /** Every temperature that was measured; the newest last. */
  points = $state.raw<readonly Point[]>([]);
  trace = $state.raw<Trace>(new TraceKeeper().read());
  numDraws = $state(0);
  /** Of the newest draw: energy per site and Σ s / D. */
  latest = $state.raw<{ energy: number; spin: number }>();
  /** The newest state and how the run came there, as of the last update of the page. */
  shown = $state.raw<Picture>();
  done = $state.raw<readonly Done[]>([]);
  /** The graphics processor that the engine uses, or none; undefined before the engine was asked for one. */
  processor = $state.raw<{ name: string | undefined }>();
  /** How the run on the page began. */
  ran = $state.raw<{ seed: number; aligned: boolean }>();
  readonly calm = matchMedia('(prefers-reduced-motion: reduce)').matches;

  readonly side = $derived(Number(this.settings.side));
  /** The point of the temperature that is set, by the sampler that is set. */
  readonly point = $derived.by(() => {
    const { sampler, temperature, field } = this.settings;
    return this.points.find(
      (point) =>
        point.side === this.side &&
        point.sampler === sampler &&
        point.temperature === temperature &&
        point.field === field,
    );
  });
  readonly check = $derived(this.point && checkOf(this.point));
  readonly canContinue = $derived.by(
    () =>
      (this.run.status === 'stopped' || this.run.status === 'failed') &&
      this.shown?.side === this.side &&
      this.ran?.seed === this.settings.seed,
  );
  readonly hash = $derived(writeHash(fields, this.settings));

  readonly #engine = new EngineHolder();
  readonly #playback = new Playback();
  readonly #keeper = new TraceKeeper();
  #history: Done[] = [];
  #measured: readonly Point[] = [];
  #picture: Picture | undefined;
  #frame = 0;
  #shownAt = 0;
  #paint: (picture: Picture) => void = () => {};
  /** Which temperature of the sweep is next, and whether the lattice has settled at the present one. */
  #step = 0;
  #settled = false;

  /** Hears every state that is to be drawn, at most one a frame. */
  watch(paint: (picture: Picture) => void): () => void {
    this.#paint = paint;
    if (this.#picture) paint(this.#picture);
    return () => {
      this.#paint = () => {};
    };
  }

  open(hash: string): void {
    const { values, problems } = readHash(fields, hash);
    this.#measured = [];
    this.#forget();
    this.settings = values;
    this.linkProblems = problems;
    if (isPossible(values.sampler, this.side)) return;
    this.linkProblems = [
      ...problems,
      t('The link has more sites along a side than {sampler} takes, so there are {most}.', {
        sampler: samplerOf(values.sampler).name,
        most: MAX_COMMON_SIDE,
      }),
    ];
    this.settings.side = `${MAX_COMMON_SIDE}`;
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Sets the temperature or the field, also while a run goes on: the lattice goes over to them from where it is. */
  set(changes: Partial<Pick<Settings, 'temperature' | 'field'>>): void {
    Object.assign(this.settings, changes);
    if (!this.run.busy) return;
    this.settings.mode = 'hold';
    this.#settled = false;
    this.run.skip();
  }

  /** Sets the size; the lattice on the page, of another one, is gone. */
  resize(side: Settings['side']): void {
    if (side === this.settings.side) return;
    this.#forget();
    this.settings.side = side;
    if (!isPossible(this.settings.sampler, this.side)) this.settings.sampler = 'checkerboard';
  }

  /** Sets the sampler; most have no lattice of the largest sizes. */
  sampleBy(sampler: Sampler): void {
    if (!isPossible(sampler, this.side)) this.resize(`${MAX_COMMON_SIDE}`);
    this.settings.sampler = sampler;
  }

  start(mode: Settings['mode'] = this.settings.mode): Promise<void> {
    this.#forget();
    this.settings.mode = mode;
    const aligned = startsAligned(this.settings);
    this.ran = { seed: this.settings.seed, aligned };
    if (aligned) this.#picture = { side: this.side, bits: alignedBits(this.side) };
    return this.#go(true);
  }

  continue(): Promise<void> {
    if (this.settings.mode === 'sweep' && this.#step >= SWEEP.length) this.#step = 0;
    this.#settled = false;
    return this.#go(false);
  }

  forgetPoints(): void {
    this.#measured = [];
    this.points = [];
  }

  close(): void {
    this.run.reset();
    cancelAnimationFrame(this.#frame);
    this.#engine.close();
  }

  async #go(fresh: boolean): Promise<void> {
    await this.run.go(this.#course(), fresh, this.settings.mode === 'sweep');
    if (!this.run.busy) this.#rest();
  }

  #course(): Course {
    return {
      // One chain has work for one worker only.
      engine: () => this.#start(),
      next: () => this.#next(),
      onStates: (segment, states) => this.#take(segment, states),
      onEnd: (segment, end, seconds) => this.#finish(segment, end, seconds),
      share: () => {
        const { mode } = this.settings;
        const numDraws = this.#numDraws;
        if (mode === 'hold') return { before: 0, segment: 1 };
        const settling = settlingDraws(numDraws) / (numDraws + settlingDraws(numDraws));
        return {
          before: (this.#step + (this.#settled ? settling : 0)) / SWEEP.length,
          segment: (this.#settled ? 1 - settling : settling) / SWEEP.length,
        };
      },
    };
  }

  async #start(): Promise<Engine> {
    const gpu = this.settings.device === 'gpu';
    const engine = await this.#engine.with(1, { gpu });
    this.processor = gpu ? { name: engine.gpu } : undefined;
    return engine;
  }

  get #numDraws(): number {
    return numDrawsOf(this.settings.numDraws, this.side);
  }

  #next(): { segment: Segment; bits: Uint8Array | undefined } | undefined {
    const { side, settings } = this;
    if (settings.mode === 'sweep') {
      const temperature = SWEEP[this.#step];
      if (temperature === undefined) return undefined;
      settings.temperature = temperature;
    }
    const index = this.#history.length;
    const segment: Segment = {
      index,
      side,
      sampler: settings.sampler,
      temperature: settings.temperature,
      field: settings.field,
      numDraws: this.#settled ? this.#numDraws : settlingDraws(this.#numDraws),
      measured: this.#settled,
      seed: segmentSeed(this.ran?.seed ?? 0, index),
    };
    return { segment, bits: this.#picture?.bits };
  }

  #take(segment: Segment, { energies, spins, states, numMissed }: NewStates): void {
    const { temperature, field } = segment;
    this.#keeper.skip(numMissed);
    const exactEnergies = field === 0 ? exactEnergy(temperature) : null;
    const exactSpins = field === 0 ? magnetization(temperature) : null;
    energies.forEach((energy, n) => {
      this.#keeper.add({
        energies: energyPerSite(segment, energy),
        spins: spins[n] as number,
        exactEnergies,
        exactSpins,
      });
    });
    const last = states.at(-1);
    if (last) this.#picture = { side: segment.side, bits: last };
    this.#playback.offer(states, performance.now());
    this.#askForFrame();
  }

  #askForFrame(): void {
    if (!this.#frame) this.#frame = requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now: number): void {
    this.#frame = 0;
    const due = now - this.#shownAt >= (this.calm ? CALM_INTERVAL : SHOW_INTERVAL);
    const bits = this.#playback.at(now);
    if (bits && !this.calm) this.#paint({ side: this.side, bits });
    if (this.#picture && due && this.calm) this.#paint(this.#picture);
    if (due) this.#show(now);
    // Until the last state is on the page, in the picture and in the numbers.
    if (!this.#playback.isOver || !due) this.#askForFrame();
  }

  /** Brings curves and numbers up to date. */
  #show(now: number): void {
    this.#shownAt = now;
    this.run.readClock();
    this.trace = this.#keeper.read();
    this.numDraws = this.#keeper.numDraws;
    this.shown = this.#picture;
    this.points = this.#measured;
    if (this.done.length !== this.#history.length) this.done = [...this.#history];
    const [energy, spin] = [this.trace.energies.at(-1), this.trace.spins.at(-1)];
    this.latest = energy === undefined || spin === undefined ? undefined : { energy, spin };
  }

  #finish(segment: Segment, { bits, numDraws, result, spins }: SegmentEnd, seconds: number): void {
    if (bits) this.#picture = { side: segment.side, bits };
    const { index, temperature, field, sampler, measured, seed } = segment;
    // Without a draw the lattice has not moved, and its seed can be used again.
    if (numDraws > 0) {
      this.#history.push({ index, temperature, field, sampler, numDraws, measured, seed });
    }
    if (result && this.settings.temperature === temperature && this.settings.field === field) {
      if (measured && result.energySummary) {
        this.#add(pointOf(segment, this.ran?.seed ?? 0, result.energySummary, spins, seconds));
      }
      if (measured && this.settings.mode === 'sweep') {
        this.#step += 1;
        this.#settled = false;
      } else {
        this.#settled = true;
      }
    }
    // Small lattices end many segments a second: the page waits for its next update.
    if (!result) this.#rest();
    else this.#askForFrame();
  }

  /** Shows where the run has come to, without delay. */
  #rest(): void {
    this.#playback.clear();
    if (this.#picture) this.#paint(this.#picture);
    this.#show(performance.now());
  }

  /** A new segment at the place of the last point goes with it; otherwise it takes the place of an old one there. */
  #add(point: Point): void {
    const others = this.#measured.filter((other) => !samePlace(other, point));
    const last = this.#measured.at(-1);
    const goesOn = last && samePlace(last, point) && this.#history.at(-2)?.measured;
    this.#measured = [...others, goesOn ? together(last, point) : point];
  }

  #forget(): void {
    this.run.reset();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#keeper.clear();
    this.#playback.clear();
    this.#history = [];
    this.done = [];
    this.ran = undefined;
    this.#picture = undefined;
    this.#step = 0;
    this.#settled = false;
    this.#show(0);
  }
}

/** Whether a run of these settings begins with all spins up; else the seed gives them. */
export function startsAligned({ mode, start }: Settings): boolean {
  return mode === 'sweep' || start === 'aligned';
}

/** Draws that are not measured, after a change of the temperature. */
export function settlingDraws(numDraws: number): number {
  return Math.ceil(numDraws / 3);
}
