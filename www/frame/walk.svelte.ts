import type { RunControl, RunStatus } from './run-control.js';

/** Milliseconds from the first step to the last, however many there are. */
const DURATION = 5000;

/**
 * Steps shown one after another: slowly at first, then ever faster, as evenly as they lie on a logarithmic axis. All
 * are known before; this only shows them. Where motion is not wanted, a run shows the last at once.
 */
export class Walk implements RunControl {
  status = $state<RunStatus>('idle');
  seconds = $state(0);
  /** Milliseconds of the runs before this stretch, and when the stretch began. */
  #before = 0;
  #since = 0;
  #serial = 0;
  readonly #total: () => number;
  readonly #steps: () => number;
  readonly #show: (steps: number) => void;

  readonly busy = $derived(this.status === 'running' || this.status === 'paused');
  readonly canContinue = $derived(this.status === 'stopped');
  readonly fraction = $derived.by(() => this.#fractionAt(this.#steps()));
  readonly secondsLeft = $derived.by(() =>
    this.status === 'running' ? (DURATION / 1000) * (1 - this.fraction) : undefined,
  );
  readonly error = undefined;

  /** `total` tells how many steps there are, `steps` how many are shown, and `show` shows so many. */
  constructor(total: () => number, steps: () => number, show: (steps: number) => void) {
    this.#total = total;
    this.#steps = steps;
    this.#show = show;
  }

  start(): void {
    this.reset();
    this.#go();
  }

  continue(): void {
    this.#go();
  }

  stop(): void {
    this.#halt('stopped');
  }

  pause(): Promise<void> {
    if (this.status === 'running') this.#halt('paused');
    return Promise.resolve();
  }

  resume(): void {
    if (this.status === 'paused') this.#go();
  }

  /** Shows one step more. */
  step(): void {
    if (this.status === 'running') return;
    this.#show(Math.min(this.#total(), this.#steps() + 1));
    this.settle();
  }

  /** Back to the start. */
  reset(): void {
    this.#serial++;
    this.#before = 0;
    this.seconds = 0;
    this.status = 'idle';
    this.#show(0);
  }

  /** The status that goes with the steps shown, where nothing runs. */
  settle(): void {
    this.#serial++;
    const steps = this.#steps();
    if (steps >= this.#total()) this.status = 'done';
    else if (this.status !== 'paused') this.status = steps > 0 ? 'stopped' : 'idle';
  }

  #halt(status: RunStatus): void {
    this.#serial++;
    this.#before = 1000 * this.seconds;
    this.status = status;
  }

  #go(): void {
    const serial = ++this.#serial;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.#show(this.#total());
      this.settle();
      return;
    }
    const share = this.fraction;
    this.status = 'running';
    this.#since = performance.now();
    const frame = (now: number) => {
      if (serial !== this.#serial) return;
      const elapsed = Math.max(0, now - this.#since);
      this.seconds = (this.#before + elapsed) / 1000;
      const steps = this.#stepsAt(Math.min(1, share + elapsed / DURATION));
      this.#show(Math.max(this.#steps(), steps));
      if (steps >= this.#total()) {
        this.#before += elapsed;
        this.settle();
      } else {
        requestAnimationFrame(frame);
      }
    };
    requestAnimationFrame(frame);
  }

  #fractionAt(steps: number): number {
    return Math.log1p(steps) / Math.log1p(Math.max(1, this.#total()));
  }

  #stepsAt(fraction: number): number {
    if (fraction >= 1) return this.#total();
    return Math.floor(Math.expm1(fraction * Math.log1p(Math.max(1, this.#total()))) + 1e-9);
  }
}
