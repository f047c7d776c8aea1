/**
 * Shares one thread among several pieces of work, and with the messages that arrive meanwhile.
 */

/** How long work may go on before messages are let in, in milliseconds. */
export const SLICE_MS = 10;

/** Work that can be done a slice at a time. */
export interface Runnable {
  /** Works until `deadline` (as `performance.now()`); whether there is more to do at once. */
  run(deadline: number): boolean;
}

export class Scheduler {
  readonly #yieldToMessages: () => Promise<void>;
  #queue: Runnable[] = [];
  #looping = false;

  constructor(yieldToMessages: () => Promise<void>) {
    this.#yieldToMessages = yieldToMessages;
  }

  /** Takes note that there is something to do. */
  wake(work: Runnable): void {
    if (!this.#queue.includes(work)) this.#queue.push(work);
    if (!this.#looping) void this.#loop();
  }

  /** Takes work out. */
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
