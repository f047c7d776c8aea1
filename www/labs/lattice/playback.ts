/** The longest that the states of one report are spread over, in milliseconds. */
const LONGEST = 250;

/**
 * Shows the states of a report one after another over the time until the next one: of a fast sampler many come at once,
 * a few times a second, and only the last of them would be seen. The picture is late by one report.
 */
export class Playback {
  #states: readonly Uint8Array[] = [];
  #since = 0;
  #interval = 0;
  #isOver = true;

  /** Takes the states of a report, in place of what is left of the one before. */
  offer(states: readonly Uint8Array[], now: number): void {
    this.#interval = Math.min(LONGEST, now - this.#since);
    this.#since = now;
    this.#states = states;
    this.#isOver = false;
  }

  /** Whether there are states still to be shown. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The state for this time. */
  at(now: number): Uint8Array | undefined {
    const share = this.#interval > 0 ? (now - this.#since) / this.#interval : 1;
    const place = Math.max(0, Math.floor(share * this.#states.length));
    this.#isOver = place >= this.#states.length - 1;
    return this.#states[Math.min(place, this.#states.length - 1)];
  }

  clear(): void {
    this.#states = [];
    this.#isOver = true;
  }
}
