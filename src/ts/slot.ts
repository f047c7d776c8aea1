/**
 * The place of one worker in the pool: the worker, if there is one, its tasks, and whether it is
 * responsive.
 */

import type { UnnormError } from './errors.js';
import { Line, type Numbered } from './line.js';
import type { WorkerHost } from './platform.js';
import type { FromTask, FromWorker, ToWorker } from './protocol.js';
import { Silence } from './silence.js';
import type { PackedData } from './types.js';

/**
 * Waiting time after a failed start of a worker, in milliseconds; it doubles up to the second of
 * these.
 */
const FIRST_REST_MS = 1000;
const MAX_REST_MS = 60_000;

/** A task of one worker, which can be restarted on another. */
export interface Task {
  readonly id: number;
  /** Number of workers that it has crashed. */
  crashes: number;
  /** Whether a Node process must stay alive for it. */
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
  /** The worker, if there is one. */
  host: WorkerHost | undefined;
  /** Why no worker could be started here, until another attempt is made. */
  broken: UnnormError | undefined;
  readonly #silence: Silence;
  #line: Line<ToWorker> | undefined;
  #ready = false;
  /** Whether it has not answered in time, and nothing has been received since. */
  #isSuspect = false;
  /**
   * The earliest time of another attempt, by `performance.now()`; the next field is the waiting
   * time after the last one.
   */
  #tryAt = 0;
  #rest = FIRST_REST_MS;

  /**
   * `onSilence` is called when the worker has been silent for `patience` milliseconds while it had
   * something to do.
   */
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

  /**
   * Whether the worker has not answered in time and has nothing to do, so that it can be terminated
   * without loss.
   */
  get isSuspectIdle(): boolean {
    return this.#isSuspect && this.tasks.size + this.helping.size === 0;
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

  /** Records a message from the worker. Returns whether no message before it is missing. */
  receive(message: Numbered<FromWorker>): boolean {
    this.#silence.heard();
    this.#isSuspect = false;
    return this.#line?.follows(message) ?? false;
  }

  started(): void {
    this.#ready = true;
    this.#rest = FIRST_REST_MS;
    this.refresh();
  }

  /** Records that the worker has not answered in time. */
  markSuspect(): void {
    this.#isSuspect = true;
  }

  /** Records that no worker could be started here. */
  break(error: UnnormError): void {
    this.broken = error;
    this.#tryAt = performance.now() + this.#rest;
    this.#rest = Math.min(2 * this.#rest, MAX_REST_MS);
  }

  /** Allows another attempt to start a worker, once the waiting time is over. */
  retry(): void {
    if (performance.now() >= this.#tryAt) this.broken = undefined;
  }

  /** Updates after a possible change of the worker's tasks. */
  refresh(): void {
    if (!this.host) return;
    const isBusy = (task: Task) => task.busy;
    const busy = !this.#ready || [...this.tasks].some(isBusy);
    this.host.setBusy(busy);
    // A worker that has nothing to do need not answer.
    if (busy || [...this.helping].some(isBusy)) this.#silence.watch();
    else this.#silence.stop();
  }

  /** Terminates the worker, which leaves the slot empty. */
  async terminate(): Promise<void> {
    const { host } = this;
    this.#silence.stop();
    this.host = undefined;
    this.#line = undefined;
    this.#ready = false;
    this.#isSuspect = false;
    this.tasks.clear();
    this.helping.clear();
    await host?.terminate();
  }
}
