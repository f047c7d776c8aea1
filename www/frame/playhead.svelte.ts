/** Milliseconds from one end of the path to the other. */
const DURATION = 6000;
/** While there is more to come. */
const SHORT = 2200;

/** How far along the paths the pictures are, from 0 to 1, and the clock that moves it. */
export class Playhead {
  share = $state(0.5);
  playing = $state(false);
  readonly #isHurried: () => boolean;
  readonly #onEnd: () => void;
  #serial = 0;

  /** `isHurried` tells whether there is more to come, `onEnd` hears that the end was reached. */
  constructor(isHurried: () => boolean = () => false, onEnd: () => void = () => {}) {
    this.#isHurried = isHurried;
    this.#onEnd = onEnd;
  }

  /** Goes on from where it is; from the beginning, where it is at the end. */
  play(): void {
    if (this.playing) return;
    if (this.share >= 1) this.share = 0;
    this.playing = true;
    const serial = ++this.#serial;
    let last: number | undefined;
    const frame = (now: number) => {
      if (serial !== this.#serial) return;
      // A frame that took long is a page that was hidden.
      const elapsed = Math.min(250, now - (last ?? now));
      last = now;
      this.share = Math.min(1, this.share + elapsed / (this.#isHurried() ? SHORT : DURATION));
      if (this.share < 1) {
        requestAnimationFrame(frame);
      } else {
        this.playing = false;
        this.#onEnd();
      }
    };
    requestAnimationFrame(frame);
  }

  pause(): void {
    this.#serial++;
    this.playing = false;
  }

  /** To a place, and stays there. */
  goTo(share: number): void {
    this.pause();
    this.share = share;
  }
}

/** Whether the visitor would rather have nothing move by itself. */
export function prefersStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
