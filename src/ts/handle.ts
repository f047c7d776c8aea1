/** The return value of verbs: a job that can be awaited, observed, paused, cancelled and saved. */

import type { JobTask } from './job-task.js';

/** How to run a job, as opposed to what it computes. */
export interface RunOptions<P = unknown> {
  /** Aborting it cancels the job. */
  signal?: AbortSignal | undefined;
  /** Called with each progress, at most once per `progressInterval`, and with the last one. */
  onProgress?: ((progress: P) => void) | undefined;
  /**
   * A checkpoint of a job with the same spec and data, from which to continue with the same bits.
   */
  resumeFrom?: Uint8Array | undefined;
  /** Minimum time between two reports of progress, in milliseconds. Default 50. */
  progressInterval?: number | undefined;
  /**
   * Whether the progress of `sample` contains the draws since the last report, as `newDraws`: at
   * most 4 MiB of them, the newest. After a worker was lost, some may be sent twice; `firstDraw`
   * shows that. The progress of `logZ` then contains the states of the chains, as `states`. Default
   * false. With a `progressInterval` of 0 every round is reported: the job waits until each report
   * has been received.
   */
  streamDraws?: boolean | undefined;
}

/**
 * A running job. `await` it for the result; iterate over it with `for await` for its progress.
 *
 * Several iterators may run at once. A slow one skips to the latest progress. Every iterator gets
 * the last progress (`done: true`), then ends, or throws the error with which the job failed.
 * Leaving the loop early does not stop the job. A failure counts as handled once something iterates
 * over the job or it was stopped on purpose (by `cancel`, its signal or `engine.close`); otherwise
 * a handle that nobody awaits is reported as an unhandled rejection, like any promise.
 */
export interface JobHandle<P, R> extends PromiseLike<R>, AsyncIterable<P> {
  /** The result, always the same promise. Rejects with an `UnnormError`. */
  readonly result: Promise<R>;
  /**
   * Stops the work until `resume`. Resolves when the job no longer uses any processor, or has
   * ended. In Node a paused job does not keep the process alive.
   */
  pause(): Promise<void>;
  /** Continues after `pause`. */
  resume(): void;
  /**
   * Stops for good: the result rejects with code 'aborted' within 100 ms, with a checkpoint of the
   * state in which the job stopped. If the worker is too busy to answer in time, the checkpoint is
   * from the last few seconds; before the job's first checkpoint, there is none. After the end it
   * does nothing.
   */
  cancel(): void;
  /**
   * The job's state, to be passed as `resumeFrom`, now or in another process. It works while the
   * job runs and while it is paused. After the end it gives the last state: the state of a finished
   * job gives the result again at once. Rejects with the job's error if it failed before there was
   * a state.
   */
  checkpoint(): Promise<Uint8Array>;
  catch<T = never>(onRejected?: ((reason: unknown) => T | PromiseLike<T>) | null): Promise<R | T>;
  finally(onFinally?: (() => void) | null): Promise<R>;
}

/** The public interface of a task. */
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
