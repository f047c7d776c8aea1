import { type Engine, type JobHandle, type RunOptions, UnnormError } from 'unnorm';
import { Pace } from './pace.js';
import type { RunControl, RunError, RunStatus } from './run-control.js';

export interface AnyProgress {
  fraction: number;
}

/** How a lab runs its job. */
export interface Launch<P, R> {
  engine: () => Promise<Engine>;
  /** Calls the verb. Not asynchronous: a handle is awaited like a promise, and would be turned into its result. */
  job: (engine: Engine, options: RunOptions<P>) => JobHandle<P, R>;
  /** Hears every report of this run with the seconds computed so far, and none of an earlier run. */
  onProgress: (progress: P, seconds: number) => void;
  /** Least time between two reports, in milliseconds; every one if absent. */
  progressInterval?: number;
  /** The newest report goes on the page: time for the lab to publish what it has made of all reports. */
  onShow?: () => void;
  /** Least time between two reports on the page, in milliseconds; as often as it can draw if absent. */
  showInterval?: number;
  /** Hears the result, with the seconds it took. */
  onResult?: (result: R, seconds: number) => void;
}

/**
 * One run of a lab's job, from the button to the result: what state it is in, how long it has computed, and the
 * checkpoint from which a stopped one goes on. It knows nothing of what the job computes.
 */
export class Run<P extends AnyProgress, R> implements RunControl {
  status = $state<RunStatus>('idle');
  /** The newest report on the page. */
  progress = $state.raw<P>();
  result = $state.raw<R>();
  /** What went wrong, in the engine's own words. */
  error = $state.raw<RunError>();
  /** Seconds computed so far, without pauses and stops. */
  seconds = $state(0);
  #checkpoint = $state.raw<Uint8Array>();
  #handle: JobHandle<P, R> | undefined;
  #serial = 0;
  /** Seconds of the stretches before this one, and when this one began. */
  #secondsBefore = 0;
  #since = 0;
  #clock: ReturnType<typeof setInterval> | undefined;
  #pauseWanted = false;
  #pace: Pace | undefined;

  readonly busy = $derived(
    this.status === 'starting' || this.status === 'running' || this.status === 'paused',
  );
  /** A stopped run can go on, and so can one whose worker has crashed. */
  readonly canContinue = $derived(
    (this.status === 'stopped' || this.status === 'failed') && this.#checkpoint !== undefined,
  );

  readonly fraction = $derived(this.status === 'done' ? 1 : (this.progress?.fraction ?? 0));

  /** Seconds still to go, as far as the job can tell; undefined while it cannot. */
  readonly secondsLeft = $derived.by(() => {
    const fraction = this.progress?.fraction ?? 0;
    if (this.status !== 'running' || fraction < 0.01 || this.seconds < 0.5) return undefined;
    return (this.seconds * (1 - fraction)) / fraction;
  });

  start(launch: Launch<P, R>): Promise<void> {
    this.progress = undefined;
    this.result = undefined;
    this.#checkpoint = undefined;
    this.#secondsBefore = 0;
    this.seconds = 0;
    return this.#go(launch, undefined);
  }

  /** Goes on from where the last run was stopped. */
  continue(launch: Launch<P, R>): Promise<void> {
    return this.#go(launch, this.#checkpoint);
  }

  /** Stops at once; the job ends by itself, with the checkpoint from which it can go on. */
  stop(): void {
    if (this.#handle) {
      this.#handle.cancel();
    } else if (this.status === 'starting') {
      // The engine is still on its way: there is nothing to cancel yet, and there will be nothing.
      this.#serial++;
      this.status = this.#checkpoint ? 'stopped' : 'idle';
    }
  }

  /** Paused it is once the engine says so: from then on nothing on the page changes. A run that starts is paused as it begins. */
  async pause(): Promise<void> {
    if (this.status !== 'running' && this.status !== 'starting') return;
    this.#pauseWanted = true;
    const handle = this.#handle;
    if (!handle) return;
    await handle.pause();
    if (!this.#pauseWanted || this.#handle !== handle || this.status !== 'running') return;
    this.#pace?.flush();
    this.#stopClock();
    this.status = 'paused';
  }

  resume(): void {
    if (!this.#pauseWanted) return;
    this.#pauseWanted = false;
    if (this.status === 'paused') this.#startClock();
    this.#handle?.resume();
  }

  /** Back to the beginning, for new data. */
  reset(): void {
    this.#serial++;
    this.stop();
    clearInterval(this.#clock);
    this.#handle = undefined;
    this.#checkpoint = undefined;
    this.progress = undefined;
    this.result = undefined;
    this.error = undefined;
    this.seconds = 0;
    this.status = 'idle';
  }

  /** Shows what went wrong outside of the job, such as a file that cannot be read; the run stays as it is. */
  report(error: unknown): void {
    this.error = describe(error);
  }

  async #go(launch: Launch<P, R>, resumeFrom: Uint8Array | undefined): Promise<void> {
    const serial = ++this.#serial;
    const mine = () => serial === this.#serial;
    const pace = new Pace(launch.showInterval ?? 0);
    this.#pace = pace;
    this.#pauseWanted = false;
    this.error = undefined;
    this.status = 'starting';
    try {
      const engine = await launch.engine();
      if (!mine()) return;
      const handle = launch.job(engine, {
        progressInterval: launch.progressInterval ?? 0,
        ...(resumeFrom && { resumeFrom }),
        onProgress: (progress) => {
          if (!mine()) return;
          // The clock on the page keeps its own slower time: a page that changed at every report would slow the job.
          launch.onProgress(progress, this.#secondsNow());
          pace.offer(() => {
            if (!mine()) return;
            this.progress = progress;
            launch.onShow?.();
          });
        },
      });
      this.#handle = handle;
      this.#startClock();
      if (this.#pauseWanted) void this.pause();
      const result = await handle.result;
      if (!mine()) return;
      this.#stopClock();
      pace.flush();
      this.result = result;
      this.status = 'done';
      launch.onResult?.(result, this.seconds);
    } catch (error) {
      if (!mine()) return;
      this.#stopClock();
      pace.flush();
      this.#checkpoint = (error instanceof UnnormError && error.checkpoint) || resumeFrom;
      if (error instanceof UnnormError && error.code === 'aborted') {
        this.status = 'stopped';
      } else {
        this.report(error);
        this.status = 'failed';
      }
    } finally {
      if (mine()) this.#handle = undefined;
    }
  }

  #startClock(): void {
    this.status = 'running';
    this.#since = performance.now();
    this.#clock = setInterval(() => this.#readClock(), 200);
  }

  #readClock(): void {
    this.seconds = this.#secondsNow();
  }

  #secondsNow(): number {
    if (this.status !== 'running') return this.seconds;
    return this.#secondsBefore + (performance.now() - this.#since) / 1000;
  }

  /** Before the status changes: the seconds until now are kept. */
  #stopClock(): void {
    this.#readClock();
    this.#secondsBefore = this.seconds;
    clearInterval(this.#clock);
  }
}

/** An error as the page shows it. */
export function describe(error: unknown): RunError {
  if (error instanceof UnnormError) return { message: error.message, code: error.code };
  return { message: error instanceof Error ? error.message : String(error), code: undefined };
}
