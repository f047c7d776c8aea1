/** The progress of a job on standard error: a bar on a terminal, otherwise a line at intervals. */

/** Seconds between two lines if there is no terminal. */
const LINE_SECONDS = 2;
const BAR_WIDTH = 30;

/** Where progress is shown. */
export interface Screen {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string): unknown;
}

export class ProgressBar {
  readonly #label: string;
  readonly #screen: Screen;
  readonly #seconds: () => number;
  #began: { seconds: number; fraction: number } | undefined;
  #lastLine: number;
  #drawn = false;

  constructor(label: string, screen: Screen, seconds = () => performance.now() / 1000) {
    this.#label = label;
    this.#screen = screen;
    this.#seconds = seconds;
    this.#lastLine = seconds();
  }

  /** Shows the fraction of the work that is done, 0 to 1. */
  update(fraction: number): void {
    const now = this.#seconds();
    this.#began ??= { seconds: now, fraction };
    const left = this.#left(now, fraction);
    const percent = `${Math.floor(100 * fraction)} %`;
    if (this.#screen.isTTY) {
      const full = Math.round(BAR_WIDTH * fraction);
      const bar = '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
      const text = `${this.#label} ${bar} ${percent.padStart(5)}${left}`;
      this.#screen.write(`\r${text.slice(0, (this.#screen.columns || 80) - 1)}\x1b[K`);
      this.#drawn = true;
    } else if (now - this.#lastLine >= LINE_SECONDS) {
      this.#screen.write(`${this.#label}: ${percent}${left}\n`);
      this.#lastLine = now;
    }
  }

  /** Removes the bar, so that something else can be written. */
  clear(): void {
    if (this.#drawn) this.#screen.write('\r\x1b[K');
    this.#drawn = false;
  }

  /** The time left, if the rest proceeds at the average speed since the first report. */
  #left(now: number, fraction: number): string {
    const began = this.#began as { seconds: number; fraction: number };
    const done = fraction - began.fraction;
    const passed = now - began.seconds;
    if (fraction >= 1 || done <= 0 || passed < 1) return '';
    return `, ${durationOf((passed * (1 - fraction)) / done)} left`;
  }
}

/** A number of seconds as text. */
export function durationOf(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
