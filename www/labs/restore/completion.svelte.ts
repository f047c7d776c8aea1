import type {
  FitProgress,
  FitResult,
  LogZProgress,
  LogZResult,
  SampleProgress,
  SampleResult,
} from 'unnorm';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { NUM_PIXELS, SIDE } from '../../lib/digits.js';
import type { Estimate } from '../../lib/estimates.js';
import { rowsOf } from '../../lib/packed-rows.js';
import type { RbmParams } from '../../lib/rbm.js';
import {
  completionWithoutModel,
  fitSpec,
  givenOf,
  independentLogP,
  likelihoodWithoutModel,
  modelOf,
  NUM_COMPLETIONS,
  oddsOf,
  type RbmSpec,
  STEPS,
  type Step,
  secondsOf,
} from './machine.js';
import { maskOf, placesIn } from './masks.js';
import type { Restore } from './restore.svelte.js';
import { OF_MACHINE } from './settings.js';
import { digitOf } from './sources.js';

type Progress = FitProgress | SampleProgress | LogZProgress;
type Result = FitResult | SampleResult | LogZResult;

/** A machine that has learned. */
export interface Machine {
  key: string;
  model: RbmSpec;
  digest: string;
  seconds: number;
}

/** The last states of all chains. */
export interface Completions {
  rows: Uint8Array[];
  /** Sweeps since they were begun. */
  numSweeps: number;
}

/** What all draws together say. */
export interface Completed {
  /** The probability of ink at each pixel, over all draws. */
  means: Float64Array;
  rhat: number;
  ess: number;
  digest: string;
}

/** A digit of which a part is given, and what a machine makes of the rest. */
export class Completion {
  machine = $state.raw<Machine>();
  /** The filters of the machine that is learning. */
  learning = $state.raw<ArrayLike<number>>();
  completions = $state.raw<Completions>();
  completed = $state.raw<Completed>();
  /** ln p of the erased part of the true digit given the rest, in nats. */
  likelihood = $state.raw<Estimate & { digest: string }>();
  readonly #lab: Restore;
  readonly run = new RunSequence<Progress, Result>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  #newestFilters: ArrayLike<number> | undefined;
  #newest: Completions | undefined;

  readonly digit = $derived.by(() => digitOf(this.#lab.settings, this.#lab.sources));
  readonly erased = $derived.by(() => {
    const { erased, erasedRuns } = this.#lab.settings;
    return maskOf(erased, erasedRuns, SIDE);
  });
  readonly numErased = $derived(placesIn(this.erased).length);
  /** Something has to be left to complete. */
  readonly canStart = $derived(this.digit !== undefined && this.numErased > 0);
  readonly #key = $derived.by(() =>
    OF_MACHINE.map((name) => String(this.#lab.settings[name])).join(),
  );
  readonly #step: Step | undefined = $derived.by(() => {
    if (this.machine?.key !== this.#key) return 'fit';
    if (!this.completed) return 'sample';
    return this.likelihood ? undefined : 'likelihood';
  });
  /** Whether the machine was learned before this run. */
  #isOld = $state(false);
  readonly #share = $derived.by(() => {
    const steps = this.#isOld ? STEPS.slice(1) : STEPS;
    const costs = steps.map((step) => secondsOf(step, this.#lab.settings));
    const at = this.#step ? steps.indexOf(this.#step) : steps.length;
    const whole = sumOf(costs);
    return { before: sumOf(costs.slice(0, at)) / whole, job: (costs[at] ?? 0) / whole };
  });
  readonly #odds = $derived.by(() => {
    const { digits } = this.#lab.sources;
    return digits && oddsOf(this.#lab.settings.rows, digits.training);
  });
  /** ln p of the erased part if every pixel were on its own. */
  readonly independent = $derived.by(() => {
    if (!this.#odds || !this.digit) return undefined;
    return independentLogP(this.digit.bits, this.erased, this.#odds);
  });
  readonly isLearned = $derived(this.machine?.key === this.#key);

  constructor(lab: Restore) {
    this.#lab = lab;
  }

  start(): Promise<void> {
    this.reset();
    this.#isOld = this.isLearned;
    return this.run.start();
  }

  /** Forgets the completions; the machine is kept. */
  reset(): void {
    this.run.reset();
    this.learning = undefined;
    this.#newestFilters = undefined;
    this.completions = undefined;
    this.#newest = undefined;
    this.completed = undefined;
    this.likelihood = undefined;
  }

  #next(): Launch<Progress, Result> | undefined {
    const { digit, machine } = this;
    const { digits } = this.#lab.sources;
    if (!digit || !digits) return undefined;
    const settings = this.#lab.plainSettings;
    const engine = () => this.#lab.engine();
    const step = this.#step;
    if (step === 'fit') {
      const key = this.#key;
      return {
        engine,
        job: (made, options) => made.fit(fitSpec(settings, digits.training), options),
        progressInterval: 250,
        onProgress: (progress) => {
          this.#newestFilters = (progress as FitProgress<'rbm'>).model.weights;
        },
        onShow: () => {
          this.learning = this.#newestFilters;
        },
        showInterval: 400,
        onResult: (result, seconds) => {
          const { model, digest } = result as FitResult<'rbm'>;
          this.machine = { key, model: modelOf(model as RbmParams), digest, seconds };
        },
      };
    }
    if (!machine || !step) return undefined;
    const { model } = machine;
    const observed = givenOf(digit.bits, this.erased);
    if (step === 'sample') {
      const spec = { model, observed, ...completionWithoutModel(settings.seed) };
      return {
        engine,
        job: (made, options) => made.sample(spec, { ...options, streamDraws: true }),
        progressInterval: 30,
        onProgress: (progress) => this.#hear(progress as SampleProgress, spec),
        onShow: () => {
          this.completions = this.#newest;
        },
        showInterval: 60,
        onResult: (result) => this.#show(result as SampleResult, spec),
      };
    }
    const data = { kind: 'bits', dim: NUM_PIXELS, numRows: 1 } as const;
    const reference = {
      kind: 'independent',
      logOdds: oddsOf(settings.rows, digits.training),
    } as const;
    const spec = { model, observed, reference, ...likelihoodWithoutModel(settings.seed) };
    return {
      engine,
      job: (made, options) =>
        made.logZ({ ...spec, data: { ...data, bits: digit.bits.slice() } }, options),
      onProgress: () => {},
      onResult: (result) => {
        const { likelihood, digest } = result as LogZResult;
        if (!likelihood) return;
        const { value, standardError } = likelihood.mean;
        this.likelihood = { value, error: standardError, digest };
      },
    };
  }

  #hear({ newDraws }: SampleProgress, spec: Spec): void {
    if (!newDraws?.bits || newDraws.numDraws === 0) return;
    const { dim, numChains, numDraws, bits } = newDraws;
    const rows = rowsOf({ dim, numRows: numChains * numDraws, bits }).slice(-NUM_COMPLETIONS);
    this.#newest = { rows, numSweeps: sweepsOf(spec, newDraws.firstDraw + newDraws.numDraws) };
  }

  #show({ draws, energySummary, digest }: SampleResult, spec: Spec): void {
    const rows = rowsOf(draws);
    this.completions = {
      rows: rows.slice(-NUM_COMPLETIONS),
      numSweeps: sweepsOf(spec, spec.numDraws),
    };
    const means = new Float64Array(NUM_PIXELS);
    for (const row of rows) {
      for (const place of placesIn(row)) means[place]! += 1 / rows.length;
    }
    this.completed = {
      means,
      rhat: energySummary?.rhat ?? Number.NaN,
      ess: energySummary?.essBulk ?? Number.NaN,
      digest,
    };
  }
}

type Spec = ReturnType<typeof completionWithoutModel>;

function sweepsOf({ numWarmup, numStepsPerDraw = 1 }: Spec, numDraws: number): number {
  return numWarmup + numDraws * numStepsPerDraw;
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
