import { flushSync } from 'svelte';

/** After every picture the page rests this many times as long as it took. */
const REST = 1;

/**
 * Draws as often as it can without taking much of the processor from the job: the newest state with the screen's next
 * frame, then a rest in proportion to what that took.
 */
export class Pace {
  readonly #leastInterval: number;
  #draw: (() => void) | undefined;
  #resting = false;

  /** `leastInterval`: time between two pictures in milliseconds, also where they are cheap. */
  constructor(leastInterval: number) {
    this.#leastInterval = leastInterval;
  }

  /** Has something to draw; what was offered before and is not drawn yet is left out. */
  offer(draw: () => void): void {
    const waiting = this.#draw !== undefined;
    this.#draw = draw;
    if (!waiting && !this.#resting) requestAnimationFrame(() => this.#frame());
  }

  /** Draws what is left, without waiting. */
  flush(): void {
    const draw = this.#draw;
    this.#draw = undefined;
    draw?.();
  }

  #frame(): void {
    if (!this.#draw) return;
    const start = performance.now();
    this.#resting = true;
    this.flush();
    flushSync();
    // A task after this frame, so that layout and painting count.
    setTimeout(() => {
      const taken = performance.now() - start;
      setTimeout(() => this.#rested(), Math.max(REST * taken, this.#leastInterval - taken));
    });
  }

  #rested(): void {
    this.#resting = false;
    if (this.#draw) requestAnimationFrame(() => this.#frame());
  }
}
