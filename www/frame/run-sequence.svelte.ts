import { type AnyProgress, describe, type Launch, Run } from './run.svelte.js';
import type { RunControl, RunError, RunStatus } from './run-control.js';

/** What a sequence of jobs asks of the lab while it goes on. */
export interface Sequence<P, R> {
  /** The next job; undefined where no more is to be done. Asked when the one before has its result. */
  next: () => Launch<P, R> | undefined;
  /**
   * The part of the whole that was done before the present job, and the part that this job is; undefined while nobody
   * can tell. Read again whenever the state it comes from changes.
   */
  share: () => { before: number; job: number } | undefined;
}

/**
 * Jobs one after another under one set of buttons, as many as it takes: what the next one is, and whether there is one,
 * is decided when the one before has ended.
 */
export class RunSequence<P extends AnyProgress, R> implements RunControl {
  /** The present job, or the last. */
  readonly run = new Run<P, R>();
  readonly #sequence: Sequence<P, R>;
  #phase = $state<'idle' | 'going' | 'paused' | 'stopped' | 'failed' | 'done'>('idle');
  /** What went wrong outside of the jobs. */
  #error = $state.raw<RunError>();
  /** Jobs that have their result, and the seconds they took. */
  #numDone = $state(0);
  #secondsBefore = $state(0);
  #launch: Launch<P, R> | undefined;
  #serial = 0;
  #stopping = false;
  /** Holds back the next job while the sequence is paused. */
  #gate: Promise<void> = Promise.resolve();
  #openGate = () => {};

  readonly busy = $derived(this.#phase === 'going' || this.#phase === 'paused');
  readonly status: RunStatus = $derived.by(() => {
    if (this.#phase === 'paused') return this.run.status === 'running' ? 'running' : 'paused';
    if (this.#phase !== 'going') return this.#phase;
    return this.#numDone === 0 && this.run.status === 'starting' ? 'starting' : 'running';
  });
  readonly seconds = $derived(this.#secondsBefore + this.run.seconds);
  readonly #share = $derived.by(() => this.#sequence.share());
  readonly fraction = $derived.by(() => {
    if (this.#phase === 'done') return 1;
    const share = this.#share;
    return share ? share.before + share.job * this.run.fraction : 0;
  });
  readonly secondsLeft = $derived(
    this.status === 'running' && this.#share && this.fraction > 0
      ? (this.seconds * (1 - this.fraction)) / this.fraction
      : undefined,
  );
  readonly error = $derived(this.run.error ?? this.#error);

  constructor(sequence: Sequence<P, R>) {
    this.#sequence = sequence;
  }

  start(): Promise<void> {
    this.reset();
    return this.#go();
  }

  /** Goes on with a job that was stopped, or with the next. */
  continue(): Promise<void> {
    return this.#go();
  }

  stop(): void {
    if (!this.busy) return;
    this.#stopping = true;
    const { status } = this.run;
    this.run.stop();
    this.#openGate();
    // What it waits for may be long in coming.
    if (status === 'starting') this.#stopped();
  }

  async pause(): Promise<void> {
    if (this.#phase !== 'going') return;
    this.#phase = 'paused';
    this.#gate = new Promise((resolve) => {
      this.#openGate = resolve;
    });
    await this.run.pause();
  }

  resume(): void {
    if (this.#phase !== 'paused') return;
    this.#phase = 'going';
    this.run.resume();
    this.#openGate();
  }

  /** Back to the beginning. */
  reset(): void {
    this.#serial++;
    this.run.reset();
    this.#openGate();
    this.#launch = undefined;
    this.#error = undefined;
    this.#numDone = 0;
    this.#secondsBefore = 0;
    this.#phase = 'idle';
  }

  /** Shows what went wrong outside of the jobs. */
  report(error: unknown): void {
    this.#error = describe(error);
  }

  async #go(): Promise<void> {
    const serial = ++this.#serial;
    this.#error = undefined;
    this.#stopping = false;
    this.#phase = 'going';
    for (;;) {
      const { run } = this;
      if (run.canContinue && this.#launch) {
        await run.continue(this.#launch);
      } else {
        const launch = this.#sequence.next();
        if (!launch) {
          this.#phase = 'done';
          return;
        }
        this.#launch = { ...launch, engine: () => this.#gate.then(launch.engine) };
        this.#secondsBefore += run.seconds;
        await run.start(this.#launch);
      }
      if (serial !== this.#serial) return;
      if (run.status === 'failed') {
        this.#phase = 'failed';
        return;
      }
      if (run.status === 'done') this.#numDone++;
      if (this.#stopping || run.status !== 'done') {
        this.#stopped();
        return;
      }
    }
  }

  #stopped(): void {
    this.#serial++;
    this.#phase = this.#numDone > 0 || this.run.canContinue ? 'stopped' : 'idle';
  }
}
