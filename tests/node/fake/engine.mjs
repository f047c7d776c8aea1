/** Engines whose workers run the stand-in for the WebAssembly module. */
import { dist } from '../package.mjs';
import { Wire } from './wire.mjs';

const { createEngineOn } = await import(new URL('engine.js', dist).href);
const { nodePlatform } = await import(new URL('node-platform.js', dist).href);

/** A WebAssembly module with nothing in it. */
const EMPTY_MODULE = 'data:application/wasm;base64,AGFzbQEAAAA=';

/** A worker whose clock moves by what its jobs cost, and by nothing else. */
export const STILL_CLOCK = new URL('./still-worker.mjs', import.meta.url);

/** `wire` is what all messages between this thread and the workers go through. */
export function createFakeEngine({ wire = new Wire(), ...options } = {}) {
  const platform = nodePlatform({
    wasm: new URL(EMPTY_MODULE),
    worker: new URL('./worker.mjs', import.meta.url),
    threadsObstacle: 'the stand-in has no threads',
  });
  const spawn = (script, events) => wire.join((own) => platform.spawn(script, own), events);
  return createEngineOn({ ...platform, spawn }, { wasmUrl: EMPTY_MODULE, ...options });
}

/** A job for `engine.exact`: rounds of shards, each `cost` milliseconds long. */
export function chain(model, rest = {}) {
  return { model: { numShards: 4, numRounds: 10, cost: 0, ...model }, seed: 1, ...rest };
}

/** The same job without what holds it, ends it or makes it crash: `numRounds` long, if that is given. */
export function calm({ model, ...rest }, numRounds = model.numRounds) {
  const { holds, meet, lasts, crash, ...others } = model;
  return { ...rest, model: { ...others, numRounds } };
}
