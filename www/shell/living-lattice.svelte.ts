import type { SampleResult } from 'unnorm';
import { EngineHolder } from '../frame/engine-holder.js';
import { describe } from '../frame/run.svelte.js';
import { criticalLattice } from '../labs/lattice/critical-lattice.js';
import type { Picture } from '../labs/lattice/lattice.svelte.js';
import { type Segment, segmentSeed, specOf } from '../labs/lattice/segment.js';
import { meanSpin } from '../labs/lattice/spins.js';
import { CRITICAL_TEMPERATURE } from '../lib/onsager.js';

/** Sites along a side: above the 4,096 sites up to which the engine fills in a dense matrix of couplings. */
export const SIDE = 176;

/** Sweeps of one job of the engine. */
const SWEEPS = 12;
/** The next job starts when so few states are left to show. */
const FEW = 6;
/** States of the old temperature that are still shown after a change, so that the lattice moves until the next come. */
const KEPT = 2;
/** Milliseconds of a frame: faster screens show no more than about 60 states a second. */
const FRAME = 15;
/** Milliseconds between two updates of the numbers. */
const SHOW_INTERVAL = 250;

/**
 * The lattice of the landing page: the Ising model sampled by the engine, as in the lab, one sweep a frame. It computes no
 * more than it shows: short jobs, each from the last state of the one before.
 */
export class LivingLattice {
  /** Whether it moves when it is seen. */
  isPlaying = $state(!matchMedia('(prefers-reduced-motion: reduce)').matches);
  /** In J/k, as it was set. */
  setTemperature = $state(CRITICAL_TEMPERATURE);
  /** In J/k, where the pointer is on the lattice. */
  pointedTemperature = $state<number>();
  readonly temperature = $derived(this.pointedTemperature ?? this.setTemperature);
  /** Σ s / D of the state that was shown at the last update of the numbers. */
  magnetization = $state(0);
  /** Jobs that were started. */
  numJobs = $state(0);
  problem = $state<string>();

  readonly #engine = new EngineHolder();
  #bits = criticalLattice(SIDE);
  #queue: Uint8Array[] = [];
  /** What the newest job was asked for. */
  #queueTemperature = CRITICAL_TEMPERATURE;
  #paint: (picture: Picture) => void = () => {};
  #isSeen = false;
  #isBusy = false;
  #frame = 0;
  #paintedAt = 0;
  #shownAt = 0;

  constructor() {
    this.magnetization = meanSpin(this.#bits);
  }

  /** Hears every state that is to be drawn, until the function it gives is called. */
  watch(paint: (picture: Picture) => void): () => void {
    this.#paint = paint;
    paint({ side: SIDE, bits: this.#bits });
    return () => {
      this.#paint = () => {};
    };
  }

  /** Says whether any of the lattice is in view. */
  see(isSeen: boolean): void {
    this.#isSeen = isSeen;
    this.#askForFrame();
  }

  toggle(): void {
    this.isPlaying = !this.isPlaying;
    this.problem = undefined;
    this.#askForFrame();
  }

  close(): void {
    this.isPlaying = false;
    cancelAnimationFrame(this.#frame);
    this.#engine.close();
  }

  /** Browsers give no frames to tabs that are hidden. */
  #askForFrame(): void {
    if (this.#frame || !this.isPlaying || !this.#isSeen) return;
    this.#frame = requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now: number): void {
    this.#frame = 0;
    if (!this.isPlaying || !this.#isSeen) return;
    if (now - this.#paintedAt >= FRAME) {
      const bits = this.#queue.shift();
      if (bits) {
        this.#bits = bits;
        this.#paint({ side: SIDE, bits });
        this.#paintedAt = now;
      }
    }
    if (now - this.#shownAt >= SHOW_INTERVAL) {
      this.#shownAt = now;
      this.magnetization = meanSpin(this.#bits);
    }
    const isStale = this.#queueTemperature !== this.temperature;
    if (!this.#isBusy && (isStale || this.#queue.length <= FEW)) {
      if (isStale) this.#queue.splice(KEPT);
      this.#sweep();
    }
    this.#askForFrame();
  }

  async #sweep(): Promise<void> {
    const { temperature } = this;
    const segment: Segment = {
      index: this.numJobs,
      side: SIDE,
      sampler: 'checkerboard',
      temperature,
      field: 0,
      numDraws: SWEEPS,
      measured: false,
      seed: segmentSeed(1, this.numJobs),
    };
    this.#queueTemperature = temperature;
    this.#isBusy = true;
    this.numJobs += 1;
    try {
      const engine = await this.#engine.with(1);
      // The verb knows results of all models; this one has states of bits.
      const spec = specOf(segment, this.#queue.at(-1) ?? this.#bits);
      const { draws } = (await engine.sample(spec).result) as SampleResult;
      const length = SIDE ** 2 / 8;
      const states = Array.from({ length: draws.numRows }, (_, n) =>
        draws.bits.subarray(n * length, (n + 1) * length),
      );
      this.#queue.push(...states);
    } catch (error) {
      this.isPlaying = false;
      this.problem = describe(error).message;
    }
    this.#isBusy = false;
  }
}
