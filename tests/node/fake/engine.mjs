/** Engines whose workers run the stand-in for the WebAssembly module. */
import { createEngine } from '../package.mjs';

/** A WebAssembly module with nothing in it. */
const EMPTY_MODULE = 'data:application/wasm;base64,AGFzbQEAAAA=';

export function createFakeEngine(options) {
  return createEngine({
    wasmUrl: EMPTY_MODULE,
    workerUrl: new URL('./worker.mjs', import.meta.url),
    ...options,
  });
}

/** A job for `engine.exact`: rounds of shards, each `cost` milliseconds long. */
export function chain(model, rest = {}) {
  return { model: { numShards: 4, numRounds: 10, cost: 0, ...model }, seed: 1, ...rest };
}
