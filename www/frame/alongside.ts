/**
 * Work that goes on beside a run without slowing it much: it takes the newest thing on offer, and rests in proportion
 * to what that took before it takes the next. What it had no time for is left out.
 */
export class Alongside<T> {
  readonly #work: (newest: T, signal: AbortSignal) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  readonly #leastRest: number;
  readonly #rest: number;
  #newest: T | undefined;
  #going = false;
  #wake = () => {};
  #abort = new AbortController();

  /** It rests `rest` times as long as the work took, and `leastRest` milliseconds at least. */
  constructor(
    work: (newest: T, signal: AbortSignal) => Promise<void>,
    onError: (error: unknown) => void,
    { leastRest, rest }: { leastRest: number; rest: number },
  ) {
    this.#work = work;
    this.#onError = onError;
    this.#leastRest = leastRest;
    this.#rest = rest;
  }

  /** Something newer to work on. */
  offer(newest: T): void {
    this.#newest = newest;
    if (!this.#going) void this.#go();
  }

  /** Ends what is under way and forgets what is on offer. */
  cancel(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#newest = undefined;
    this.#going = false;
    this.#wake();
  }

  async #go(): Promise<void> {
    const { signal } = this.#abort;
    this.#going = true;
    while (this.#newest !== undefined && !signal.aborted) {
      const newest = this.#newest;
      this.#newest = undefined;
      const start = performance.now();
      try {
        await this.#work(newest, signal);
      } catch (error) {
        if (!signal.aborted) this.#onError(error);
      }
      if (signal.aborted) return;
      await this.#sleep(Math.max(this.#leastRest, this.#rest * (performance.now() - start)));
    }
    if (signal.aborted) return;
    this.#going = false;
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
