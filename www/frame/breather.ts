/** Milliseconds after which the page gets its turn. */
const SLICE = 8;

/** Lets the page breathe whenever a slice is over. */
export function breather(signal: AbortSignal): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < SLICE) return;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    last = performance.now();
  };
}
