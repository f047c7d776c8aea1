/**
 * The module that wasm-bindgen emits from `src/wasm.rs`, where its classes are described. One
 * instance lives in each worker; none of its objects ever leaves it.
 *
 * A round of a job is: `broadcast`, then `prepare` on every worker, then `work` for each shard
 * anywhere, again and again until it returns the part, then `gather` of the parts in shard order. Only `gather` and `advance` change a job.
 */

import type * as Plain from './wasm/plain/unnorm.js';

export type { BinaryData, Job, ShardWorker } from './wasm/plain/unnorm.js';

/** What all builds export, and what only the one with shared memory does. */
export interface WasmModule
  extends Pick<typeof Plain, 'BinaryData' | 'Job' | 'ShardWorker' | 'registerCustom' | 'version'> {
  /** Instantiates the module. */
  default(options: {
    module_or_path: WebAssembly.Module;
  }): Promise<{ readonly memory: WebAssembly.Memory }>;
  /** Starts threads over the shared memory. */
  initThreadPool?(numThreads: number): Promise<unknown>;
}
