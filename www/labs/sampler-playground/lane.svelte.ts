import type {
  ContinuousResult,
  Engine,
  JobHandle,
  Paths,
  SampleProgress,
  SampleSpec,
} from 'unnorm';
import { UnnormError } from 'unnorm';
import { describe } from '../../frame/run.svelte.js';
import type { RunError } from '../../frame/run-control.js';
import type { LaneId } from './settings.js';

/** One step of chain 0: from its start to its proposal, and what came of it. */
export interface Trajectory {
  /** `[.., 2]`; the first is the start, the last the proposal. */
  points: Float64Array;
  accepted: boolean;
  /** Whether the momentum was turned round. */
  flipped: boolean;
  diverged: boolean;
  /** In nats. */
  energyError: number;
}

/** One sampler at work: its job, and every draw that has come from it so far. */
export class Lane {
  /** Steps whose draws are here. */
  numAvailable = $state(0);
  result = $state.raw<ContinuousResult>();
  error = $state.raw<RunError>();
  readonly id: LaneId;
  /** Steps and chains of the job. */
  numSteps = 0;
  numChains = 0;
  /** Draws, `[numSteps, numChains, 2]`; zero where they are not here yet. */
  values: Float64Array = new Float64Array();
  trajectories: Trajectory[] = [];
  #arrivals: { numSteps: number; seconds: number }[] = [];
  #handle: JobHandle<SampleProgress, ContinuousResult> | undefined;
  #serial = 0;
  /** When the job began, later by the length of every pause; and when the pause that lasts began. */
  #since = 0;
  #pausedAt: number | undefined;

  /** Whether a job was started here. */
  readonly isUsed = $derived(this.numAvailable > 0 || this.error !== undefined);

  constructor(id: LaneId) {
    this.id = id;
  }

  reset(): void {
    this.#serial++;
    this.#handle?.cancel();
    this.#handle = undefined;
    this.#pausedAt = undefined;
    this.numAvailable = 0;
    this.result = undefined;
    this.error = undefined;
    this.numSteps = 0;
    this.numChains = 0;
    this.values = new Float64Array();
    this.trajectories = [];
    this.#arrivals = [];
  }

  start(engine: Engine, spec: SampleSpec & { model: { kind: 'ring' } }): void {
    this.reset();
    const serial = this.#serial;
    this.numSteps = spec.numDraws;
    this.numChains = spec.numChains;
    this.values = new Float64Array(2 * spec.numDraws * spec.numChains);
    this.#since = performance.now();
    const handle = engine.sample(spec, {
      streamDraws: true,
      progressInterval: 30,
      onProgress: (progress) => {
        if (serial === this.#serial) this.#take(progress);
      },
    });
    this.#handle = handle;
    handle.result.then(
      (result) => {
        if (serial !== this.#serial) return;
        this.values = result.draws.values;
        if (result.paths) this.trajectories = trajectoriesOf(result.paths);
        this.#arrive(this.numSteps);
        this.result = result;
        this.#handle = undefined;
      },
      (error) => {
        if (serial !== this.#serial) return;
        this.#handle = undefined;
        if (!(error instanceof UnnormError && error.code === 'aborted'))
          this.error = describe(error);
      },
    );
  }

  /** Stops computing until `resume`. What has come stays. */
  pause(): void {
    if (!this.#handle) return;
    this.#pausedAt ??= performance.now();
    void this.#handle?.pause().catch(() => {});
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#since += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    this.#handle?.resume();
  }

  /** Seconds of computing after which so many steps were here. */
  secondsAt(numSteps: number): number {
    let last = { numSteps: 0, seconds: 0 };
    for (const arrival of this.#arrivals) {
      if (arrival.numSteps >= numSteps) {
        const share = (numSteps - last.numSteps) / Math.max(1, arrival.numSteps - last.numSteps);
        return last.seconds + share * (arrival.seconds - last.seconds);
      }
      last = arrival;
    }
    return last.seconds;
  }

  #take({ newDraws }: SampleProgress): void {
    if (!newDraws?.values) return;
    // Draws that were too many to come are in the result.
    if (newDraws.firstDraw > this.numAvailable) return;
    this.values.set(newDraws.values, 2 * newDraws.firstDraw * this.numChains);
    if (newDraws.paths) {
      this.trajectories.length = newDraws.firstDraw;
      for (const trajectory of trajectoriesOf(newDraws.paths)) this.trajectories.push(trajectory);
    }
    this.#arrive(newDraws.firstDraw + newDraws.numDraws);
  }

  #arrive(numSteps: number): void {
    if (numSteps <= this.numAvailable) return;
    const seconds = ((this.#pausedAt ?? performance.now()) - this.#since) / 1000;
    this.#arrivals.push({ numSteps, seconds });
    this.numAvailable = numSteps;
  }
}

function trajectoriesOf({ lengths, points, outcomes, energyErrors }: Paths): Trajectory[] {
  const all: Trajectory[] = [];
  let start = 0;
  for (let step = 0; step < lengths.length; step++) {
    const end = start + 2 * (lengths[step] ?? 0);
    const outcome = outcomes[step] ?? 0;
    all.push({
      points: points.subarray(start, end),
      accepted: (outcome & 1) !== 0,
      flipped: (outcome & 2) !== 0,
      diverged: (outcome & 4) !== 0,
      energyError: energyErrors[step] ?? Number.NaN,
    });
    start = end;
  }
  return all;
}
