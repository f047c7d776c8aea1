/**
 * The package in browsers. Importing it does nothing and touches nothing.
 */

import { createEngineOn, type Engine, type EngineOptions } from './engine.js';
import { fetchModule } from './loader.js';
import type { Platform } from './platform.js';
import type { FromWorker } from './protocol.js';

export * from './public.js';

/**
 * Loads the WebAssembly module, starts the first worker and resolves with an engine.
 * Rejects with an `UnnormError`: 'unsupported', 'wasm-unavailable' or 'invalid-spec'.
 */
export function createEngine(options?: EngineOptions): Promise<Engine> {
  return createEngineOn(browser, options);
}

// Bundlers find the files by the literal `new URL(..., import.meta.url)`.
const browser: Platform = {
  numProcessors: () => navigator.hardwareConcurrency || 1,

  workersObstacle: () =>
    typeof Worker === 'function' ? undefined : 'there are no web workers here',

  threadsObstacle: () =>
    globalThis.crossOriginIsolated
      ? undefined
      : 'threads need a cross-origin isolated page: serve it with the headers ' +
        'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp',

  compile: (threads, url) =>
    fetchModule(
      url ??
        (threads
          ? new URL('./wasm/threads/unnorm_bg.wasm', import.meta.url)
          : new URL('./wasm/plain/unnorm_bg.wasm', import.meta.url)),
    ),

  spawn(url, events) {
    const worker =
      url === undefined
        ? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
        : new Worker(url, { type: 'module' });
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
