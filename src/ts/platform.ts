/**
 * What the engine needs of the place it runs in: `browser.ts` has the browser's, `node.ts` Node's.
 */

import type { Numbered } from './line.js';
import type { FromWorker, ToWorker } from './protocol.js';

/** Called with what comes from a worker. */
export interface WorkerEvents {
  message(message: Numbered<FromWorker>): void;
  /** The worker is gone, or never came. */
  failure(words: string): void;
}

/** What a worker is to run. */
export interface WorkerScript {
  /** Where the script is; the package's own if undefined. */
  url: string | URL | undefined;
  /** Whether to import it from a blob, for scripts of another origin. */
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
  /** Aborting it gives up. */
  signal: AbortSignal | undefined;
  /** How long a server may be silent, in milliseconds. */
  patience: number;
}

export interface Platform {
  /** How many threads the machine runs at once. */
  numProcessors(): number;
  /** Why workers cannot be had here, or undefined where they can. */
  workersObstacle(): string | undefined;
  /** Why memory cannot be shared between threads here, or undefined where it can. */
  threadsObstacle(): string | undefined;
  /** Compiles the WebAssembly file: the package's own unless `url` is given. */
  compile(
    threads: boolean,
    url: string | URL | undefined,
    loading: Loading,
  ): Promise<WebAssembly.Module>;
  /** Starts a worker. Throws where none can be made. */
  spawn(script: WorkerScript, events: WorkerEvents): WorkerHost;
}
