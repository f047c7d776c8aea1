/**
 * Every message between threads. One union for each direction; whoever receives switches on
 * `type` and ends with {@link unreachable}, so that a forgotten case does not compile.
 *
 * main → worker {@link ToWorker}, worker → main {@link FromWorker}; and, over a port of their own
 * for each job, coordinator → helper {@link ToHelper}, helper → coordinator {@link FromHelper}. On
 * their way they are numbered: see `line.ts`.
 * `job` numbers a task (a job or the reading of a file) for the life of the engine.
 */

import type { WireError } from './errors.js';
import type { PackedData, ReadData } from './types.js';

/** Data on its way to wasm; see `spec.ts` for how it is made. */
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
  /** To be answered at once, and passed on to helpers. */
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
  /** The job exists; helpers and restarts use this spec, with the model they had if it has none, and data. */
  | { type: 'created'; job: number; spec: unknown; data: PackedData | undefined }
  | { type: 'refused'; job: number; error: WireError }
  /** Rounds take long enough for other workers to be of use. */
  | { type: 'wantHelpers'; job: number; numHelpers: number }
  | { type: 'progress'; job: number; progress: unknown }
  | { type: 'checkpoint'; job: number; checkpoint: Uint8Array; asked: boolean }
  | { type: 'paused'; job: number; request: number }
  | { type: 'aborted'; job: number; checkpoint: Uint8Array }
  | { type: 'done'; job: number; progress: unknown; result: unknown; checkpoint: Uint8Array }
  | { type: 'data'; job: number; data: ReadData };

export type FromWorker =
  | FromTask
  | { type: 'ready'; version: string }
  | { type: 'pong' }
  | { type: 'startFailed'; message: string }
  /** The wasm instance is lost; `job` is what it was working on, if that is known. */
  | { type: 'crashed'; job?: number; message: string };

/** The round that shards are of, to be prepared before them. */
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
  /** To be done in their order. `round` comes with its first. */
  | { type: 'shards'; round: RoundMessage | undefined; shards: ShardMessage[] }
  /** Leave out a shard, if it has not been begun: the coordinator does it itself. */
  | { type: 'withdraw'; shard: number };

/** What came of a shard; `time` is what it took, in milliseconds. */
export interface PartMessage {
  shard: number;
  part: Uint8Array;
  time: number;
}

export type FromHelper =
  | { type: 'ready' }
  | { type: 'pong' }
  /** `round` is the one that they belong to. */
  | { type: 'parts'; round: number; parts: PartMessage[] };

/** The end of a switch that has a case for everything. */
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
