/**
 * Notices when nothing has been received for too long. Patience is counted in ticks of a timer, not
 * by a clock: while a page is frozen or the machine asleep hardly any tick passes, so the other
 * side gets its full time after both resume.
 */

/** Default time for which a server or a worker may be silent, in milliseconds. */
export const PATIENCE_MS = 60_000;

const NUM_TICKS = 6;
/** The longest time that timers support, some 24 days, in milliseconds. */
const MAX_TICK_MS = 2 ** 31 - 1;

/** Callbacks while nothing is received. */
export interface SilenceEvents {
  /** A part of the patience has passed: time to ask for a sign of life. */
  tick?(): void;
  tooLong(): void;
}

export class Silence {
  readonly #tickMs: number;
  readonly #events: SilenceEvents;
  #timer: ReturnType<typeof setInterval> | undefined;
  #numTicks = 0;

  /** `patience` is in milliseconds, or Infinity. */
  constructor(patience: number, events: SilenceEvents) {
    this.#tickMs = patience / NUM_TICKS;
    this.#events = events;
  }

  /** Starts or continues watching. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#numTicks = 0;
    const wait = Math.min(this.#tickMs, MAX_TICK_MS);
    this.#timer = setInterval(() => this.#tick(), wait);
    // In Node the awaited work keeps the process alive, not this timer.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }

  /** Records that something was received. */
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
