/** The package in browsers. Importing it has no side effects. */

import { browserPlatform } from './browser.js';
import { createEngineOn, type Engine, type EngineOptions } from './engine.js';
import { fetchModule } from './loader.js';

export * from './public.js';

/**
 * Loads the WebAssembly module, starts the first worker and resolves with an engine.
 * Rejects with an `UnnormError`: 'unsupported', 'wasm-unavailable', 'invalid-spec' or 'aborted'.
 */
export function createEngine(options?: EngineOptions): Promise<Engine> {
  // Bundlers find the files by the literal `new URL(..., import.meta.url)`.
  const browser = browserPlatform({
    compile: (threads, loading) =>
      fetchModule(
        threads
          ? new URL('./wasm/threads/unnorm_bg.wasm', import.meta.url)
          : new URL('./wasm/plain/unnorm_bg.wasm', import.meta.url),
        loading,
      ),
    worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
  });
  return createEngineOn(browser, options);
}
