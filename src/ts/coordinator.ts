/** A job in the worker that coordinates it: runs the rounds and reports. */

import { isObject } from './checks.js';
import { type CoordinatorApi, Crew, type Round, YIELD_AFTER_MS } from './crew.js';
import type { LatticeWork } from './lattice-device.js';
import type { FromTask, StartMessage } from './protocol.js';
import type { Runnable } from './scheduler.js';
import type { PackedData } from './types.js';
import type { Job } from './wasm-api.js';

/**
 * Rounds that take less are done in this worker, several per call; longer ones are shared, in
 * milliseconds.
 */
const HELP_WORTHWHILE_MS = 2;
/** Help arrives within this time after the request, if at all, in milliseconds. */
const HELP_TIMEOUT_MS = 50;
/** Approximate duration of a call that does several rounds, in milliseconds. */
const BATCH_MS = 6;
/**
 * Unrequested checkpoints come at intervals that double from the first to the last of these, in
 * milliseconds.
 */
const FIRST_CHECKPOINT_MS = 250;
const CHECKPOINT_INTERVAL_MS = 2000;
/** They take at most one part in this many of the time. */
const CHECKPOINT_SHARE = 50;
/** How many times as long a round is on a graphics processor: sending work to it and back takes milliseconds. */
const DEVICE_ROUND_FACTOR = 16;

/** What a job needs from its worker. */
export interface CoordinatorContext {
  post(message: FromTask): void;
  /** Records that there is something to do. */
  wake(work: Runnable): void;
  /** Runs an action that may throw; an exception ends the job or the worker. */
  guard(job: number, action: () => void): void;
  /** The job is over. */
  ended(job: number): void;
  /** Whether rounds are always done in this worker, which has threads for them. */
  readonly threads: boolean;
  /** Whether there is a graphics processor to work rounds of lattices. */
  readonly hasDevice: boolean;
  /** Whether it has made the same bits as the CPU in this worker. */
  isDeviceProven: boolean;
  /** Has the processor make sweeps; undefined if it fails, and is used no more. */
  sweepLattices(work: LatticeWork): Promise<Uint32Array | undefined>;
  /** Uses the processor no more, for this reason. */
  dropDevice(message: string): void;
}

/** A shard being worked here, piece by piece; `time` is the time spent on it, in milliseconds. */
interface OwnShard {
  readonly shard: number;
  readonly scattered: Uint8Array;
  time: number;
}

export class Coordinator implements Runnable, CoordinatorApi {
  readonly id: number;
  readonly #job: Job;
  readonly #context: CoordinatorContext;
  readonly #progressInterval: number;
  /** Whether every round is reported before the next begins. */
  readonly #reportsAll: boolean;
  readonly #crew = new Crew(this);
  #round: Round | undefined;
  #numRounds = 0;
  #own: OwnShard | undefined;
  /** Whether the own shard is worked by the graphics processor. */
  #isOnDevice = false;
  readonly #usesDevice: boolean;
  /** Duration of the last round, in milliseconds; Infinity before the first. */
  #roundTime = Infinity;
  /** Number of rounds of the last call. */
  #batch = 1;
  /** When help was requested. */
  #askTime: number | undefined;
  /** Whether to yield to messages: a helper may be waiting for its next shards. */
  #yielding = false;
  /** The latest time to yield. */
  #yieldTime = 0;
  #ended = false;
  #paused: boolean;
  /** The pause request that has not been answered yet. */
  #pauseRequest: number | undefined;
  /** Number of draws per chain already reported, if the caller asks for them. */
  #numDrawsReported: number | undefined;
  #reported = true;
  #reportInFlight = false;
  #reportTime = -Infinity;
  #checkpointTime = performance.now();
  #checkpointInterval = FIRST_CHECKPOINT_MS;
  #hasSaved = false;

  /** `data` is the job's original data, which the main thread keeps for helpers and restarts. */
  constructor(
    start: StartMessage,
    job: Job,
    data: PackedData | undefined,
    context: CoordinatorContext,
  ) {
    this.id = start.job;
    this.#job = job;
    this.#context = context;
    this.#progressInterval = start.progressInterval;
    this.#reportsAll = start.streamDraws && start.progressInterval === 0;
    if (start.streamDraws) this.#numDrawsReported = 0;
    this.#paused = start.paused;
    this.#crew.setDealing(!start.paused);
    this.#usesDevice = context.hasDevice && job.isLatticeWork === true;
    if (this.#usesDevice) job.lengthenRounds?.(DEVICE_ROUND_FACTOR);
    context.post({ type: 'created', job: this.id, spec: job.spec(), data });
    context.wake(this);
  }

  run(deadline: number): boolean {
    let more = false;
    this.guard(() => {
      let working = true;
      this.#yielding = false;
      this.#yieldTime = performance.now() + YIELD_AFTER_MS;
      while (
        working &&
        !this.#paused &&
        !this.#ended &&
        !this.#yielding &&
        performance.now() < deadline
      ) {
        working = this.#step();
      }
      more = working && !this.#paused && !this.#ended;
    });
    return more;
  }

  pause(request: number): void {
    this.#paused = true;
    this.#pauseRequest = request;
    this.#crew.setDealing(false);
    this.#answerPause();
  }

  resume(): void {
    this.#paused = false;
    this.#pauseRequest = undefined;
    this.#crew.setDealing(true);
    this.#context.wake(this);
  }

  /** Posts the final state and ends. */
  cancel(): void {
    const checkpoint = this.#job.snapshot();
    this.#context.post({ type: 'aborted', job: this.id, checkpoint });
    this.#end();
  }

  /** Posts the state. */
  checkpoint(asked: boolean): void {
    const checkpoint = this.#job.snapshot();
    this.#hasSaved = true;
    this.#context.post({ type: 'checkpoint', job: this.id, checkpoint, asked });
  }

  reportReceived(): void {
    this.#reportInFlight = false;
    if (this.#reportsAll) this.#context.wake(this);
  }

  addHelper(index: number, port: MessagePort): void {
    this.#crew.add(index, port);
  }

  loseHelper(index: number): void {
    this.#crew.lose(index);
    this.#answerPause();
    this.#context.wake(this);
  }

  /** Asks the job's helpers for a sign of life. */
  ping(): void {
    this.#crew.ping();
  }

  scatter(shard: number): Uint8Array {
    return this.#job.scatter(shard);
  }

  partArrived(shard: number, part: Uint8Array, time: number): void {
    this.#take(shard, part, time);
    this.#answerPause();
    if (this.#round?.numMissing === 0) this.#context.wake(this);
  }

  guard(action: () => void): void {
    this.#context.guard(this.id, action);
  }

  free(): void {
    this.#crew.close();
    this.#job.free();
  }

  /** Does one indivisible piece of work; returns whether there may be more to do at once. */
  #step(): boolean {
    const round = this.#round;
    if (!round) {
      if (this.#job.done) this.#finish();
      else if (this.#reportsAll && this.#reportInFlight) return false;
      else if (
        !this.#isForDevice &&
        (this.#context.threads || this.#roundTime < HELP_WORTHWHILE_MS)
      )
        this.#advance();
      else this.#beginRound();
      return true;
    }
    if (this.#isOnDevice) return false;
    const isNew = !this.#own;
    const own = this.#own ?? this.#begin(round.pending.shift() ?? this.#crew.takeBack());
    this.#own = own;
    if (!own) {
      if (round.numMissing > 0) return false;
      this.#endRound(round);
      return true;
    }
    if (isNew && this.#giveToDevice(own)) return false;
    const start = performance.now();
    const part = this.#job.work(own.shard, own.scattered);
    own.time += performance.now() - start;
    if (part) {
      this.#own = undefined;
      this.#take(own.shard, part, own.time);
      const now = performance.now();
      const isTime = round.pending.length === 0 || now >= this.#yieldTime;
      const comes = this.#askTime !== undefined && now - this.#askTime < HELP_TIMEOUT_MS;
      this.#yielding = isTime && (comes || this.#crew.isWorking);
    }
    this.#askForHelp(part ? round.time : round.time + own.time);
    return true;
  }

  /** Whether the graphics processor works the rounds of sweeps. */
  get #isForDevice(): boolean {
    return this.#usesDevice && this.#context.hasDevice;
  }

  /** Has the graphics processor work a shard, if it can; returns whether it does. */
  #giveToDevice(own: OwnShard): boolean {
    const work = this.#isForDevice ? this.#job.latticeWork?.(own.scattered) : undefined;
    if (!work) return false;
    this.#isOnDevice = true;
    const start = performance.now();
    void this.#context.sweepLattices(work).then((states) => {
      this.#isOnDevice = false;
      if (this.#ended) return;
      own.time += performance.now() - start;
      this.guard(() => this.#takeStates(own, states));
    });
    return true;
  }

  /** Ends a shard with the states from the graphics processor; without them, the CPU works it. */
  #takeStates(own: OwnShard, states: Uint32Array | undefined): void {
    const made = states && this.#job.takeLattices?.(own.scattered, states);
    const part = made && (this.#context.isDeviceProven ? made : this.#proven(own, made));
    if (part) {
      this.#own = undefined;
      this.#take(own.shard, part, own.time);
    }
    this.#answerPause();
    this.#context.wake(this);
  }

  /** The first part that a graphics processor makes is made by the CPU as well, whose bits count. */
  #proven(own: OwnShard, made: Uint8Array): Uint8Array {
    let part: Uint8Array | undefined;
    while (!part) part = this.#job.work(own.shard, own.scattered);
    if (part.length === made.length && part.every((byte, at) => byte === made[at])) {
      this.#context.isDeviceProven = true;
    } else {
      this.#context.dropDevice('it does not make the bits that the CPU makes');
    }
    return part;
  }

  #begin(shard: number | undefined): OwnShard | undefined {
    return shard === undefined
      ? undefined
      : { shard, scattered: this.#job.scatter(shard), time: 0 };
  }

  /** Does several short rounds in one call; their number grows slowly, as clocks are coarse. */
  #advance(): void {
    const affordable = this.#reportsAll
      ? 1
      : Math.floor(BATCH_MS / Math.max(this.#roundTime, 1e-3));
    this.#batch = Math.max(1, Math.min(affordable, 2 * this.#batch));
    const start = performance.now();
    this.#job.advance(this.#batch);
    this.#roundTime = (performance.now() - start) / this.#batch;
    this.#afterRound();
  }

  #beginRound(): void {
    const start = performance.now();
    const { numShards } = this.#job;
    const broadcast = this.#job.broadcast();
    const round: Round = {
      number: this.#numRounds++,
      broadcast,
      parts: new Array<Uint8Array>(numShards),
      pending: Array.from({ length: numShards }, (_, shard) => shard),
      numMissing: numShards,
      time: 0,
    };
    this.#round = round;
    // Before this worker's own preparations, so that helpers prepare at the same time.
    this.#crew.begin(round);
    this.#job.prepare(broadcast);
    round.time = performance.now() - start;
  }

  #take(shard: number, part: Uint8Array, time: number): void {
    const round = this.#round as Round;
    round.parts[shard] = part;
    round.numMissing -= 1;
    round.time += time;
  }

  #endRound(round: Round): void {
    this.#crew.end();
    this.#round = undefined;
    const start = performance.now();
    this.#job.gather(round.parts);
    this.#roundTime = round.time + performance.now() - start;
    this.#batch = 1;
    this.#afterRound();
  }

  #askForHelp(time: number): void {
    const { numShards } = this.#job;
    if (this.#isForDevice || this.#askTime !== undefined) return;
    if (time < HELP_WORTHWHILE_MS || numShards < 2) return;
    this.#askTime = performance.now();
    this.#context.post({ type: 'wantHelpers', job: this.id, numHelpers: numShards - 1 });
  }

  #afterRound(): void {
    this.#reported = false;
    if (this.#job.done) return;
    const now = performance.now();
    const reports = now - this.#reportTime >= this.#progressInterval && !this.#reportInFlight;
    const isFirst = reports && !this.#hasSaved;
    const saves = isFirst || now - this.#checkpointTime >= this.#checkpointInterval;
    // Before the report: any reported state can be resumed, whatever happens to this worker.
    if (saves) this.checkpoint(false);
    if (reports) this.#report();
    if (!saves || isFirst) return;
    this.#checkpointTime = performance.now();
    const least = CHECKPOINT_SHARE * (this.#checkpointTime - now);
    const next = Math.min(2 * this.#checkpointInterval, CHECKPOINT_INTERVAL_MS);
    this.#checkpointInterval = Math.max(next, least);
  }

  #report(): void {
    this.#reported = true;
    this.#reportInFlight = true;
    this.#reportTime = performance.now();
    this.#context.post({ type: 'progress', job: this.id, progress: this.#progress() });
  }

  #progress(): unknown {
    const progress: unknown = this.#job.progress(this.#numDrawsReported);
    if (this.#numDrawsReported !== undefined && isObject(progress)) {
      const { numDraws } = progress;
      if (typeof numDraws === 'number') this.#numDrawsReported = numDraws;
    }
    return progress;
  }

  /** Reports the job as paused once no helper is working either. */
  #answerPause(): void {
    if (this.#pauseRequest === undefined || this.#crew.isWorking || this.#isOnDevice) return;
    if (!this.#reported) this.#report();
    this.#context.post({ type: 'paused', job: this.id, request: this.#pauseRequest });
    this.#pauseRequest = undefined;
  }

  #finish(): void {
    const progress = this.#progress();
    const result = this.#job.result();
    const checkpoint = this.#job.snapshot();
    this.#context.post({ type: 'done', job: this.id, progress, result, checkpoint });
    this.#end();
  }

  #end(): void {
    this.#ended = true;
    this.#context.ended(this.id);
  }
}
