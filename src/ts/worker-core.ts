/** A worker on any platform: one wasm instance and the jobs that it coordinates or helps with. */

import { Coordinator, type CoordinatorContext } from './coordinator.js';
import { type CustomModule, customModules } from './custom.js';
import { isRefusal, messageOf, toWire } from './errors.js';
import { Helper } from './helper.js';
import type { LatticeDevice, LatticeWork } from './lattice-device.js';
import { Line, LOST, type Numbered } from './line.js';
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

/** Size of a page of WebAssembly memory, in bytes. */
const PAGE = 2 ** 16;

/** What a worker needs from its thread. */
export interface WorkerScope {
  post(message: Numbered<FromWorker>, transfer: Transferable[]): void;
  listen(receive: (message: Numbered<ToWorker>) => void): void;
  /** Imports the JavaScript side of the module, without instantiating it. */
  importWasm(threads: boolean): Promise<WasmModule>;
  /** Finds a graphics processor; undefined where the platform or the build has none. */
  findDevice?(): Promise<LatticeDevice | undefined>;
  /** Resolves when the messages that have arrived so far have been received. */
  yieldToMessages(): Promise<void>;
}

/** Makes the current thread a worker. */
export function runWorker(scope: WorkerScope): void {
  const early: ToWorker[] = [];
  let receive = (message: ToWorker): void => void early.push(message);
  const line = new Line<FromWorker>((message, transfer) => scope.post(message, transfer));
  const post = (message: FromWorker) => line.post(message, buffersOf(message));

  const init = async (message: InitMessage): Promise<void> => {
    const threads = message.numThreads > 0;
    const wasm = await scope.importWasm(threads);
    const { memory } = await wasm.default({ module_or_path: message.module });
    if (threads) await wasm.initThreadPool?.(message.numThreads);
    const { patience } = message;
    // An adapter that cannot be asked for is none.
    const device = message.gpu ? await scope.findDevice?.().catch(() => undefined) : undefined;
    const yieldToMessages = () => scope.yieldToMessages();
    const core = new WorkerCore({ wasm, memory, threads, patience, device, post, yieldToMessages });
    post({ type: 'ready', version: wasm.version(), gpu: device?.description });
    receive = (next) => core.receive(next);
    early.forEach(receive);
  };

  scope.listen((message) => {
    if (!line.follows(message)) {
      // The main thread ends this worker; until then it ignores all messages.
      receive = () => undefined;
      return post({ type: 'crashed', message: LOST });
    }
    if (message.type !== 'init') return receive(message);
    init(message).catch((error: unknown) =>
      post({ type: 'startFailed', message: messageOf(error) }),
    );
  });
}

/** The parts of a worker's core. */
interface CoreParts {
  wasm: WasmModule;
  memory: WebAssembly.Memory;
  threads: boolean;
  patience: number;
  device: LatticeDevice | undefined;
  post(message: FromWorker): void;
  yieldToMessages(): Promise<void>;
}

class WorkerCore implements CoordinatorContext {
  readonly threads: boolean;
  readonly #wasm: WasmModule;
  readonly #parts: CoreParts;
  readonly #scheduler: Scheduler;
  readonly #coordinators = new Map<number, Coordinator>();
  readonly #helpers = new Map<number, Helper>();
  /** Messages about jobs whose model is still being loaded; they are handled afterwards. */
  readonly #waiting = new Map<number, Exclude<ToWorker, { type: 'ping' }>[]>();
  /** The graphics processor, until it fails. */
  #device: LatticeDevice | undefined;
  /** Whether it has once made the same bits as the CPU. */
  isDeviceProven = false;
  /** After a crash the instance must not be used; the main thread ends this worker. */
  #crashed = false;

  constructor(parts: CoreParts) {
    this.#wasm = parts.wasm;
    this.threads = parts.threads;
    this.#parts = parts;
    this.#device = parts.device;
    this.#scheduler = new Scheduler(parts.yieldToMessages);
  }

  receive(message: ToWorker): void {
    if (message.type === 'ping') return this.#ping();
    const job = message.type === 'init' ? -1 : message.job;
    const waiting = this.#waiting.get(job);
    if (waiting) return void waiting.push(message);
    const isFirst = message.type === 'start' || message.type === 'help';
    const modules = isFirst ? customModules(message.spec) : [];
    if (modules.length === 0) return this.guard(job, () => this.#dispatch(message));
    this.#waiting.set(job, [message]);
    this.#load(modules).then(
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
    this.#parts.post(message);
  }

  get hasDevice(): boolean {
    return this.#device !== undefined;
  }

  async sweepLattices(work: LatticeWork): Promise<Uint32Array | undefined> {
    try {
      return await this.#device?.sweep(work);
    } catch (error) {
      this.dropDevice(messageOf(error));
      return undefined;
    }
  }

  dropDevice(message: string): void {
    if (!this.#device) return;
    this.#device = undefined;
    this.post({ type: 'gpuLost', message });
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
        this.post({ type: 'crashed', job, message: crashWords(error, this.#parts.memory) });
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

  /** Loads custom models. JavaScript functions cannot be passed to threads. */
  async #load(modules: readonly CustomModule[]): Promise<void> {
    if (this.threads) {
      const words = 'custom models need an engine without threads: create one without `threads`';
      const field = modules[0]?.field.replace(/url$/, 'kind');
      throw { code: 'unsupported', message: `${field}: ${words}`, field };
    }
    for (const module of modules) await loadCustom(module, this.#wasm, this.#parts.patience);
  }

  /**
   * Answers a ping, which shows that it is alive; helpers must answer too, which shows whether all
   * messages arrived.
   */
  #ping(): void {
    this.post({ type: 'pong' });
    for (const [job, coordinator] of this.#coordinators) {
      this.guard(job, () => coordinator.ping());
    }
  }

  #receiveWaiting(job: number): void {
    const waiting = this.#waiting.get(job) ?? [];
    this.#waiting.delete(job);
    for (const message of waiting) this.guard(job, () => this.#dispatch(message));
  }

  /** Passes a message on; those about a job that is over are dropped. */
  #dispatch(message: Exclude<ToWorker, { type: 'ping' }>): void {
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
    // Packed data are returned as they came.
    const packed = message.data?.kind === 'bits' ? message.data : data && pack(data);
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

/**
 * The message for a crash. When memory runs out, the core cannot say so: there is only a trap. As
 * the instance is lost anyway, this tests whether the same amount could be allocated again.
 */
function crashWords(error: unknown, memory: WebAssembly.Memory | undefined): string {
  const words = messageOf(error);
  if (!memory || !(error instanceof WebAssembly.RuntimeError)) return words;
  const size = memory.buffer.byteLength;
  try {
    memory.grow(size / PAGE);
    return words;
  } catch {
    const had = `its memory of ${Math.ceil(size / 2 ** 20)} MiB could not be doubled`;
    return `${words}; ${had}, so it probably ran out: ask for less at once`;
  }
}

function pack(data: BinaryData): PackedData {
  return { dim: data.dim, numRows: data.numRows, bits: data.bits() };
}
