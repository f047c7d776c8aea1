/** Milliseconds from frame to frame, of the newest few hundred frames. */
export class FrameTimes {
  readonly #times = new Float64Array(600);
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  add(milliseconds: number): void {
    this.#times[this.#count++ % this.#times.length] = milliseconds;
  }

  /** Undefined where there are too few to tell. */
  get summary(): { median: number; worst: number; count: number } | undefined {
    const count = Math.min(this.#count, this.#times.length);
    if (count < 20) return undefined;
    const sorted = this.#times.slice(0, count).sort();
    return { median: sorted[count >> 1] ?? 0, worst: sorted[count - 1] ?? 0, count };
  }
}
