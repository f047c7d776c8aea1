/**
 * What the verbs return: a job that can be awaited, watched, paused, cancelled and saved.
 */

import type { JobTask } from './job-task.js';

/** How to run a job, as opposed to what the job is. */
export interface RunOptions<P = unknown> {
  /** Aborting it cancels the job. */
  signal?: AbortSignal | undefined;
  /** Called with each progress, at most once every `progressInterval`, and with the last. */
  onProgress?: ((progress: P) => void) | undefined;
  /** A checkpoint of a job with the same spec and data: continue from there, to the same bits. */
  resumeFrom?: Uint8Array | undefined;
  /** The least time between two reports of progress, in milliseconds. Default 50. */
  progressInterval?: number | undefined;
  /**
   * Whether the progress of `sample` brings the draws taken since the last one, as `newDraws`: at
   * most 4 MiB of them, the newest. After a worker was lost, some may come twice; `firstDraw` tells.
   * That of `logZ` brings where the chains are, as `states`. Default false. With a `progressInterval`
   * of 0 every round is reported, none is passed over: the job waits until each report has been
   * received.
   */
  streamDraws?: boolean | undefined;
}

/**
 * A running job. `await` it for the result; iterate over it with `for await` for its progress.
 *
 * Several iterators may run at once. A slow one skips to the latest progress; every one gets the
 * last (`done: true`), then ends, or throws the error with which the job failed. Leaving the loop
 * early does not stop the job. A failure counts as handled once something iterates over the job
 * or it was stopped on purpose (by `cancel`, its signal or `engine.close`); otherwise a handle
 * that nobody awaits is reported as an unhandled rejection, like any promise.
 */
export interface JobHandle<P, R> extends PromiseLike<R>, AsyncIterable<P> {
  /** The same promise each time. Rejects with an `UnnormError`. */
  readonly result: Promise<R>;
  /**
   * Stops the work until `resume`. Resolves when the job really uses no processor any more, or has
   * ended. In Node a paused job does not keep the process alive.
   */
  pause(): Promise<void>;
  /** Goes on after `pause`. */
  resume(): void;
  /**
   * Stops for good: the result rejects with code 'aborted' within 100 ms, with the checkpoint of
   * where the job stopped. Where the worker is too busy to answer in time, it is that of the last
   * few seconds; before the job's first one, there is none. After the end it does nothing.
   */
  cancel(): void;
  /**
   * The job's state, to be passed as `resumeFrom`, now or in another process. Works while running
   * and while paused. After the end it gives the last state: that of a finished job gives the
   * result again at once. Rejects with the job's error if it failed before there was a state.
   */
  checkpoint(): Promise<Uint8Array>;
  catch<T = never>(onRejected?: ((reason: unknown) => T | PromiseLike<T>) | null): Promise<R | T>;
  finally(onFinally?: (() => void) | null): Promise<R>;
}

/** The public face of a task. */
export function handleOf<P, R>(task: JobTask<P, R>): JobHandle<P, R> {
  return {
    result: task.result,
    pause: () => task.pause(),
    resume: () => task.resume(),
    cancel: () => task.cancel(),
    checkpoint: () => task.checkpoint(),
    // biome-ignore lint/suspicious/noThenProperty: a handle is there to be awaited
    then: (onFulfilled, onRejected) => task.result.then(onFulfilled, onRejected),
    catch: (onRejected) => task.result.catch(onRejected),
    finally: (onFinally) => task.result.finally(onFinally),
    [Symbol.asyncIterator]: () => {
      task.markHandled();
      return task.progress.watch();
    },
  };
}
