import type { Engine, LogZProgress, LogZSpec } from 'unnorm';
import { type Gaussian, intermediate, type PathKind } from '../../lib/gaussian-paths.js';
import { angleBetween, between, stagedSchedule, whitened } from '../../lib/particle-flow.js';
import { betaAt } from '../../lib/schedules.js';
import type { Ends } from './ends.js';

/** Particles of a picture. */
export const NUM_PARTICLES = 300;

/** Moments of the way, about, at which the engine tells where they are. */
const NUM_MOMENTS = 50;

/** A moment of the way. */
interface Moment {
  /** The share of the distributions behind. */
  share: number;
  /** Where the particles are, whitened by the distribution there, `[num, 2]`. */
  points: Float64Array;
  /** In nats, of each. */
  logWeights: Float64Array;
  /** To the points of the moment before. */
  angle: number;
}

/** What a picture shows of a moment. */
export interface Cloud {
  /** `[num, 2]`. */
  states: Float64Array;
  /** The weight of each, in parts of the mean. */
  weights: Float64Array;
}

/** Particles on their way along a path, to be looked at again at any share of it. */
export class Flow {
  readonly path: PathKind;
  readonly schedule: ArrayLike<number>;
  readonly #ends: Ends;
  readonly #moments: Moment[] = [];

  constructor(path: PathKind, ends: Ends, schedule: ArrayLike<number>) {
    this.path = path;
    this.schedule = schedule;
    this.#ends = ends;
  }

  /** The next moment there is. */
  add(share: number, beta: number, states: Float64Array, logWeights: Float64Array): void {
    const points = whitened(this.#distribution(beta), states);
    const before = this.#moments.at(-1);
    const angle = before ? angleBetween(before.points, points) : 0;
    this.#moments.push({ share, points, logWeights, angle });
  }

  get numMoments(): number {
    return this.#moments.length;
  }

  /** β after a share of the distributions. */
  betaAt(share: number): number {
    return betaAt(this.schedule, share);
  }

  /** The particles at a share of the way; undefined where there are none. */
  at(share: number): Cloud | undefined {
    const later = this.#moments.findIndex((moment) => moment.share >= share);
    const next = this.#moments[later < 0 ? this.#moments.length - 1 : later];
    if (!next) return undefined;
    const before = this.#moments[later - 1] ?? next;
    const length = next.share - before.share;
    const part = length > 0 ? (share - before.share) / length : 1;
    const gaussian = this.#distribution(this.betaAt(share));
    return {
      states: between(before.points, next.points, next === before ? 0 : next.angle, part, gaussian),
      weights: relative(before.logWeights, next.logWeights, part),
    };
  }

  #distribution(beta: number): Gaussian {
    return intermediate(this.path, this.#ends.start, this.#ends.target, beta);
  }
}

function relative(before: Float64Array, after: Float64Array, part: number): Float64Array {
  const logs = after.map((value, n) => part * value + (1 - part) * (before[n] ?? value));
  const most = logs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = logs.map((value) => Math.exp(value - most));
  const mean = weights.reduce((a, b) => a + b, 0) / weights.length;
  return weights.map((weight) => weight / mean);
}

/** The spec to watch by: the same annealing of fewer particles, told of stage by stage. */
function watchedSpec(spec: LogZSpec, schedule: ArrayLike<number>) {
  const { betas, numStages, shareAt } = stagedSchedule(schedule, NUM_MOMENTS);
  const watched: LogZSpec = {
    ...spec,
    schedule: { kind: 'given', betas },
    numChains: NUM_PARTICLES,
    numDistributions: betas.length - 1,
    // Looked at after every stage, and never resampled.
    resampling: { threshold: 0, numStages },
  };
  return { watched, stepOf: (beta: number) => betas.indexOf(beta), shareAt };
}

/** Anneals particles along the schedule and keeps where they are on the way. */
export async function flowOf(
  engine: Engine,
  spec: LogZSpec,
  ends: Ends,
  schedule: ArrayLike<number>,
  signal: AbortSignal,
): Promise<Flow> {
  const flow = new Flow(spec.path?.kind as PathKind, ends, schedule);
  const { watched, stepOf, shareAt } = watchedSpec(spec, schedule);
  await engine.logZ(watched, {
    signal,
    streamDraws: true,
    progressInterval: 0,
    onProgress: ({ phase, beta, states, logWeights }: LogZProgress) => {
      if (phase !== 'forward' || !states || states.length === 0) return;
      flow.add(shareAt(stepOf(beta)), beta, states, logWeights);
    },
  });
  return flow;
}
