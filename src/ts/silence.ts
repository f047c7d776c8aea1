/**
 * Notices that nothing has been heard for too long. Patience is counted in ticks of a timer, not by a
 * clock: while a page is frozen or the machine asleep hardly any tick passes, so that the other side has
 * its time when both go on.
 */

/** How long a server or a worker may be silent, in milliseconds, where the caller does not say. */
export const PATIENCE_MS = 60_000;

const NUM_TICKS = 6;
/** Timers know no longer times than some 24 days. */
const MAX_TICK_MS = 2 ** 31 - 1;

/** What happens while nothing is heard. */
export interface SilenceEvents {
  /** Part of the patience has passed: the time to ask for a sign of life. */
  tick?(): void;
  tooLong(): void;
}

export class Silence {
  readonly #tickMs: number;
  readonly #events: SilenceEvents;
  #timer: ReturnType<typeof setInterval> | undefined;
  #numTicks = 0;

  /** `patience` is in milliseconds; Infinity has no end. */
  constructor(patience: number, events: SilenceEvents) {
    this.#tickMs = patience / NUM_TICKS;
    this.#events = events;
  }

  /** Begins to watch, or goes on. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#numTicks = 0;
    const wait = Math.min(this.#tickMs, MAX_TICK_MS);
    this.#timer = setInterval(() => this.#tick(), wait);
    // In Node what is waited for keeps the process alive, not the waiting.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }

  /** Something was heard. */
  heard(): void {
    this.#numTicks = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    this.#numTicks += 1;
    if (this.#numTicks < NUM_TICKS || this.#tickMs === Infinity) return this.#events.tick?.();
    this.stop();
    this.#events.tooLong();
  }
}
