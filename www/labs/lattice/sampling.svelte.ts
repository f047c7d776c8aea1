import type { Engine } from 'unnorm';
import { describe } from '../../frame/run.svelte.js';
import type { RunControl, RunError, RunStatus } from '../../frame/run-control.js';
import type { Segment } from './segment.js';
import { type NewStates, type SegmentEnd, SegmentJob } from './segment-job.js';

/** What a run asks and tells while it goes from segment to segment. */
export interface Course {
  engine: () => Promise<Engine>;
  /** The next segment and the state it starts from; undefined ends the run. */
  next: () => { segment: Segment; bits: Uint8Array | undefined } | undefined;
  onStates: (segment: Segment, states: NewStates) => void;
  /** A segment has ended, whole or not, after so many seconds of computing. */
  onEnd: (segment: Segment, end: SegmentEnd, seconds: number) => void;
  /** The part of the run that is done before the present segment, and the part that the segment is. */
  share: () => { before: number; segment: number };
}

/** A run of many segments under one set of buttons. */
export class Sampling implements RunControl {
  status = $state<RunStatus>('idle');
  error = $state.raw<RunError>();
  seconds = $state(0);
  fraction = $state(0);
  readonly busy = $derived(
    this.status === 'starting' || this.status === 'running' || this.status === 'paused',
  );
  readonly secondsLeft = $derived.by(() =>
    this.status !== 'running' || !this.#hasEnd || this.fraction < 0.02
      ? undefined
      : (this.seconds * (1 - this.fraction)) / this.fraction,
  );
  #hasEnd = $state(false);
  #serial = 0;
  #job: SegmentJob | undefined;
  #stopping = false;
  /** Seconds of the stretches before this one, and when this one began. */
  #before = 0;
  #since = 0;
  #gate: Promise<void> = Promise.resolve();
  #openGate = () => {};

  /** Goes through segments until there are no more, or it is stopped. `hasEnd`: whether the time left can be told. */
  async go(course: Course, fresh: boolean, hasEnd: boolean): Promise<void> {
    const serial = ++this.#serial;
    const mine = () => serial === this.#serial;
    if (fresh) this.#before = 0;
    this.#hasEnd = hasEnd;
    this.#stopping = false;
    this.error = undefined;
    this.status = 'starting';
    try {
      const engine = await course.engine();
      if (!mine()) return;
      this.status = 'running';
      this.#since = performance.now();
      while (!this.#stopping) {
        await this.#gate;
        const next = mine() && !this.#stopping ? course.next() : undefined;
        if (!next) break;
        const { segment, bits } = next;
        let numSeen = 0;
        const start = this.#now();
        this.#job = new SegmentJob(engine, segment, bits, (states) => {
          if (!mine()) return;
          numSeen += states.numMissed + states.energies.length;
          course.onStates(segment, states);
          const { before, segment: part } = course.share();
          this.fraction = before + (part * numSeen) / segment.numDraws;
        });
        const end = await this.#job.end();
        if (!mine()) return;
        this.seconds = this.#now();
        course.onEnd(segment, end, this.seconds - start);
      }
      if (!mine()) return;
      this.#halt(this.#stopping ? 'stopped' : 'done');
      if (!this.#stopping) this.fraction = 1;
    } catch (error) {
      if (!mine()) return;
      this.#halt('failed');
      this.report(error);
    } finally {
      if (mine()) this.#job = undefined;
    }
  }

  /** Brings the clock on the page up to date. */
  readClock(): void {
    if (this.status === 'running') this.seconds = this.#now();
  }

  /** Ends the present segment where it is; the next one begins at once. */
  skip(): void {
    this.#job?.cancel();
  }

  stop(): void {
    this.#stopping = true;
    if (this.status === 'starting') {
      this.#serial++;
      this.status = this.#before > 0 ? 'stopped' : 'idle';
    }
    this.#openGate();
    this.#job?.cancel();
  }

  async pause(): Promise<void> {
    if (this.status !== 'running') return;
    this.#gate = new Promise((resolve) => {
      this.#openGate = resolve;
    });
    await this.#job?.pause();
    // Meanwhile it may have ended or have been stopped.
    if (this.status === 'running' && !this.#stopping) this.#halt('paused');
  }

  resume(): void {
    if (this.status !== 'paused') return;
    this.status = 'running';
    this.#since = performance.now();
    this.#openGate();
    this.#job?.resume();
  }

  /** Back to the beginning; what is still under way is not heard any more. */
  reset(): void {
    this.stop();
    this.#serial++;
    this.#job = undefined;
    this.status = 'idle';
    this.error = undefined;
    this.#before = 0;
    this.seconds = 0;
    this.fraction = 0;
  }

  /** Shows what went wrong outside of the run. */
  report(error: unknown): void {
    this.error = describe(error);
  }

  #now(): number {
    if (this.status !== 'running') return this.#before;
    return this.#before + (performance.now() - this.#since) / 1000;
  }

  #halt(status: RunStatus): void {
    this.seconds = this.#now();
    this.#before = this.seconds;
    this.status = status;
  }
}
