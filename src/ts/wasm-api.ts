/**
 * The module that wasm-bindgen emits from `src/wasm.rs`, which documents its classes. Each worker
 * has one instance, whose objects never leave the worker.
 *
 * A round of a job is: `broadcast`, then `prepare` on every worker, then `work` for each shard in
 * any worker, repeated until it returns the part, then `gather` of the parts in shard order. Only
 * `gather` and `advance` change a job.
 */

import type * as Plain from './wasm/plain/unnorm.js';

export type { BinaryData, ShardWorker } from './wasm/plain/unnorm.js';

/** What a job has for rounds on a graphics processor; the core has none of it. */
type ForDevices = 'isLatticeWork' | 'lengthenRounds' | 'latticeWork' | 'takeLattices';

export type Job = Omit<Plain.Job, ForDevices> & Partial<Pick<Plain.Job, ForDevices>>;

/** The exports of all builds, and those of the build with shared memory. */
export interface WasmModule
  extends Pick<typeof Plain, 'BinaryData' | 'ShardWorker' | 'registerCustom' | 'version'> {
  Job: { create(...parts: Parameters<typeof Plain.Job.create>): Job };
  /** Instantiates the module. */
  default(options: {
    module_or_path: WebAssembly.Module;
  }): Promise<{ readonly memory: WebAssembly.Memory }>;
  /** Starts threads over the shared memory. */
  initThreadPool?(numThreads: number): Promise<unknown>;
}
