/**
 * The package in Node: the same engine over `node:worker_threads`.
 */

import { createEngineOn, type Engine, type EngineOptions } from './engine.js';
import { nodePlatform } from './node-platform.js';

export * from './public.js';

/**
 * Loads the WebAssembly module, starts the first worker and resolves with an engine. A process ends
 * by itself when no job is running, whether or not the engine was closed. Rejects with an
 * `UnnormError`: 'unsupported', 'wasm-unavailable', 'invalid-spec' or 'aborted'.
 */
export function createEngine(options?: EngineOptions): Promise<Engine> {
  return createEngineOn(node, options);
}

const node = nodePlatform({
  wasm: new URL('./wasm/plain/unnorm_bg.wasm', import.meta.url),
  worker: new URL('./worker-node.js', import.meta.url),
  threadsObstacle: 'threads over a shared memory work in browsers only; leave them out here',
});
