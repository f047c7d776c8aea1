/** Shares one thread among several pieces of work, and with arriving messages. */

/** How long work may continue before messages are processed, in milliseconds. */
export const SLICE_MS = 10;

/** Work that can be done a slice at a time. */
export interface Runnable {
  /**
   * Works until `deadline` (as `performance.now()`); returns whether there is more to do at once.
   */
  run(deadline: number): boolean;
}

export class Scheduler {
  readonly #yieldToMessages: () => Promise<void>;
  #queue: Runnable[] = [];
  #looping = false;

  constructor(yieldToMessages: () => Promise<void>) {
    this.#yieldToMessages = yieldToMessages;
  }

  /** Records that there is something to do. */
  wake(work: Runnable): void {
    if (!this.#queue.includes(work)) this.#queue.push(work);
    if (!this.#looping) void this.#loop();
  }

  /** Removes work. */
  remove(work: Runnable): void {
    this.#queue = this.#queue.filter((other) => other !== work);
  }

  async #loop(): Promise<void> {
    this.#looping = true;
    for (;;) {
      await this.#yieldToMessages();
      const work = this.#queue.shift();
      if (!work) break;
      if (work.run(performance.now() + SLICE_MS)) this.#queue.push(work);
    }
    this.#looping = false;
  }
}
