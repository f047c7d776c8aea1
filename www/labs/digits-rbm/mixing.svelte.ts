import type { Engine, SampleProgress, SampleResult, TemperingReport } from 'unnorm';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { judgeDigits } from '../../lib/digit-judge.js';
import type { Digits } from '../../lib/digits.js';
import { rowsOf } from '../../lib/packed-rows.js';
import type { RbmParams } from '../../lib/rbm.js';
import { aloneSpec, ladderSpec, NUM_LADDERS, startOf } from './mixing-specs.js';
import { asSpec } from './sampling.js';
import type { Settings } from './settings.js';

/** What it takes from the lab. */
export interface Mixed {
  engine: () => Promise<Engine>;
  settings: () => Settings;
  digits: () => Digits | undefined;
  /** The machine that was fitted. */
  model: () => RbmParams | undefined;
}

/** The draws of a job, chain after chain. */
export interface Visits {
  /** Packed, `[chain][draw]`. */
  pictures: Uint8Array[][];
  /** Which digit each looks like. */
  labels: number[][];
  digest: string;
}

/** Whether chains go from digit to digit: block Gibbs sampling alone, and then on ladders. */
export class Mixing {
  alone = $state.raw<Visits>();
  ladder = $state.raw<Visits & { tempering: TemperingReport }>();
  readonly #lab: Mixed;
  /** The settings of both jobs: changes on the page while they run do not reach them. */
  #settings: Settings | undefined;
  readonly run = new RunSequence<SampleProgress, SampleResult>({
    next: () => this.#next(),
    share: () => ({ before: this.alone ? 0.5 : 0, job: 0.5 }),
  });
  readonly canStart = $derived.by(() => Boolean(this.#lab.model() && this.#lab.digits()));

  constructor(lab: Mixed) {
    this.#lab = lab;
  }

  start(): Promise<void> {
    this.reset();
    this.#settings = this.#lab.settings();
    return this.run.start();
  }

  reset(): void {
    this.run.reset();
    this.alone = undefined;
    this.ladder = undefined;
  }

  #next() {
    const [digits, model] = [this.#lab.digits(), this.#lab.model()];
    const settings = this.#settings;
    if (!digits || !model || !settings || this.ladder) return undefined;
    const isAlone = this.alone === undefined;
    const rest = isAlone ? aloneSpec(settings) : ladderSpec(settings, digits);
    const spec = { model: asSpec(model), ...rest, start: startOf(digits) };
    return {
      engine: () => this.#lab.engine(),
      job: (engine: Engine, options: object) => engine.sample(spec, options),
      onProgress: () => {},
      onResult: (result: SampleResult) => {
        const visits = visitsOf(result, digits);
        if (isAlone) this.alone = visits;
        else if (result.tempering) this.ladder = { ...visits, tempering: result.tempering };
      },
    };
  }
}

function visitsOf({ draws, digest }: SampleResult, digits: Digits): Visits {
  const rows = rowsOf(draws);
  const pictures = Array.from({ length: NUM_LADDERS }, (_, chain) =>
    rows.filter((_, row) => row % NUM_LADDERS === chain),
  );
  return { pictures, labels: pictures.map((own) => judgeDigits(own, digits)), digest };
}

/** How many different digits each chain visits. */
export function numVisited({ labels }: Visits): number[] {
  return labels.map((own) => new Set(own).size);
}

/** Mean number of changes of digit between successive draws of a chain. */
export function numHops({ labels }: Visits): number {
  const hops = labels.map((own) => own.filter((label, n) => n > 0 && label !== own[n - 1]).length);
  return hops.reduce((sum, count) => sum + count, 0) / hops.length;
}

/** The rung of a replica after each step; `replicas` is [numSteps, numRungs]. */
export function pathOf(replicas: Uint8Array, numRungs: number, replica: number): number[] {
  return Array.from({ length: replicas.length / numRungs }, (_, step) =>
    replicas.subarray(step * numRungs, (step + 1) * numRungs).indexOf(replica),
  );
}
