/**
 * The package in one file, for pages that are one file: `unnorm/inline`. The build puts the
 * worker's script and the compressed WebAssembly without threads into it. Importing it has no side
 * effects.
 */

import { browserPlatform } from './browser.js';
import { createEngineOn, type Engine, type EngineOptions } from './engine.js';
import { wasm, worker } from './inline-files.js';
import { compileBytes } from './loader.js';

export * from './public.js';

/**
 * Like `createEngine` of `unnorm`, from this file alone: no other file is fetched. There are no
 * threads over a shared memory, and a content security policy must allow `blob:` in `worker-src`.
 * Rejects with an `UnnormError`: 'unsupported', 'wasm-unavailable', 'invalid-spec' or 'aborted'.
 */
export function createEngine(options?: EngineOptions): Promise<Engine> {
  const browser = browserPlatform({
    compile: async () => compileBytes(await inflate(wasm), 'of unnorm/inline'),
    worker,
    threadsObstacle: 'unnorm/inline has no threads: leave them out, or import unnorm instead',
  });
  return createEngineOn(browser, options);
}

/** Decodes base64 and raw deflate, without fetching a data: URL, which security policies forbid. */
async function inflate(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
