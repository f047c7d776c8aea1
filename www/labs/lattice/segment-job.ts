import {
  type Engine,
  type JobHandle,
  type SampleProgress,
  type SampleResult,
  UnnormError,
} from 'unnorm';
import { type Segment, specOf } from './segment.js';
import { meanSpin } from './spins.js';

/** Least time between two reports, in milliseconds: a frame of the screen. */
const REPORT_INTERVAL = 16;

/** What came in with one report: the energies in nats and mean spins of its draws, and their states, packed. */
export interface NewStates {
  energies: Float64Array;
  spins: Float64Array;
  states: readonly Uint8Array[];
  /** Draws before these that were taken but did not come. */
  numMissed: number;
}

export interface SegmentEnd {
  /** The last state that came, packed. */
  bits: Uint8Array | undefined;
  /** Draws up to that state. Sampling as many from the same start gives the same state. */
  numDraws: number;
  /** Where the segment came to its end. */
  result: SampleResult | undefined;
  /** Σ s / D of every draw; whole where there is a result. */
  spins: Float64Array;
}

/** One segment as a job of the engine. Ends early when it is cancelled. */
export class SegmentJob {
  readonly #handle: JobHandle<SampleProgress, SampleResult>;
  readonly #segment: Segment;
  readonly #spins: Float64Array;
  readonly #onStates: (states: NewStates) => void;
  #bits: Uint8Array | undefined;
  #numDraws = 0;

  constructor(
    engine: Engine,
    segment: Segment,
    bits: Uint8Array | undefined,
    onStates: (states: NewStates) => void,
  ) {
    this.#segment = segment;
    this.#spins = new Float64Array(segment.numDraws).fill(Number.NaN);
    this.#onStates = onStates;
    this.#handle = engine.sample(specOf(segment, bits), {
      streamDraws: true,
      progressInterval: REPORT_INTERVAL,
      onProgress: (progress) => this.#take(progress),
    }) as JobHandle<SampleProgress, SampleResult>;
  }

  async end(): Promise<SegmentEnd> {
    let result: SampleResult | undefined;
    try {
      result = await this.#handle.result;
      this.#complete(result);
    } catch (error) {
      if (!(error instanceof UnnormError && error.code === 'aborted')) throw error;
    }
    return { bits: this.#bits, numDraws: this.#numDraws, result, spins: this.#spins };
  }

  pause(): Promise<void> {
    return this.#handle.pause();
  }

  resume(): void {
    this.#handle.resume();
  }

  cancel(): void {
    this.#handle.cancel();
  }

  #take({ newDraws }: SampleProgress): void {
    if (!newDraws || newDraws.numDraws === 0) return;
    const { firstDraw, bits, energies } = newDraws;
    if (!bits || !energies) return;
    const rowLength = this.#segment.side ** 2 / 8;
    // After a crash of a worker some draws come again, with the same bits.
    const skip = Math.max(0, this.#numDraws - firstDraw);
    const numDraws = newDraws.numDraws - skip;
    if (numDraws <= 0) return;
    const states = Array.from({ length: numDraws }, (_, n) =>
      bits.subarray((skip + n) * rowLength, (skip + n + 1) * rowLength),
    );
    const spins = Float64Array.from(states, meanSpin);
    this.#spins.set(spins, firstDraw + skip);
    const numMissed = firstDraw + skip - this.#numDraws;
    this.#numDraws = firstDraw + newDraws.numDraws;
    // A copy: of all the draws that came with it, only this one is kept for long.
    this.#bits = states.at(-1)?.slice();
    this.#onStates({ energies: energies.subarray(skip), spins, states, numMissed });
  }

  /** Fills in what did not come with the reports. */
  #complete({ draws }: SampleResult): void {
    const rowLength = this.#segment.side ** 2 / 8;
    const row = (n: number) => draws.bits.subarray(n * rowLength, (n + 1) * rowLength);
    this.#spins.forEach((spin, n) => {
      if (Number.isNaN(spin)) this.#spins[n] = meanSpin(row(n));
    });
    this.#numDraws = draws.numRows;
    this.#bits = row(draws.numRows - 1).slice();
  }
}
