/**
 * A worker, whatever the platform: one wasm instance and the jobs that it coordinates or helps.
 */

import { Coordinator, type CoordinatorContext } from './coordinator.js';
import { customUrl } from './custom.js';
import { isRefusal, messageOf, toWire } from './errors.js';
import { Helper } from './helper.js';
import { loadCustom } from './load-custom.js';
import {
  buffersOf,
  type FromWorker,
  type HelpMessage,
  type InitMessage,
  type StartMessage,
  type ToWorker,
  unreachable,
  type WireData,
} from './protocol.js';
import { type Runnable, Scheduler } from './scheduler.js';
import type { Entries, PackedData } from './types.js';
import type { BinaryData, WasmModule } from './wasm-api.js';

/** What a worker needs of the thread it is in. */
export interface WorkerScope {
  post(message: FromWorker, transfer: ArrayBuffer[]): void;
  listen(receive: (message: ToWorker) => void): void;
  /** Imports the JavaScript side of the module, without instantiating it. */
  importWasm(threads: boolean): Promise<WasmModule>;
  /** Resolves when the messages that have arrived by now have been received. */
  yieldToMessages(): Promise<void>;
}

/** Makes the current thread a worker. */
export function runWorker(scope: WorkerScope): void {
  const early: ToWorker[] = [];
  let receive = (message: ToWorker): void => void early.push(message);
  const post = (message: FromWorker) => scope.post(message, buffersOf(message));

  const init = async (message: InitMessage): Promise<void> => {
    const threads = message.numThreads > 0;
    const wasm = await scope.importWasm(threads);
    await wasm.default({ module_or_path: message.module });
    if (threads) await wasm.initThreadPool?.(message.numThreads);
    const core = new WorkerCore(wasm, threads, scope);
    post({ type: 'ready', version: wasm.version() });
    receive = (next) => core.receive(next);
    early.forEach(receive);
  };

  scope.listen((message) => {
    if (message.type !== 'init') return receive(message);
    init(message).catch((error: unknown) =>
      post({ type: 'startFailed', message: messageOf(error) }),
    );
  });
}

class WorkerCore implements CoordinatorContext {
  readonly threads: boolean;
  readonly #wasm: WasmModule;
  readonly #scope: WorkerScope;
  readonly #scheduler: Scheduler;
  readonly #coordinators = new Map<number, Coordinator>();
  readonly #helpers = new Map<number, Helper>();
  /** Messages about jobs whose model is still being loaded, which come after it. */
  readonly #waiting = new Map<number, ToWorker[]>();
  /** After a crash nothing of the instance may be touched; the main thread ends this worker. */
  #crashed = false;

  constructor(wasm: WasmModule, threads: boolean, scope: WorkerScope) {
    this.#wasm = wasm;
    this.threads = threads;
    this.#scope = scope;
    this.#scheduler = new Scheduler(() => scope.yieldToMessages());
  }

  receive(message: ToWorker): void {
    const job = message.type === 'init' ? -1 : message.job;
    const waiting = this.#waiting.get(job);
    if (waiting) return void waiting.push(message);
    const isFirst = message.type === 'start' || message.type === 'help';
    const url = isFirst ? customUrl(message.spec) : undefined;
    if (url === undefined) return this.guard(job, () => this.#dispatch(message));
    this.#waiting.set(job, [message]);
    this.#load(url).then(
      () => this.#receiveWaiting(job),
      (error: unknown) => {
        this.#waiting.delete(job);
        this.guard(job, () => {
          throw error;
        });
      },
    );
  }

  post(message: FromWorker): void {
    this.#scope.post(message, buffersOf(message));
  }

  wake(work: Runnable): void {
    this.#scheduler.wake(work);
  }

  guard(job: number, action: () => void): void {
    if (this.#crashed) return;
    try {
      action();
    } catch (error) {
      if (isRefusal(error)) {
        this.post({ type: 'refused', job, error: toWire(error) });
        this.ended(job);
      } else {
        this.#crashed = true;
        this.post({ type: 'crashed', job, message: messageOf(error) });
      }
    }
  }

  ended(job: number): void {
    const coordinator = this.#coordinators.get(job);
    if (!coordinator) return;
    this.#coordinators.delete(job);
    this.#scheduler.remove(coordinator);
    coordinator.free();
  }

  /** Loads a custom model. JavaScript functions cannot cross into threads. */
  async #load(url: string): Promise<void> {
    if (this.threads) {
      const words = 'custom models need an engine without threads: create one without `threads`';
      throw { code: 'unsupported', message: `model.kind: ${words}`, field: 'model.kind' };
    }
    await loadCustom(url, this.#wasm);
  }

  #receiveWaiting(job: number): void {
    const waiting = this.#waiting.get(job) ?? [];
    this.#waiting.delete(job);
    for (const message of waiting) this.guard(job, () => this.#dispatch(message));
  }

  /** Messages about a job that is over have no one to go to. */
  #dispatch(message: ToWorker): void {
    switch (message.type) {
      case 'init':
        throw new Error('a worker was initialized twice');
      case 'start':
        return this.#start(message);
      case 'help':
        return this.#help(message);
      case 'dismiss':
        return this.#dismiss(message.job);
      case 'readData':
        return this.#readData(message.job, message.data);
      case 'pause':
        return this.#coordinators.get(message.job)?.pause(message.request);
      case 'resume':
        return this.#coordinators.get(message.job)?.resume();
      case 'cancel':
        return this.#coordinators.get(message.job)?.cancel();
      case 'checkpoint':
        return this.#coordinators.get(message.job)?.checkpoint(true);
      case 'progressReceived':
        return this.#coordinators.get(message.job)?.reportReceived();
      case 'addHelper':
        return this.#coordinators.get(message.job)?.addHelper(message.helper, message.port);
      case 'loseHelper':
        return this.#coordinators.get(message.job)?.loseHelper(message.helper);
      default:
        unreachable(message);
    }
  }

  #start(message: StartMessage): void {
    const data = message.data && this.#parse(message.data);
    const packed = data && pack(data);
    const job = this.#wasm.Job.create(message.spec, data, message.checkpoint);
    this.#coordinators.set(message.job, new Coordinator(message, job, packed, this));
  }

  #help(message: HelpMessage): void {
    const data = message.data && this.#parse({ kind: 'bits', ...message.data });
    const shardWorker = this.#wasm.ShardWorker.create(message.spec, data);
    this.#helpers.set(message.job, new Helper(message.job, message.port, shardWorker, this));
  }

  #dismiss(job: number): void {
    const helper = this.#helpers.get(job);
    if (!helper) return;
    this.#helpers.delete(job);
    this.#scheduler.remove(helper);
    helper.free();
  }

  #readData(job: number, source: WireData): void {
    const data = this.#parse(source);
    const known = source.kind === 'bits' ? source.entries : undefined;
    const entries = known ?? (data.entries as Entries);
    this.post({ type: 'data', job, data: { ...pack(data), entries } });
    data.free();
  }

  #parse(data: WireData): BinaryData {
    const { BinaryData } = this.#wasm;
    switch (data.kind) {
      case 'bits':
        return BinaryData.fromBits(data.dim, data.numRows, data.bits);
      case 'values':
        return BinaryData.fromValues(data.dim, Float64Array.from(data.values));
      case 'csv':
        return BinaryData.fromCsv(data.bytes);
      case 'npy':
        return BinaryData.fromNpy(data.bytes);
      default:
        unreachable(data);
    }
  }
}

function pack(data: BinaryData): PackedData {
  return { dim: data.dim, numRows: data.numRows, bits: data.bits() };
}
