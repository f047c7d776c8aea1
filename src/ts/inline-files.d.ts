/** The files contained in `unnorm/inline`; `src/tools/inline.mjs` writes them. */

/** The text of the worker's script, a classic one. */
export const worker: string;
/** The WebAssembly file without threads: raw deflate in base64. */
export const wasm: string;
