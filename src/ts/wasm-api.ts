/**
 * What the package needs of the module that wasm-bindgen emits. One wasm instance lives in each
 * worker; none of its objects ever leaves it.
 */

/** Validated rows of 0 and 1, bit-packed in wasm memory. */
export interface BinaryData {
  readonly dim: number;
  readonly numRows: number;
  bits(): Uint8Array;
  free(): void;
}

/**
 * A job as its coordinator holds it. A round is: `broadcast`, then `prepare` on every worker, then
 * `work` for each shard anywhere, then `gather` of the parts in shard order. The state changes
 * only in `gather` and `advance`.
 */
export interface Job {
  /** How many pieces a round falls into; does not depend on the number of workers. */
  readonly numShards: number;
  readonly done: boolean;
  /** The spec with its defaults filled in and its seed chosen. */
  spec(): unknown;
  /** What every shard needs for the next round. */
  broadcast(): Uint8Array;
  /** What this shard alone needs for the next round. */
  scatter(shard: number): Uint8Array;
  prepare(broadcast: Uint8Array): void;
  work(shard: number, scattered: Uint8Array): Uint8Array;
  gather(parts: Uint8Array[]): void;
  /** Does up to `maxRounds` rounds, inside. */
  advance(maxRounds: number): void;
  progress(): unknown;
  snapshot(): Uint8Array;
  result(): unknown;
  free(): void;
}

/** The stateless half of a job, which helpers hold. */
export interface ShardWorker {
  prepare(broadcast: Uint8Array): void;
  work(shard: number, scattered: Uint8Array): Uint8Array;
  free(): void;
}

/** The module's exports. */
export interface WasmModule {
  default(options: { module_or_path: WebAssembly.Module }): Promise<unknown>;
  version(): string;
  /** Only in the build with shared memory. */
  initThreadPool?(numThreads: number): Promise<unknown>;
  BinaryData: {
    fromBits(dim: number, numRows: number, bits: Uint8Array): BinaryData;
    fromValues(dim: number, values: Float64Array): BinaryData;
    fromCsv(bytes: Uint8Array): BinaryData;
    fromNpy(bytes: Uint8Array): BinaryData;
  };
  /** Takes `data` over: it must not be freed. */
  Job: {
    create(spec: unknown, data: BinaryData | undefined, checkpoint: Uint8Array | undefined): Job;
  };
  /** Takes `data` over: it must not be freed. */
  ShardWorker: { create(spec: unknown, data: BinaryData | undefined): ShardWorker };
}
