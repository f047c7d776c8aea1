/** Steps, one a frame of the screen, between Start and Pause and while the figure is in view. */
export class Ticker {
  isPlaying = $state(false);
  readonly #step: () => void;
  #isSeen = true;
  #frame = 0;

  constructor(step: () => void) {
    this.#step = step;
  }

  toggle(): void {
    this.isPlaying = !this.isPlaying;
    this.#ask();
  }

  /** For the element whose sight counts. */
  readonly watch = (element: HTMLElement): (() => void) => {
    const observer = new IntersectionObserver((entries) => {
      this.#isSeen = entries.at(-1)?.isIntersecting ?? false;
      this.#ask();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      this.isPlaying = false;
    };
  };

  /** Browsers give no frames to tabs that are hidden. */
  #ask(): void {
    if (this.#frame || !this.isPlaying || !this.#isSeen) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.isPlaying || !this.#isSeen) return;
      this.#step();
      this.#ask();
    });
  }
}
