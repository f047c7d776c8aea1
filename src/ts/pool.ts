/**
 * The workers: which one runs what, and what happens when one is lost.
 *
 * Each task has one worker as its coordinator; others help it when it asks. Workers are started
 * when first needed. The tasks of a lost worker restart elsewhere from their last checkpoints; the
 * task that caused the loss may do so once, then it fails.
 *
 * A worker is lost if it says so, if its platform does, if a message from it is missing, or if it
 * is silent for too long: browsers do not report when a worker ends. If no worker could be started,
 * another attempt is made for a later task.
 */

import { messageOf, UnnormError } from './errors.js';
import { LOST, type Numbered } from './line.js';
import { startAborted } from './loader.js';
import type { Platform, WorkerHost, WorkerScript } from './platform.js';
import { type FromWorker, type ToWorker, unreachable } from './protocol.js';
import { Slot, type Task } from './slot.js';

export interface PoolOptions {
  platform: Platform;
  module: WebAssembly.Module;
  numSlots: number;
  /** Number of threads in each worker; 0 for the build without shared memory. */
  numThreads: number;
  script: WorkerScript;
  /** How long a worker may be silent, in milliseconds. */
  patience: number;
  /** Whether workers compute on a graphics processor what can be. */
  gpu: boolean;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #slots: Slot[];
  readonly #tasks = new Map<number, { task: Task; slot: Slot }>();
  #closed = false;
  #gpu: string | undefined;
  #onFirst: { resolve(version: string): void; reject(error: UnnormError): void } | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { patience } = options;
    const words = `it did not answer for ${patience / 1000} seconds`;
    this.#slots = Array.from({ length: options.numSlots }, (_, index) => {
      const slot: Slot = new Slot(index, patience, () => this.#lose(slot, words));
      return slot;
    });
  }

  /** The name of the graphics processor, if one is used. */
  get gpu(): string | undefined {
    return this.#gpu;
  }

  /** Starts the first worker and resolves with the version of its module. */
  async start(signal: AbortSignal | undefined): Promise<string> {
    let abort = (): void => undefined;
    try {
      return await new Promise<string>((resolve, reject) => {
        abort = () => reject(startAborted(signal as AbortSignal));
        if (signal?.aborted) return abort();
        signal?.addEventListener('abort', abort);
        this.#onFirst = { resolve, reject };
        this.#hostOf(this.#slots[0] as Slot);
      });
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Adds a task. If no worker could be started some time ago, this tries again. */
  add(task: Task): void {
    if (this.#closed) return task.fail(new UnnormError('closed', 'the engine is closed'));
    for (const slot of this.#slots) slot.retry();
    const [first] = this.#slots as [Slot];
    if (this.#slots.every((slot) => slot.broken)) first.broken = undefined;
    this.#assign(task, false);
  }

  /**
   * Gives a task to the worker with the fewest tasks; to a running one, if `preferReady` and there
   * is one.
   */
  #assign(task: Task, preferReady: boolean): void {
    const able = this.#slots.filter((slot) => slot.broken === undefined);
    const rank = (slot: Slot) => (preferReady && !slot.ready ? 1 : 0);
    const [first] = able.sort(
      (a, b) => rank(a) - rank(b) || a.tasks.size - b.tasks.size || a.index - b.index,
    );
    if (!first) return task.fail((this.#slots[0] as Slot).broken as UnnormError);
    // An idle worker can be ended without loss.
    if (first.isSuspectIdle) void first.terminate();
    first.tasks.add(task);
    this.#tasks.set(task.id, { task, slot: first });
    if (!this.#hostOf(first)) return;
    try {
      first.post(task.startMessage());
    } catch (cause) {
      const words = `the job could not be sent to a worker: ${messageOf(cause)}; ask for less at once`;
      return task.fail(new UnnormError('too-large', words, { cause }));
    }
    first.refresh();
  }

  /** Posts to the task's coordinator. */
  post(task: Task, message: ToWorker): void {
    this.#tasks.get(task.id)?.slot.post(message);
  }

  /** Records that the task's worker has not answered in time. */
  markSuspect(task: Task): void {
    this.#tasks.get(task.id)?.slot.markSuspect();
  }

  /** Sets up other workers to help with a task. */
  spawnHelpers(task: Task, numHelpers: number): void {
    const own = this.#tasks.get(task.id)?.slot;
    const others = this.#slots.filter((slot) => slot !== own && slot.broken === undefined);
    for (const slot of others.slice(0, numHelpers)) this.#hireOne(task, slot);
  }

  /** Removes a task that has ended. */
  release(task: Task): void {
    const slot = this.#tasks.get(task.id)?.slot;
    this.#tasks.delete(task.id);
    slot?.tasks.delete(task);
    this.#dismiss(task);
    slot?.refresh();
  }

  /** Updates after a possible change of the task's `busy`. */
  refresh(task: Task): void {
    this.#tasks.get(task.id)?.slot.refresh();
  }

  /** Ends all tasks and workers. */
  async close(): Promise<void> {
    this.#closed = true;
    const error = new UnnormError('closed', 'the engine was closed');
    for (const { task } of [...this.#tasks.values()]) {
      task.markHandled();
      task.fail(error);
    }
    await Promise.all(this.#slots.map((slot) => slot.terminate()));
  }

  /** The slot's worker, which is started if necessary. */
  #hostOf(slot: Slot): WorkerHost | undefined {
    if (slot.host || slot.broken || this.#closed) return slot.host;
    const { platform, script, module, numThreads, patience, gpu } = this.#options;
    const current = () => slot.host === host;
    let host: WorkerHost;
    try {
      host = platform.spawn(script, {
        message: (message) => current() && this.#onMessage(slot, message),
        failure: (words) => current() && this.#lose(slot, words),
      });
    } catch (cause) {
      this.#breakSlot(slot, messageOf(cause), cause);
      return undefined;
    }
    slot.occupy(host);
    try {
      slot.post({ type: 'init', module, numThreads, patience, gpu });
    } catch (cause) {
      this.#breakSlot(slot, messageOf(cause), cause);
      return undefined;
    }
    return host;
  }

  #onMessage(slot: Slot, message: Numbered<FromWorker>): void {
    if (slot.receive(message)) this.#receive(slot, message);
    else this.#lose(slot, LOST);
  }

  #receive(slot: Slot, message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        slot.started();
        if (this.#onFirst) this.#gpu = message.gpu;
        this.#onFirst?.resolve(message.version);
        this.#onFirst = undefined;
        return;
      case 'pong':
        return;
      case 'gpuLost':
        console.warn(`unnorm: ${this.#gpu} is used no more, the CPU goes on: ${message.message}`);
        this.#gpu = undefined;
        return;
      case 'startFailed':
        return this.#breakSlot(slot, message.message);
      case 'crashed':
        return this.#lose(slot, message.message, message.job);
      case 'created':
      case 'refused':
      case 'wantHelpers':
      case 'progress':
      case 'checkpoint':
      case 'paused':
      case 'aborted':
      case 'done':
      case 'data': {
        const entry = this.#tasks.get(message.job);
        if (!entry) return;
        // A helper may also find that the model is at fault.
        const isHelpers = message.type === 'refused' && slot.helping.has(entry.task);
        if (entry.slot === slot || isHelpers) entry.task.receive(message);
        return;
      }
      default:
        unreachable(message);
    }
  }

  /**
   * Handles the loss of a worker, which was working on the task numbered `culprit` if that is
   * known.
   */
  #lose(slot: Slot, words: string, culprit?: number): void {
    if (!slot.ready) return this.#breakSlot(slot, words);
    const tasks = [...slot.tasks];
    const helped = [...slot.helping];
    void slot.terminate();
    const known = culprit === undefined ? undefined : this.#tasks.get(culprit)?.task;
    for (const task of culprit === undefined ? tasks : known ? [known] : []) {
      task.crashes += 1;
      if (task.crashes > 1) {
        const message = `the worker crashed twice on this job: ${words}`;
        task.fail(new UnnormError('worker-crashed', message));
      }
    }
    for (const task of tasks) this.#restart(task);
    for (const task of helped) {
      this.post(task, { type: 'loseHelper', job: task.id, helper: slot.index });
      if (this.#tasks.has(task.id)) this.#hireOne(task, slot);
    }
  }

  /** Records that this slot can have no worker: its tasks go elsewhere. */
  #breakSlot(slot: Slot, words: string, cause?: unknown): void {
    const message = `a worker could not be started: ${words}`;
    const error = new UnnormError('wasm-unavailable', message, { cause });
    slot.break(error);
    const tasks = [...slot.tasks];
    const helped = [...slot.helping];
    void slot.terminate();
    this.#onFirst?.reject(error);
    this.#onFirst = undefined;
    for (const task of tasks) this.#restart(task);
    for (const task of helped) {
      this.post(task, { type: 'loseHelper', job: task.id, helper: slot.index });
    }
  }

  /** Restarts a task that has lost its worker, unless it has ended. */
  #restart(task: Task): void {
    if (!this.#tasks.delete(task.id)) return;
    this.#dismiss(task);
    this.#assign(task, true);
    if (this.#tasks.has(task.id)) task.restarted();
  }

  #hireOne(task: Task, slot: Slot): void {
    const coordinator = this.#tasks.get(task.id)?.slot;
    if (!coordinator?.host || !this.#hostOf(slot)) return;
    const { port1, port2 } = new MessageChannel();
    const { spec, data } = task.helperInput;
    try {
      slot.post({ type: 'help', job: task.id, spec, data, port: port1 }, [port1]);
    } catch {
      // There is no memory for another copy of the data: the job continues without this helper.
      return;
    }
    slot.helping.add(task);
    const added = { type: 'addHelper', job: task.id, helper: slot.index, port: port2 } as const;
    coordinator.post(added, [port2]);
    slot.refresh();
  }

  #dismiss(task: Task): void {
    for (const slot of this.#slots) {
      if (!slot.helping.delete(task)) continue;
      slot.post({ type: 'dismiss', job: task.id });
      slot.refresh();
    }
  }
}
