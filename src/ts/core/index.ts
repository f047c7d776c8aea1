/**
 * The core in browsers: the same engine over a much smaller WebAssembly file. It has Ising models,
 * their fit by L-BFGS, Gibbs sampling, annealed importance sampling and enumeration. Other specs
 * are refused with a sentence that names 'unnorm'. Results have the same bits.
 */

import { browserPlatform } from '../browser.js';
import { createEngineOn, type Engine, type EngineOptions } from '../engine.js';
import { fetchModule } from '../loader.js';
import { NO_THREADS } from './words.js';

export * from '../public.js';

/** Like `createEngine` of 'unnorm', without `threads`. */
export function createEngine(options?: EngineOptions): Promise<Engine> {
  const browser = browserPlatform({
    compile: (_threads, loading) =>
      fetchModule(new URL('../wasm/core/unnorm_bg.wasm', import.meta.url), loading),
    worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
    threadsObstacle: NO_THREADS,
  });
  return createEngineOn(browser, options);
}
