/**
 * A value that changes until it ends, observed by any number of async iterators. A slow one skips
 * to the latest value; every one gets the last.
 */
export class Latest<T> {
  #value: T | undefined;
  /** Number of values so far. */
  #count = 0;
  #end: { error?: unknown } | undefined;
  #waiting: (() => void)[] = [];

  /** Sets the next value. After the end it is ignored. */
  push(value: T): void {
    if (this.#end) return;
    this.#value = value;
    this.#count += 1;
    this.#wake();
  }

  /** Ends the sequence; with `error`, iterators throw it after the last value. */
  end(end: { error?: unknown } = {}): void {
    if (this.#end) return;
    this.#end = end;
    this.#wake();
  }

  /** Yields the latest value, then each later one that has not been replaced by a newer one. */
  async *watch(): AsyncGenerator<T, void, undefined> {
    let seen = 0;
    for (;;) {
      if (this.#count > seen) {
        seen = this.#count;
        yield this.#value as T;
      } else if (this.#end) {
        if ('error' in this.#end) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((wake) => this.#waiting.push(wake));
      }
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
