import type {
  ExactProgress,
  ExactResult,
  ModeProgress,
  ModeResult,
  RecallProgress,
  RecallResult,
  SampleProgress,
  SampleResult,
} from 'unnorm';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import type { Estimate } from '../../lib/estimates.js';
import { maskOf } from './masks.js';
import { energyOf, posteriorOf, type Seen, seenOf } from './posterior.js';
import type { Restore } from './restore.svelte.js';
import { sideOf, truePictureOf } from './sources.js';
import {
  checkedSites,
  descentSpec,
  drawsSpec,
  exactSpec,
  NUM_CHAINS,
  secondsOf,
  stepsOf,
} from './steps.js';
import {
  addRows,
  type Drawn,
  drawnOf,
  emptyTally,
  likeliestOf,
  marginalOf,
  meansOf,
  type Tally,
} from './tally.js';

type Progress = RecallProgress | ModeProgress | SampleProgress | ExactProgress;
type Result = RecallResult | ModeResult | SampleResult | ExactResult;

/** A picture that is an answer, with its energy by this page and by the engine. */
export interface Answer {
  bits: Uint8Array;
  energy: number;
  engineEnergy: number;
  digest: string;
}

/** All draws. */
export interface Draws extends Drawn {
  numDraws: number;
  /** Of the energy over the chains: R̂, and how many independent draws its mean is worth. */
  rhat: number;
  ess: number;
  digest: string;
  /** At the pixels that are checked. */
  marginals: Estimate[];
}

/** The probability of ink at one pixel, by draws and without error. */
export interface Check {
  site: number;
  drawn: Estimate;
  exact: number;
}

/** A picture that is seen with noise, and the answers to what it was. */
export class NoisyPicture {
  descent = $state.raw<Answer>();
  cut = $state.raw<Answer>();
  draws = $state.raw<Draws>();
  checks = $state.raw<readonly Check[]>([]);
  /** The draws that have come so far. */
  #tally = emptyTally(0);
  #shownTally = $state.raw<Tally>();
  #logZ: number | undefined;
  #numDone = $state(0);
  readonly #lab: Restore;
  readonly run = new RunSequence<Progress, Result>({
    next: () => this.#next(),
    share: () => this.#share,
  });

  readonly side = $derived.by(() => sideOf(this.#lab.settings));
  readonly dim = $derived.by(() => this.side ** 2);
  /** As it is in truth; undefined while it is on its way. */
  readonly picture = $derived.by(() => truePictureOf(this.#lab.settings, this.#lab.sources));
  readonly hole = $derived.by(() => {
    const { hole, holeRuns } = this.#lab.settings;
    return maskOf(hole, holeRuns, this.side);
  });
  readonly seen: Seen | undefined = $derived.by(() => {
    const { beta, noise, seed } = this.#lab.settings;
    return this.picture && seenOf(this.picture.bits, this.hole, this.side, { beta, noise, seed });
  });
  readonly model = $derived.by(() => this.seen && posteriorOf(this.seen));
  readonly #steps = $derived.by(() => stepsOf(this.side));
  readonly #share = $derived.by(() => {
    const { draws } = this.#lab.settings;
    const costs = this.#steps.map((step) => secondsOf(step, this.dim, draws));
    const whole = costs.reduce((sum, cost) => sum + cost, 0);
    const before = costs.slice(0, this.#numDone).reduce((sum, cost) => sum + cost, 0);
    return { before: before / whole, job: (costs[this.#numDone] ?? 0) / whole };
  });
  /** The share of the draws so far in which each pixel is ink. */
  readonly means: Float64Array | undefined = $derived.by(
    () => this.draws?.means ?? (this.#shownTally && meansOf(this.#shownTally)),
  );
  readonly likeliest: Uint8Array | undefined = $derived.by(
    () => this.draws?.likeliest ?? (this.means && likeliestOf(this.means)),
  );
  /** Draws of each chain so far. */
  readonly numDraws = $derived.by(
    () => this.draws?.numDraws ?? Math.round((this.#shownTally?.numRows ?? 0) / NUM_CHAINS),
  );
  readonly willCheck = $derived.by(() => checkedSites(this.side).length > 0);

  constructor(lab: Restore) {
    this.#lab = lab;
  }

  start(): Promise<void> {
    this.reset();
    return this.run.start();
  }

  reset(): void {
    this.run.reset();
    this.descent = undefined;
    this.cut = undefined;
    this.draws = undefined;
    this.checks = [];
    this.#shownTally = undefined;
    this.#tally = emptyTally(this.dim);
    this.#logZ = undefined;
    this.#numDone = 0;
  }

  #next(): Launch<Progress, Result> | undefined {
    const { seen, model } = this;
    const step = this.#steps[this.#numDone];
    if (!seen || !model || step === undefined) return undefined;
    const { seed, draws: numDraws } = this.#lab.plainSettings;
    const engine = () => this.#lab.engine();
    switch (step) {
      case 'descent':
        return {
          engine,
          job: (made, options) => made.recall(descentSpec(model, seen, seed), options),
          onProgress: () => {},
          onResult: (result) => {
            const { states, energies, digest } = result as RecallResult;
            this.descent = answerOf(seen, states.bits, energies[0] ?? 0, digest);
            this.#numDone += 1;
          },
        };
      case 'cut':
        return {
          engine,
          job: (made, options) => made.mode({ model }, options),
          onProgress: () => {},
          onResult: (result) => {
            const { state, energy, digest } = result as ModeResult;
            this.cut = answerOf(seen, state.bits, energy, digest);
            this.#numDone += 1;
          },
        };
      case 'draws':
        return {
          engine,
          job: (made, options) =>
            made.sample(drawsSpec(model, numDraws, seed), { ...options, streamDraws: true }),
          progressInterval: 30,
          onProgress: (progress) => this.#hear(progress as SampleProgress),
          onShow: () => {
            this.#shownTally = { ...this.#tally, counts: this.#tally.counts.slice() };
          },
          showInterval: 40,
          onResult: (result) => {
            this.draws = this.#drawsOf(result as SampleResult, numDraws);
            this.#numDone += 1;
          },
        };
      default:
        return {
          engine,
          job: (made, options) =>
            made.exact(exactSpec(model, step === 'whole' ? undefined : step), options),
          onProgress: () => {},
          onResult: (result) => {
            this.#check(step, (result as ExactResult).logZ);
            this.#numDone += 1;
          },
        };
    }
  }

  #hear({ newDraws }: SampleProgress): void {
    // After a crash of a worker some draws come again.
    const isKnown = newDraws && newDraws.firstDraw < this.#tally.numRows / NUM_CHAINS;
    if (newDraws?.bits && !isKnown) addRows(this.#tally, newDraws.bits);
  }

  #drawsOf({ draws, energySummary, digest }: SampleResult, numDraws: number): Draws {
    return {
      ...drawnOf(draws, NUM_CHAINS),
      numDraws,
      rhat: energySummary?.rhat ?? Number.NaN,
      ess: energySummary?.essBulk ?? Number.NaN,
      digest,
      marginals: checkedSites(this.side).map((site) => marginalOf(draws, NUM_CHAINS, site)),
    };
  }

  #check(step: 'whole' | number, logZ: number): void {
    if (step === 'whole') {
      this.#logZ = logZ;
      return;
    }
    const drawn = this.draws?.marginals[this.checks.length];
    if (!drawn || this.#logZ === undefined) return;
    this.checks = [...this.checks, { site: step, drawn, exact: Math.exp(logZ - this.#logZ) }];
  }
}

function answerOf(seen: Seen, bits: Uint8Array, engineEnergy: number, digest: string): Answer {
  return { bits, energy: energyOf(seen, bits), engineEnergy, digest };
}
