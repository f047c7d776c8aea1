/**
 * The platform interface of the engine: `browser.ts` implements it for browsers, `node.ts` for
 * Node.
 */

import type { Numbered } from './line.js';
import type { FromWorker, ToWorker } from './protocol.js';

/** Callbacks for the messages and failures of a worker. */
export interface WorkerEvents {
  message(message: Numbered<FromWorker>): void;
  /** The worker is gone, or never started. */
  failure(words: string): void;
}

/** The script that a worker runs. */
export interface WorkerScript {
  /** The URL of the script; the package's own if undefined. */
  url: string | URL | undefined;
  /** Whether to import the script from a blob, for scripts of another origin. */
  blob: boolean;
}

/** A worker as seen from the thread that made it. */
export interface WorkerHost {
  post(message: Numbered<ToWorker>, transfer: Transferable[]): void;
  /** Whether it keeps a Node process alive. */
  setBusy(busy: boolean): void;
  terminate(): void | Promise<unknown>;
}

/** How long to wait for a file. */
export interface Loading {
  /** Aborting it cancels the loading. */
  signal: AbortSignal | undefined;
  /** How long a server may be silent, in milliseconds. */
  patience: number;
}

export interface Platform {
  /** Number of threads that the machine runs at once. */
  numProcessors(): number;
  /** Why workers are not available here; undefined if they are. */
  workersObstacle(): string | undefined;
  /** Why threads cannot share memory here; undefined if they can. */
  threadsObstacle(): string | undefined;
  /** Compiles the WebAssembly file: the package's own unless `url` is given. */
  compile(
    threads: boolean,
    url: string | URL | undefined,
    loading: Loading,
  ): Promise<WebAssembly.Module>;
  /** Starts a worker. Throws if none can be created. */
  spawn(script: WorkerScript, events: WorkerEvents): WorkerHost;
}
