/**
 * Every message between threads. There is one union for each direction; each receiver switches on
 * `type` and ends with {@link unreachable}, so that a missing case does not compile.
 *
 * main → worker {@link ToWorker}, worker → main {@link FromWorker}; and, over a separate port for
 * each job, coordinator → helper {@link ToHelper}, helper → coordinator {@link FromHelper}.
 * Messages are numbered in transit: see `line.ts`. `job` numbers a task (a job or the reading of a
 * file) for the life of the engine.
 */

import type { WireError } from './errors.js';
import type { PackedData, ReadData } from './types.js';

/** Data in transit to wasm; `spec.ts` makes them. */
export type WireData =
  | { kind: 'values'; dim: number; values: Uint8Array | Int8Array | Float64Array }
  | ({ kind: 'bits' } & PackedData)
  | { kind: 'csv'; bytes: Uint8Array }
  | { kind: 'npy'; bytes: Uint8Array };

/** The first message: instantiate the module. `numThreads` 0 means the build without threads. */
export interface InitMessage {
  type: 'init';
  module: WebAssembly.Module;
  numThreads: number;
  /** How long the module of a custom model may take to load, in milliseconds. */
  patience: number;
  /** Whether to compute on a graphics processor what can be. */
  gpu: boolean;
}

/** Create a job, and run it unless `paused`. */
export interface StartMessage {
  type: 'start';
  job: number;
  spec: unknown;
  data: WireData | undefined;
  checkpoint: Uint8Array | undefined;
  paused: boolean;
  progressInterval: number;
  streamDraws: boolean;
}

/** Serve the coordinator at the other end of `port`. */
export interface HelpMessage {
  type: 'help';
  job: number;
  spec: unknown;
  data: PackedData | undefined;
  port: MessagePort;
}

export type ToWorker =
  | InitMessage
  /** Must be answered at once, and passed on to helpers. */
  | { type: 'ping' }
  | StartMessage
  | HelpMessage
  | { type: 'readData'; job: number; data: WireData }
  | { type: 'pause'; job: number; request: number }
  | { type: 'resume'; job: number }
  | { type: 'cancel'; job: number }
  | { type: 'checkpoint'; job: number }
  /** The last progress has been received; the next may be sent. */
  | { type: 'progressReceived'; job: number }
  | { type: 'addHelper'; job: number; helper: number; port: MessagePort }
  | { type: 'loseHelper'; job: number; helper: number }
  /** Stop helping with a job. */
  | { type: 'dismiss'; job: number };

/** Messages about one task. */
export type FromTask =
  /**
   * The job has been created. Helpers and restarts use these data and this spec, with their present
   * model if it has none.
   */
  | { type: 'created'; job: number; spec: unknown; data: PackedData | undefined }
  | { type: 'refused'; job: number; error: WireError }
  /** Rounds take long enough for other workers to help. */
  | { type: 'wantHelpers'; job: number; numHelpers: number }
  | { type: 'progress'; job: number; progress: unknown }
  | { type: 'checkpoint'; job: number; checkpoint: Uint8Array; asked: boolean }
  | { type: 'paused'; job: number; request: number }
  | { type: 'aborted'; job: number; checkpoint: Uint8Array }
  | { type: 'done'; job: number; progress: unknown; result: unknown; checkpoint: Uint8Array }
  | { type: 'data'; job: number; data: ReadData };

export type FromWorker =
  | FromTask
  /** `gpu` names the graphics processor, if it is to be used and there is one. */
  | { type: 'ready'; version: string; gpu: string | undefined }
  /** The graphics processor has failed, for this reason; the CPU goes on. */
  | { type: 'gpuLost'; message: string }
  | { type: 'pong' }
  | { type: 'startFailed'; message: string }
  /** The wasm instance is lost; `job` is the job it was working on, if known. */
  | { type: 'crashed'; job?: number; message: string };

/** The round of the shards that follow, for which to prepare. */
export interface RoundMessage {
  number: number;
  broadcast: Uint8Array;
}

export interface ShardMessage {
  shard: number;
  scattered: Uint8Array;
}

export type ToHelper =
  | { type: 'ping' }
  /** To be worked in order. `round` comes with the first shards of a round. */
  | { type: 'shards'; round: RoundMessage | undefined; shards: ShardMessage[] }
  /** Skip a shard, unless it has been begun: the coordinator does it itself. */
  | { type: 'withdraw'; shard: number };

/** The result of a shard; `time` is how long it took, in milliseconds. */
export interface PartMessage {
  shard: number;
  part: Uint8Array;
  time: number;
}

export type FromHelper =
  | { type: 'ready' }
  | { type: 'pong' }
  /** `round` is the round that the parts belong to. */
  | { type: 'parts'; round: number; parts: PartMessage[] };

/** The default case of a switch that handles all cases. */
export function unreachable(message: never): never {
  throw new Error(`unexpected message ${JSON.stringify(message)}`);
}

/** The buffers inside plain data that can be moved instead of copied. */
export function buffersOf(value: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    const whole = buffer instanceof ArrayBuffer && buffer.byteLength === value.byteLength;
    if (whole && !found.includes(buffer)) found.push(buffer);
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const inner of Object.values(value)) buffersOf(inner, found);
  }
  return found;
}
