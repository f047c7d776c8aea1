import { type AnyProgress, describe, type Launch, Run } from './run.svelte.js';
import type { RunControl, RunError, RunStatus } from './run-control.js';

/** One member of a group with the job it is to do. */
export interface Entry<K extends string, P, R> {
  name: K;
  launch: Launch<P, R>;
}

/**
 * Several runs under one set of buttons, one after another or all at the same time. Each keeps its own state, clock
 * and error: one that fails does not stop the others.
 */
export class RunGroup<K extends string, P extends AnyProgress, R> implements RunControl {
  readonly runs: Readonly<Record<K, Run<P, R>>>;
  /** What went wrong outside of the runs. */
  error = $state.raw<RunError>();
  /** Who takes part, in the order of the turns. */
  members = $state.raw<readonly K[]>([]);
  #together = $state(false);
  #phase = $state<'idle' | 'going' | 'paused' | 'ended'>('idle');
  #serial = 0;
  /** Holds back the next turn while the group is paused. */
  #gate: Promise<void> = Promise.resolve();
  #openGate = () => {};

  readonly #all = $derived(this.members.map((name) => this.runs[name]));
  readonly busy = $derived(
    this.#phase === 'going' || this.#phase === 'paused' || this.#all.some(({ busy }) => busy),
  );

  readonly status: RunStatus = $derived.by(() => {
    if (this.#phase === 'idle') return 'idle';
    if (this.#phase === 'paused')
      return this.#all.some(({ status }) => status === 'running') ? 'running' : 'paused';
    // After a stop, the runs end when the engine has heard of it.
    if (this.busy)
      return this.#all.every(({ status }) => status === 'idle' || status === 'starting')
        ? 'starting'
        : 'running';
    if (this.#all.some(isOpen)) return 'stopped';
    return this.#all.every(({ status }) => status === 'failed') ? 'failed' : 'done';
  });

  readonly canContinue = $derived(this.status === 'stopped');
  readonly numEnded = $derived(this.#all.filter((run) => !isOpen(run) && !run.busy).length);

  readonly fraction = $derived.by(() => {
    const parts = this.#all.map((run) => (run.status === 'failed' ? 1 : run.fraction));
    return parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
  });

  /** Of all turns together; where all run at the same time, of the longest. */
  readonly seconds = $derived(
    this.#all.reduce(
      (total, { seconds }) => (this.#together ? Math.max(total, seconds) : total + seconds),
      0,
    ),
  );

  /** Of turns still to come nothing is known. */
  readonly secondsLeft = $derived.by(() => {
    if (this.#all.some(({ status }) => status === 'idle')) return undefined;
    const left = this.#all.filter(({ busy }) => busy).map((run) => run.secondsLeft);
    return left.some((seconds) => seconds === undefined)
      ? undefined
      : Math.max(0, ...left.map(Number));
  });

  constructor(names: readonly K[]) {
    this.runs = Object.fromEntries(names.map((name) => [name, new Run<P, R>()])) as Record<
      K,
      Run<P, R>
    >;
  }

  /** Starts all entries from the beginning. */
  start(entries: readonly Entry<K, P, R>[], together: boolean): Promise<void> {
    this.reset();
    this.members = entries.map(({ name }) => name);
    return this.#go(entries, together);
  }

  /** Goes on with those that were stopped, and with those whose turn had not come. */
  continue(entries: readonly Entry<K, P, R>[], together: boolean): Promise<void> {
    return this.#go(
      entries.filter(({ name }) => isOpen(this.runs[name])),
      together,
    );
  }

  /** Stops all at once. */
  stop(): void {
    this.#serial++;
    for (const run of this.#all) run.stop();
    this.#openGate();
    this.#phase = this.#all.every(({ status }) => status === 'idle') ? 'idle' : 'ended';
  }

  async pause(): Promise<void> {
    if (this.#phase !== 'going') return;
    this.#phase = 'paused';
    this.#gate = new Promise((resolve) => {
      this.#openGate = resolve;
    });
    await Promise.all(this.#all.map((run) => run.pause()));
  }

  resume(): void {
    if (this.#phase !== 'paused') return;
    this.#phase = 'going';
    for (const run of this.#all) run.resume();
    this.#openGate();
  }

  /** Back to the beginning. */
  reset(): void {
    this.#serial++;
    for (const run of Object.values<Run<P, R>>(this.runs)) run.reset();
    this.#openGate();
    this.members = [];
    this.error = undefined;
    this.#phase = 'idle';
  }

  /** Shows what went wrong outside of the runs; they stay as they are. */
  report(error: unknown): void {
    this.error = describe(error);
  }

  async #go(entries: readonly Entry<K, P, R>[], together: boolean): Promise<void> {
    const serial = ++this.#serial;
    this.error = undefined;
    this.#together = together;
    this.#phase = 'going';
    const take = async ({ name, launch }: Entry<K, P, R>): Promise<void> => {
      await this.#gate;
      if (serial !== this.#serial) return;
      const run = this.runs[name];
      await (run.canContinue ? run.continue(launch) : run.start(launch));
    };
    if (together) await Promise.all(entries.map(take));
    else for (const entry of entries) await take(entry);
    if (serial === this.#serial) this.#phase = 'ended';
  }
}

/** Whether a run has still something to do: it was stopped, or has not begun. */
function isOpen({ status }: { status: RunStatus }): boolean {
  return status === 'stopped' || status === 'idle';
}
