/**
 * The place of one worker in the pool: the worker, if there is one, what it does, and whether it has been heard of.
 */

import type { UnnormError } from './errors.js';
import { Line, type Numbered } from './line.js';
import type { WorkerHost } from './platform.js';
import type { FromTask, FromWorker, ToWorker } from './protocol.js';
import { Silence } from './silence.js';
import type { PackedData } from './types.js';

/** Where no worker could be started, the next is tried after this, which doubles from time to time up to the second. */
const FIRST_REST_MS = 1000;
const LONGEST_REST_MS = 60_000;

/** Something one worker does, that can be started again on another. */
export interface Task {
  readonly id: number;
  /** How many workers it has cost. */
  crashes: number;
  /** Whether a Node process has to stay alive for it. */
  readonly busy: boolean;
  startMessage(): ToWorker;
  /** Called after `startMessage` has been posted again. */
  restarted(): void;
  readonly helperInput: { spec: unknown; data: PackedData | undefined };
  receive(message: FromTask): void;
  fail(error: UnnormError): void;
  /** Stops a rejection that nobody awaits from being reported as unhandled. */
  markHandled(): void;
}

export class Slot {
  readonly index: number;
  readonly tasks = new Set<Task>();
  readonly helping = new Set<Task>();
  /** Set while a worker is there. */
  host: WorkerHost | undefined;
  /** Why no worker could be had here, as long as no other is tried. */
  broken: UnnormError | undefined;
  readonly #silence: Silence;
  #line: Line<ToWorker> | undefined;
  #ready = false;
  /** Whether it has not answered in time, nor been heard of since. */
  #doubted = false;
  /** When another may be tried, by `performance.now()`, and how long after this one did not start. */
  #tryAt = 0;
  #rest = FIRST_REST_MS;

  /** `onSilence` is called when the worker has been silent for `patience`, in milliseconds, though it has something to do. */
  constructor(index: number, patience: number, onSilence: () => void) {
    this.index = index;
    this.#silence = new Silence(patience, {
      tick: () => this.#ready && this.post({ type: 'ping' }),
      tooLong: onSilence,
    });
  }

  /** Whether the worker has started. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Whether nothing is lost with the worker, and it may be gone. */
  get isDispensable(): boolean {
    return this.#doubted && this.tasks.size + this.helping.size === 0;
  }

  /** Takes in a worker that is starting. */
  occupy(host: WorkerHost): void {
    this.host = host;
    this.#line = new Line((message, transfer) => host.post(message, transfer));
    this.refresh();
  }

  /** Posts to the worker, if there is one. */
  post(message: ToWorker, transfer?: Transferable[]): void {
    this.#line?.post(message, transfer);
  }

  /** Takes note of a message of the worker; whether none is missing before it. */
  hear(message: Numbered<FromWorker>): boolean {
    this.#silence.heard();
    this.#doubted = false;
    return this.#line?.follows(message) ?? false;
  }

  started(): void {
    this.#ready = true;
    this.#rest = FIRST_REST_MS;
    this.refresh();
  }

  /** Takes note that the worker has not answered in time. */
  doubt(): void {
    this.#doubted = true;
  }

  /** No worker could be had here. */
  break(error: UnnormError): void {
    this.broken = error;
    this.#tryAt = performance.now() + this.#rest;
    this.#rest = Math.min(2 * this.#rest, LONGEST_REST_MS);
  }

  /** Lets another worker be tried, if it is time. */
  mend(): void {
    if (performance.now() >= this.#tryAt) this.broken = undefined;
  }

  /** Takes note that what the worker has to do may have changed. */
  refresh(): void {
    if (!this.host) return;
    const isBusy = (task: Task) => task.busy;
    const busy = !this.#ready || [...this.tasks].some(isBusy);
    this.host.setBusy(busy);
    // Nobody waits for a worker that has nothing to do, so it need not say that it is there.
    if (busy || [...this.helping].some(isBusy)) this.#silence.watch();
    else this.#silence.stop();
  }

  /** Ends the worker, leaving the slot empty. */
  async vacate(): Promise<void> {
    const { host } = this;
    this.#silence.stop();
    this.host = undefined;
    this.#line = undefined;
    this.#ready = false;
    this.#doubted = false;
    this.tasks.clear();
    this.helping.clear();
    await host?.terminate();
  }
}
