/**
 * The workers: which one runs what, and what happens when one is lost.
 *
 * Each task has one worker of its own, its coordinator; others help it when it asks. Workers are
 * started when first needed. A lost worker's tasks start again elsewhere from their last
 * checkpoints; the task that caused the loss may do so once, then it fails.
 */

import { UnnormError } from './errors.js';
import type { Platform, WorkerHost, WorkerScript } from './platform.js';
import { type FromTask, type FromWorker, type ToWorker, unreachable } from './protocol.js';
import type { PackedData } from './types.js';

/** How long a worker may take to load before it counts as failed. */
const START_PATIENCE_MS = 30_000;

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

interface Slot {
  readonly index: number;
  /** Set while a worker is there. */
  host: WorkerHost | undefined;
  ready: boolean;
  /** Why no worker can be had in this slot. */
  broken: UnnormError | undefined;
  readonly tasks: Set<Task>;
  readonly helping: Set<Task>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export interface PoolOptions {
  platform: Platform;
  module: WebAssembly.Module;
  numSlots: number;
  /** Threads inside each worker; 0 for the build without shared memory. */
  numThreads: number;
  script: WorkerScript;
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #slots: Slot[];
  readonly #tasks = new Map<number, { task: Task; slot: Slot }>();
  #closed = false;
  #onFirst: { resolve(version: string): void; reject(error: UnnormError): void } | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.numSlots }, (_, index) => ({
      index,
      host: undefined,
      ready: false,
      broken: undefined,
      tasks: new Set<Task>(),
      helping: new Set<Task>(),
      timer: undefined,
    }));
  }

  /** Starts the first worker and resolves with the version of its module. */
  start(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#onFirst = { resolve, reject };
      this.#hostOf(this.#slots[0] as Slot);
    });
  }

  /** Gives a task to the worker with the fewest. */
  add(task: Task): void {
    if (this.#closed) return task.fail(new UnnormError('closed', 'the engine is closed'));
    const able = this.#slots.filter((slot) => slot.broken === undefined);
    const [first] = able.sort((a, b) => a.tasks.size - b.tasks.size || a.index - b.index);
    if (!first) return task.fail((this.#slots[0] as Slot).broken as UnnormError);
    first.tasks.add(task);
    this.#tasks.set(task.id, { task, slot: first });
    this.#hostOf(first)?.post(task.startMessage());
    this.#refresh(first);
  }

  /** Posts to the task's coordinator. */
  post(task: Task, message: ToWorker): void {
    this.#tasks.get(task.id)?.slot.host?.post(message);
  }

  /** Sets up other workers to help with a task. */
  hire(task: Task, numHelpers: number): void {
    const own = this.#tasks.get(task.id)?.slot;
    const others = this.#slots.filter((slot) => slot !== own && slot.broken === undefined);
    for (const slot of others.slice(0, numHelpers)) this.#hireOne(task, slot);
  }

  /** Forgets a task that has ended. */
  release(task: Task): void {
    const slot = this.#tasks.get(task.id)?.slot;
    this.#tasks.delete(task.id);
    slot?.tasks.delete(task);
    this.#dismiss(task);
    if (slot) this.#refresh(slot);
  }

  /** Takes note that the task's `busy` may have changed. */
  refresh(task: Task): void {
    const slot = this.#tasks.get(task.id)?.slot;
    if (slot) this.#refresh(slot);
  }

  /** Ends all tasks and workers. */
  async close(): Promise<void> {
    this.#closed = true;
    const error = new UnnormError('closed', 'the engine was closed');
    for (const { task } of [...this.#tasks.values()]) {
      task.markHandled();
      task.fail(error);
    }
    await Promise.all(this.#slots.map((slot) => this.#vacate(slot)));
  }

  /** The slot's worker, started if need be. */
  #hostOf(slot: Slot): WorkerHost | undefined {
    if (slot.host || slot.broken || this.#closed) return slot.host;
    const { platform, script, module, numThreads } = this.#options;
    const current = () => slot.host === host;
    let host: WorkerHost;
    try {
      host = platform.spawn(script, {
        message: (message) => current() && this.#receive(slot, message),
        failure: (words) => current() && this.#lose(slot, words),
      });
    } catch (cause) {
      this.#breakSlot(slot, cause instanceof Error ? cause.message : String(cause), cause);
      return undefined;
    }
    slot.host = host;
    slot.ready = false;
    slot.timer = setTimeout(
      () => this.#breakSlot(slot, `it did not answer within ${START_PATIENCE_MS / 1000} seconds`),
      START_PATIENCE_MS,
    );
    host.post({ type: 'init', module, numThreads });
    this.#refresh(slot);
    return host;
  }

  #receive(slot: Slot, message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        clearTimeout(slot.timer);
        slot.ready = true;
        this.#onFirst?.resolve(message.version);
        this.#onFirst = undefined;
        return this.#refresh(slot);
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
        // A helper may find that the model is at fault, too.
        const isHelpers = message.type === 'refused' && slot.helping.has(entry.task);
        if (entry.slot === slot || isHelpers) entry.task.receive(message);
        return;
      }
      default:
        unreachable(message);
    }
  }

  /** A worker crashed, while working on the task numbered `culprit` if that is known. */
  #lose(slot: Slot, words: string, culprit?: number): void {
    if (!slot.ready) return this.#breakSlot(slot, words);
    const tasks = [...slot.tasks];
    const helped = [...slot.helping];
    void this.#vacate(slot);
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

  /** No worker can be had in this slot: its tasks go elsewhere. */
  #breakSlot(slot: Slot, words: string, cause?: unknown): void {
    const message = `a worker could not be started: ${words}`;
    slot.broken = new UnnormError('wasm-unavailable', message, { cause });
    const tasks = [...slot.tasks];
    const helped = [...slot.helping];
    void this.#vacate(slot);
    this.#onFirst?.reject(slot.broken);
    this.#onFirst = undefined;
    for (const task of tasks) this.#restart(task);
    for (const task of helped) {
      this.post(task, { type: 'loseHelper', job: task.id, helper: slot.index });
    }
  }

  /** Starts a task again that has lost its worker, unless it has ended. */
  #restart(task: Task): void {
    if (!this.#tasks.delete(task.id)) return;
    this.#dismiss(task);
    this.add(task);
    if (this.#tasks.has(task.id)) task.restarted();
  }

  #hireOne(task: Task, slot: Slot): void {
    const coordinator = this.#tasks.get(task.id)?.slot.host;
    const helper = this.#hostOf(slot);
    if (!coordinator || !helper) return;
    const { port1, port2 } = new MessageChannel();
    const { spec, data } = task.helperInput;
    slot.helping.add(task);
    helper.post({ type: 'help', job: task.id, spec, data, port: port1 }, [port1]);
    const added = { type: 'addHelper', job: task.id, helper: slot.index, port: port2 } as const;
    coordinator.post(added, [port2]);
  }

  #dismiss(task: Task): void {
    for (const slot of this.#slots) {
      if (slot.helping.delete(task)) slot.host?.post({ type: 'dismiss', job: task.id });
    }
  }

  /** Ends a slot's worker, leaving the slot empty. */
  async #vacate(slot: Slot): Promise<void> {
    const { host } = slot;
    clearTimeout(slot.timer);
    slot.host = undefined;
    slot.ready = false;
    slot.tasks.clear();
    slot.helping.clear();
    await host?.terminate();
  }

  #refresh(slot: Slot): void {
    const busy = !slot.ready || [...slot.tasks].some((task) => task.busy);
    slot.host?.setBusy(busy);
  }
}
