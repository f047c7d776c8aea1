/**
 * Browsers, as the engine needs them: what all entries of the package share there.
 */

import { fetchModule } from './loader.js';
import type { Platform } from './platform.js';
import type { FromWorker } from './protocol.js';

/** The files of an entry. Bundlers find them by the literal `new URL(..., import.meta.url)` there. */
export interface BrowserFiles {
  /** The WebAssembly file. */
  wasm(threads: boolean): URL;
  /** A worker with the entry's own script. */
  worker(): Worker;
  /** Why there are no threads, if the entry has none. */
  noThreads?: string;
}

/** The platform over these files. */
export function browserPlatform(files: BrowserFiles): Platform {
  return {
    numProcessors: () => navigator.hardwareConcurrency || 1,

    workersObstacle: () =>
      typeof Worker === 'function' ? undefined : 'there are no web workers here',

    threadsObstacle() {
      if (files.noThreads !== undefined || globalThis.crossOriginIsolated) return files.noThreads;
      return (
        'threads need a cross-origin isolated page: serve it with the headers ' +
        'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp'
      );
    },

    compile: (threads, url) => fetchModule(url ?? files.wasm(threads)),

    spawn(url, events) {
      const worker = url === undefined ? files.worker() : new Worker(url, { type: 'module' });
      worker.onmessage = (event: MessageEvent<FromWorker>) => events.message(event.data);
      worker.onmessageerror = () => events.failure('a message could not be read');
      // A script that cannot be loaded gives an event without a message.
      worker.onerror = (event) => events.failure(event.message || 'its script could not be loaded');
      return {
        post: (message, transfer = []) => worker.postMessage(message, transfer),
        setBusy: () => undefined,
        terminate: () => worker.terminate(),
      };
    },
  };
}
