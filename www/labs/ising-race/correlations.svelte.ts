import type { DataSpec, Engine, SampleProgress, SampleResult, SampleSpec } from 'unnorm';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { correlationErrors } from '../../lib/correlation-errors.js';
import type { PackedRows } from '../../lib/packed-rows.js';
import { METHOD_IDS, type MethodId } from './methods.js';

/** A model on the way of a method. */
interface Moment {
  seconds: number;
  couplings: Float64Array;
}

/** The error of the correlations of such a model. */
export interface CorrelationError {
  seconds: number;
  /** Mean of (E_model[x_i x_j] − E_true[x_i x_j])² over pairs, without what sampling adds to it. */
  meanSquare: number;
  /** What the errors of sampling add to it, on average; already subtracted. */
  noise: number;
}

/** A moment is kept when its clock shows this many times what it showed at the last one kept. */
const RATIO = 1.5;

const NUM_CHAINS = 500;

/** Gibbs sampling of a model of a race, from rows of the data, which lie near to what it has learned. */
function correlationSpec(
  couplings: Float64Array,
  rows: PackedRows,
  seed: number,
): SampleSpec & { model: { kind: 'ising' } } {
  const data: DataSpec = { kind: 'bits', ...rows };
  return {
    model: { kind: 'ising', dim: rows.dim, couplings },
    transition: { kind: 'gibbs' },
    numChains: NUM_CHAINS,
    numWarmup: 100,
    numDraws: 40,
    numStepsPerDraw: 5,
    moments: true,
    start: { kind: 'data', data },
    seed,
  };
}

/** What the measurement needs of the lab. */
interface Lab {
  engine: () => Promise<Engine>;
  rows: () => PackedRows;
  /** E[x_i x_j] of the model that the samples were drawn from. */
  trueMoments: () => Promise<Float64Array>;
  seed: () => number;
}

/**
 * Measures how far the correlations of the models along each method's course are from the true ones. It does so after the
 * race, because sampling would take processor time from the methods.
 */
export class Correlations {
  /** Models on the way, by method, ever less often. */
  #moments = $state.raw<Partial<Record<MethodId, readonly Moment[]>>>({});
  measured = $state.raw<Partial<Record<MethodId, readonly CorrelationError[]>>>({});
  readonly #lab: Lab;
  #truth: Float64Array | undefined;
  readonly run = new RunSequence<SampleProgress, SampleResult>({
    next: () => this.#next(),
    share: () => ({ before: this.numMeasured / this.numMoments, job: 1 / this.numMoments }),
  });

  readonly numMoments = $derived(count(this.#moments));
  readonly numMeasured = $derived(count(this.measured));

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /** Keeps a model of the race; the newest always. */
  record(method: MethodId, seconds: number, couplings: Float64Array): void {
    const kept = this.#moments[method] ?? [];
    const before = kept.at(-2);
    const isNext = !before || Number(kept.at(-1)?.seconds) > RATIO * before.seconds;
    const others = isNext ? kept : kept.slice(0, -1);
    this.#moments = { ...this.#moments, [method]: [...others, { seconds, couplings }] };
  }

  start(): Promise<void> {
    this.measured = {};
    return this.run.start();
  }

  reset(): void {
    this.run.reset();
    this.#moments = {};
    this.measured = {};
  }

  #next(): Launch<SampleProgress, SampleResult> | undefined {
    for (const method of METHOD_IDS) {
      const done = this.measured[method] ?? [];
      const moment = this.#moments[method]?.[done.length];
      if (moment) return this.#launch(method, moment);
    }
    return undefined;
  }

  #launch(method: MethodId, { seconds, couplings }: Moment): Launch<SampleProgress, SampleResult> {
    return {
      engine: async () => {
        this.#truth ??= await this.#lab.trueMoments();
        return this.#lab.engine();
      },
      job: (engine, options) =>
        engine.sample(correlationSpec(couplings, this.#lab.rows(), this.#lab.seed()), options),
      onProgress: () => {},
      onResult: (result) => {
        const { moments, momentErrors } = result;
        if (!moments || !momentErrors || !this.#truth) return;
        const { dim } = this.#lab.rows();
        const { meanSquare, noise } = correlationErrors(moments, momentErrors, this.#truth, dim);
        const done = this.measured[method] ?? [];
        this.measured = { ...this.measured, [method]: [...done, { seconds, meanSquare, noise }] };
      },
    };
  }
}

function count(lists: Partial<Record<MethodId, readonly unknown[]>>): number {
  return Object.values(lists).reduce((sum, list) => sum + list.length, 0);
}
