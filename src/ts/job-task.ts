/**
 * A job in the main thread, which keeps its promise, its progress and its last checkpoint, so that
 * the job survives its worker.
 */

import { isObject } from './checks.js';
import { fromWire, UnnormError } from './errors.js';
import type { RunOptions } from './handle.js';
import { Latest } from './latest.js';
import type { Pool } from './pool.js';
import { type FromTask, type StartMessage, unreachable, type WireData } from './protocol.js';
import type { Task } from './slot.js';
import type { PackedData } from './types.js';

/**
 * How long a worker has to answer a cancellation before the job is ended without it, in
 * milliseconds.
 */
const CANCEL_PATIENCE_MS = 70;

/** Errors that are not caused by the job, after which it may be resumed. */
const CARRYING: readonly string[] = ['aborted', 'closed', 'worker-crashed', 'wasm-unavailable'];

/** What is needed to start a job, and to restart it. */
export interface JobRequest<P> {
  spec: unknown;
  data: WireData | undefined;
  /** The path of the data in the caller's spec. */
  dataField: string;
  checkpoint: Uint8Array | undefined;
  progressInterval: number;
  streamDraws: boolean;
  run: RunOptions<P>;
}

export class JobTask<P, R> implements Task {
  readonly id: number;
  readonly result: Promise<R>;
  readonly progress = new Latest<P>();
  crashes = 0;

  #resolve!: (result: R) => void;
  #reject!: (error: UnnormError) => void;
  #pool: Pool | undefined;
  #request: JobRequest<P> | undefined;
  #checkpoint: Uint8Array | undefined;
  /** Whether the job has been created, so that its checkpoint is valid. */
  #created = false;
  #error: UnnormError | undefined;
  #ended = false;
  /** Whether it should be paused; the next field is whether the worker has confirmed that it is. */
  #pauseWanted = false;
  #pauseConfirmed = false;
  #pauseRequests = 0;
  #pauseWaiting: (() => void)[] = [];
  #checkpointWaiting: { resolve(c: Uint8Array): void; reject(e: UnnormError): void }[] = [];
  #cancelTimer: ReturnType<typeof setTimeout> | undefined;
  #abortCause: { cause: unknown } | undefined;
  readonly #onAbort = () => this.cancel({ cause: this.#request?.run.signal?.reason });

  constructor(id: number) {
    this.id = id;
    this.result = new Promise<R>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Gives the job to the pool. */
  begin(request: JobRequest<P>, pool: Pool): void {
    this.#request = request;
    this.#checkpoint = request.checkpoint;
    const { signal } = request.run;
    if (signal?.aborted) return this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort);
    this.#pool = pool;
    pool.add(this);
  }

  /** The message that starts the job, or restarts it from its last checkpoint. */
  startMessage(): StartMessage {
    const request = this.#request as JobRequest<P>;
    return {
      type: 'start',
      job: this.id,
      spec: request.spec,
      data: request.data,
      checkpoint: this.#checkpoint,
      paused: this.#pauseWanted,
      progressInterval: request.progressInterval,
      streamDraws: request.streamDraws,
    };
  }

  /** Repeats to a new worker the requests that the lost one had not answered. */
  restarted(): void {
    if (this.#pauseWanted) this.#askToPause();
    if (this.#checkpointWaiting.length > 0) this.#post({ type: 'checkpoint', job: this.id });
    if (this.#cancelTimer !== undefined) this.#post({ type: 'cancel', job: this.id });
  }

  /** Whether a Node process must stay alive for the job. */
  get busy(): boolean {
    return !this.#ended && (!this.#pauseConfirmed || this.#checkpointWaiting.length > 0);
  }

  /** The input of helpers, known once the job has been created. */
  get helperInput(): { spec: unknown; data: PackedData | undefined } {
    const request = this.#request as JobRequest<P>;
    return { spec: request.spec, data: request.data as PackedData | undefined };
  }

  receive(message: FromTask): void {
    if (this.#ended) return;
    const request = this.#request as JobRequest<P>;
    switch (message.type) {
      case 'created':
        this.#created = true;
        // From here on the chosen seed and the packed data replace what the caller gave.
        request.spec = { ...modelOf(request.spec), ...(message.spec as object) };
        request.data = message.data && { kind: 'bits', ...message.data };
        break;
      case 'progress':
        this.#post({ type: 'progressReceived', job: this.id });
        this.#report(message.progress as P);
        break;
      case 'checkpoint':
        this.#checkpoint = message.checkpoint;
        if (message.asked) this.#settleCheckpoints();
        break;
      case 'paused':
        if (message.request === this.#pauseRequests && this.#pauseWanted) this.#settlePauses(true);
        break;
      case 'wantHelpers':
        this.#pool?.spawnHelpers(this, message.numHelpers);
        break;
      case 'done':
        this.#checkpoint = message.checkpoint;
        this.#report(message.progress as P);
        this.#end(undefined, () => this.#resolve(message.result as R));
        break;
      case 'aborted':
        this.#checkpoint = message.checkpoint;
        this.#failAborted();
        break;
      case 'refused':
        // The bytes it was to resume from are not a valid state of it.
        if (!this.#created) this.#checkpoint = undefined;
        this.fail(fromWire(message.error, request.dataField));
        break;
      case 'data':
        throw new Error('a job was answered as if it were a file');
      default:
        unreachable(message);
    }
  }

  pause(): Promise<void> {
    if (this.#ended || this.#pauseConfirmed) return Promise.resolve();
    const paused = new Promise<void>((resolve) => this.#pauseWaiting.push(resolve));
    if (!this.#pauseWanted) {
      this.#pauseWanted = true;
      this.#askToPause();
    }
    return paused;
  }

  resume(): void {
    if (this.#ended || !this.#pauseWanted) return;
    this.#pauseWanted = false;
    this.#settlePauses(false);
    this.#post({ type: 'resume', job: this.id });
  }

  cancel(because?: { cause: unknown }): void {
    if (this.#ended || this.#cancelTimer !== undefined) return;
    this.#abortCause = because;
    this.markHandled();
    if (!this.#pool) return this.#failAborted();
    this.#cancelTimer = setTimeout(() => {
      this.#pool?.markSuspect(this);
      this.#failAborted();
    }, CANCEL_PATIENCE_MS);
    this.#post({ type: 'cancel', job: this.id });
  }

  checkpoint(): Promise<Uint8Array> {
    if (this.#ended) {
      if (this.#checkpoint) return Promise.resolve(this.#checkpoint.slice());
      return Promise.reject(this.#error as UnnormError);
    }
    return new Promise((resolve, reject) => {
      this.#checkpointWaiting.push({ resolve, reject });
      this.#post({ type: 'checkpoint', job: this.id });
    });
  }

  /** Ends with an error, to which the last checkpoint is added if its kind carries one. */
  fail(error: UnnormError): void {
    if (this.#ended) return;
    const carries = CARRYING.includes(error.code);
    const { code, message, cause } = error;
    const carried = carries
      ? new UnnormError(code, message, { cause, checkpoint: this.#checkpoint?.slice() })
      : error;
    this.#end({ error: carried }, () => this.#reject(carried));
  }

  markHandled(): void {
    this.result.catch(() => undefined);
  }

  #failAborted(): void {
    const cause = this.#abortCause ?? {};
    this.fail(new UnnormError('aborted', 'the job was cancelled', cause));
  }

  #end(failure: { error: UnnormError } | undefined, settle: () => void): void {
    this.#ended = true;
    this.#error = failure?.error;
    clearTimeout(this.#cancelTimer);
    this.#request?.run.signal?.removeEventListener('abort', this.#onAbort);
    this.#settlePauses(false);
    this.#settleCheckpoints();
    this.progress.end(failure);
    settle();
    this.#request = undefined;
    this.#pool?.release(this);
  }

  /**
   * Calls the callback on its own: what it throws is the caller's affair, as for any event
   * listener.
   */
  #report(progress: P): void {
    this.progress.push(progress);
    const onProgress = this.#request?.run.onProgress;
    if (onProgress) queueMicrotask(() => onProgress(progress));
  }

  #askToPause(): void {
    this.#pauseConfirmed = false;
    this.#pauseRequests += 1;
    this.#post({ type: 'pause', job: this.id, request: this.#pauseRequests });
  }

  #settlePauses(confirmed: boolean): void {
    this.#pauseConfirmed = confirmed;
    const waiting = this.#pauseWaiting;
    this.#pauseWaiting = [];
    for (const resolve of waiting) resolve();
    this.#pool?.refresh(this);
  }

  #settleCheckpoints(): void {
    const waiting = this.#checkpointWaiting;
    this.#checkpointWaiting = [];
    for (const { resolve, reject } of waiting) {
      if (this.#checkpoint) resolve(this.#checkpoint.slice());
      else reject(this.#error as UnnormError);
    }
    this.#pool?.refresh(this);
  }

  #post(message: Parameters<Pool['post']>[1]): void {
    this.#pool?.post(this, message);
    this.#pool?.refresh(this);
  }
}

/** The field `model` of a spec, if it has one: workers do not send back an unchanged model. */
function modelOf(spec: unknown): object {
  return isObject(spec) && 'model' in spec ? { model: spec['model'] } : {};
}
