/** The timers that a program has set: as in Node, it has not ended while one is to come. */
export class Timers {
  readonly #pending = new Set<number>();
  #whenNone: (() => void) | undefined;

  constructor() {
    // The types are those of a window: Node's, which the checker also knows, give objects.
    const { setTimeout, setInterval, clearTimeout } = globalThis as unknown as Window;
    const add = (id: number) => {
      this.#pending.add(id);
      return id;
    };
    const remove = (id: number | undefined) => {
      if (id !== undefined) this.#pending.delete(id);
      if (this.#pending.size === 0) this.#whenNone?.();
    };
    const clear = (id?: number) => {
      clearTimeout(id);
      remove(id);
    };
    Object.assign(globalThis, {
      setTimeout: (handler: () => void, delay?: number, ...args: []) => {
        const id = setTimeout(() => {
          try {
            handler(...args);
          } finally {
            remove(id);
          }
        }, delay);
        return add(id);
      },
      setInterval: (...args: Parameters<typeof setInterval>) => add(setInterval(...args)),
      clearTimeout: clear,
      clearInterval: clear,
    });
  }

  /** Resolves when no timer is to come. */
  async allDone(): Promise<void> {
    while (this.#pending.size > 0)
      await new Promise<void>((resolve) => {
        this.#whenNone = resolve;
      });
  }
}
