/** One step of a run as it is kept for looking at again. */
export interface Step {
  /** Its number in the run, from 1: the number of evaluations, of draws. */
  readonly step: number;
}

const MAX_STEPS = 200;
const MAX_BYTES = 64e6;

/**
 * The steps of a run in the order in which they came, in bounded memory. While there is room every one is kept, then
 * every second, every fourth, and so on, and always the last one.
 */
export class KeptSteps<S extends Step> {
  readonly #sizeOf: (step: S) => number;
  #kept: { place: number; step: S }[] = [];
  #numArrived = 0;
  #stride = 1;

  /** `sizeOf` gives about the bytes that a step takes. */
  constructor(sizeOf: (step: S) => number) {
    this.#sizeOf = sizeOf;
  }

  /** Steps arrive in ascending order. One that has been there is left out: its repetition is the same to the last bit. */
  add(step: S): void {
    const last = this.#kept.at(-1);
    if (last && step.step <= last.step.step) return;
    if (last && last.place % this.#stride !== 0) this.#kept.pop();
    this.#kept.push({ place: this.#numArrived++, step });
    const most = Math.max(2, Math.min(MAX_STEPS, Math.floor(MAX_BYTES / this.#sizeOf(step))));
    while (this.#kept.length > most) this.#thin();
  }

  /** A copy of the list, ascending. */
  list(): S[] {
    return this.#kept.map(({ step }) => step);
  }

  clear(): void {
    this.#kept = [];
    this.#numArrived = 0;
    this.#stride = 1;
  }

  #thin(): void {
    this.#stride *= 2;
    const last = this.#kept.length - 1;
    this.#kept = this.#kept.filter(({ place }, n) => n === last || place % this.#stride === 0);
  }
}
