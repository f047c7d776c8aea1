/**
 * The core in Node; see `index.ts`.
 */

import { createEngineOn, type Engine, type EngineOptions } from '../engine.js';
import { nodePlatform } from '../node-platform.js';
import { NO_THREADS } from './words.js';

export * from '../public.js';

/** Like `createEngine` of 'unnorm'. */
export function createEngine(options?: EngineOptions): Promise<Engine> {
  return createEngineOn(node, options);
}

const node = nodePlatform({
  wasm: new URL('../wasm/core/unnorm_bg.wasm', import.meta.url),
  worker: new URL('./worker-node.js', import.meta.url),
  threadsObstacle: NO_THREADS,
});
