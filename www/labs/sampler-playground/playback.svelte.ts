import type { RunControl, RunError, RunStatus } from '../../frame/run-control.js';
import { FrameTimes } from './frame-times.js';

/** What is played: steps that are here already, of those that will come. */
export interface Reel {
  numAvailable(): number;
  total(): number;
  error(): RunError | undefined;
  pause(): void;
  resume(): void;
}

/** Milliseconds between two changes of the numbers on the page. The pictures change with every frame. */
const PUBLISH_INTERVAL = 250;

/** A frame that took longer is a tab that was hidden: the steps do not jump to catch up. */
const MAX_FRAME = 250;

/**
 * Shows steps at the pace wanted, whatever the pace at which they are computed. `position` is how many steps are
 * shown, its fraction how far the next one has come; it is read anew at every frame and is no state of the page,
 * `shown` is.
 */
export class Playback implements RunControl {
  status = $state<RunStatus>('idle');
  seconds = $state(0);
  /** Whole steps shown, as the page's words and numbers have it. */
  shown = $state(0);
  /** Steps a second. */
  speed = $state(8);
  failure = $state.raw<RunError>();
  position = 0;
  readonly frameTimes = new FrameTimes();
  readonly #reel: Reel;
  readonly #listeners = new Set<() => void>();
  #serial = 0;
  #published = 0;

  readonly busy = $derived(
    this.status === 'starting' || this.status === 'running' || this.status === 'paused',
  );
  readonly canContinue = $derived(this.status === 'stopped');
  readonly fraction = $derived.by(() =>
    this.status === 'done' ? 1 : this.shown / Math.max(1, this.#reel.total()),
  );
  readonly secondsLeft = $derived.by(() =>
    this.status === 'running' ? (this.#reel.total() - this.shown) / this.speed : undefined,
  );
  readonly error = $derived.by(() => this.failure ?? this.#reel.error());

  constructor(reel: Reel) {
    this.#reel = reel;
  }

  /** Calls at every frame on which something has moved. Gives what ends that. */
  onFrame(draw: () => void): () => void {
    this.#listeners.add(draw);
    return () => this.#listeners.delete(draw);
  }

  reset(): void {
    this.#serial++;
    this.status = 'idle';
    this.failure = undefined;
    this.seconds = 0;
    this.frameTimes.clear();
    this.show(0);
  }

  fail(error: RunError): void {
    this.#serial++;
    this.failure = error;
    this.status = 'failed';
  }

  play(): void {
    this.#reel.resume();
    const serial = ++this.#serial;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.status = this.#reel.numAvailable() > 0 ? 'running' : 'starting';
    let last = performance.now();
    const frame = (now: number) => {
      if (serial !== this.#serial) return;
      const elapsed = now - last;
      last = now;
      const available = this.#reel.numAvailable();
      const total = this.#reel.total();
      if (this.#reel.error() && available <= this.position) {
        this.status = 'failed';
        return;
      }
      if (this.status === 'starting') {
        if (available > 0) this.status = 'running';
      } else {
        this.seconds += elapsed / 1000;
        this.frameTimes.add(elapsed);
        const onwards = (this.speed * Math.min(elapsed, MAX_FRAME)) / 1000;
        // Where motion is not wanted, only the end is shown.
        const wanted = isStill ? (available >= total ? total : 0) : this.position + onwards;
        this.#move(Math.min(available, wanted));
      }
      if (total > 0 && this.position >= total) {
        this.#publish();
        this.status = 'done';
      } else {
        requestAnimationFrame(frame);
      }
    };
    requestAnimationFrame(frame);
  }

  stop(): void {
    if (this.busy) this.#halt('stopped');
  }

  pause(): Promise<void> {
    if (this.status === 'running') this.#halt('paused');
    return Promise.resolve();
  }

  resume(): void {
    if (this.status === 'paused') this.play();
  }

  /** Shows so many whole steps, of those that are here, and stays there. */
  show(numSteps: number): void {
    this.#move(Math.max(0, Math.min(this.#reel.numAvailable(), Math.round(numSteps))));
    this.#publish();
    if (this.status === 'running' || this.status === 'starting') return;
    if (this.position > 0 && this.position >= this.#reel.total()) this.status = 'done';
    else if (this.status === 'done') this.status = 'stopped';
  }

  /** Shows one step more; where it is not here yet, as soon as it is. */
  step(): void {
    if (this.status === 'running' || this.status === 'starting') return;
    const wanted = Math.floor(this.position) + 1;
    this.#reel.resume();
    const serial = ++this.#serial;
    const shown = () => {
      if (serial !== this.#serial) return;
      if (this.#reel.error() && this.#reel.numAvailable() < wanted) {
        this.status = 'failed';
      } else if (this.#reel.numAvailable() < wanted) {
        requestAnimationFrame(shown);
      } else {
        if (this.status !== 'paused') this.status = 'stopped';
        this.show(wanted);
      }
    };
    shown();
  }

  #halt(status: RunStatus): void {
    this.#serial++;
    this.#reel.pause();
    this.#publish();
    this.status = status;
  }

  #move(position: number): void {
    this.position = position;
    for (const draw of this.#listeners) draw();
    if (performance.now() - this.#published > PUBLISH_INTERVAL) this.#publish();
  }

  #publish(): void {
    this.#published = performance.now();
    this.shown = Math.floor(this.position);
  }
}
