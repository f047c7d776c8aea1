import type { MemorizeProgress, MemorizeResult } from 'unnorm';
import { Pace } from '../../frame/pace.js';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { estimateOf } from '../../lib/estimates.js';
import { randomRows } from '../../lib/random-bits.js';
import type { MemoryLab } from './memory.svelte.js';
import { STREAMS } from './pictures.js';
import { memorizeSpec, RULES, type RuleId } from './rules.js';
import type { Settings } from './settings.js';

/** What a rule made of so many patterns. */
export interface Point {
  rule: RuleId;
  numPatterns: number;
  /** Of every set of patterns the part that are fixed points, the part of their bits that stay, and the passes it took. */
  stored: number[];
  bits: number[];
  passes: number[];
}

/** What is measured of each set. */
export type Measure = 'stored' | 'bits' | 'passes';

/** A mean over trials, with its standard error: none of fewer than two. */
export interface Mean {
  value: number;
  error: number | null;
}

/** Milliseconds between two pictures of the curves, and where little motion is wanted. */
const SHOW_INTERVAL = 150;
const CALM_INTERVAL = 1500;

/** Curves go to so many patterns a unit: beyond what any network stores. */
const END = 1.75;

/** How many patterns are tried: close where the outer products give up, then wider. */
function numbersOfPatterns(units: number): number[] {
  const numbers: number[] = [];
  const end = Math.ceil(END * units);
  const [fine, coarse] = [32, 16].map((part) => Math.max(1, Math.round(units / part))) as [
    number,
    number,
  ];
  for (let m = 1; m <= end; m += m < units / 4 ? fine : coarse) numbers.push(m);
  return numbers;
}

/** Copies of each pattern, where they are spoiled. */
const NUM_COPIES = 50;

/** The job of a rule that stores patterns, without them. */
export function ruleJob(settings: Settings, rule: RuleId) {
  const { units, spoiled } = settings;
  return memorizeSpec({ ...settings, rule, corrupted: spoiled, copies: NUM_COPIES }, units);
}

/** The job that stores the first so many patterns of a set. */
function capacitySpec(settings: Settings, rule: RuleId, numPatterns: number, trial: number) {
  const { units, seed } = settings;
  return {
    ...ruleJob(settings, rule),
    patterns: {
      kind: 'bits' as const,
      dim: units,
      numRows: numPatterns,
      bits: randomRows(numPatterns, units, seed, STREAMS.trials + trial),
    },
  };
}

/** How many random patterns can be stored, rule by rule. */
export class Capacity {
  /** Those measured so far; those of the greatest number of patterns may lack trials. */
  points = $state.raw<readonly Point[]>([]);
  readonly run = new RunSequence<MemorizeProgress, MemorizeResult>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  readonly #lab: MemoryLab;
  readonly #pace = new Pace(
    matchMedia('(prefers-reduced-motion: reduce)').matches ? CALM_INTERVAL : SHOW_INTERVAL,
  );
  #measured: Point[] = [];
  /** Jobs that are done. */
  #numDone = $state(0);

  readonly numMeasured = $derived(this.#numDone);
  readonly numbers = $derived.by(() => numbersOfPatterns(this.#lab.settings.units));
  /** The rules that are measured, in the order of the list. */
  readonly rules = $derived.by(() =>
    RULES.filter(({ id }) => this.#lab.settings.rules.includes(id)),
  );
  readonly numJobs = $derived.by(
    () => this.numbers.length * this.rules.length * this.#lab.settings.trials,
  );
  /** Work grows with the number of patterns, and a good deal towards the capacity: taken as its square. */
  readonly #share = $derived.by(() => {
    const { trials } = this.#lab.settings;
    const each = this.rules.length * trials;
    const costs = this.numbers.map((m) => 20 + m * m);
    const total = costs.reduce((sum, cost) => sum + cost * each, 0);
    let before = 0;
    for (let job = 0; job < this.#numDone; ) {
      const here = Math.min(each, this.#numDone - job);
      before += here * (costs[Math.floor(job / each)] ?? 0);
      job += here;
    }
    return { before: before / total, job: (costs[Math.floor(this.#numDone / each)] ?? 0) / total };
  });

  constructor(lab: MemoryLab) {
    this.#lab = lab;
  }

  start(): Promise<void> {
    this.reset();
    return this.run.start();
  }

  /** Forgets all points. */
  reset(): void {
    this.run.reset();
    this.#measured = [];
    this.points = [];
    this.#numDone = 0;
  }

  #next(): Launch<MemorizeProgress, MemorizeResult> | undefined {
    const settings = this.#lab.plainSettings;
    const { units, trials } = settings;
    const job = this.#numDone;
    if (job >= this.numJobs) return undefined;
    // One set of patterns after another, all rules by turns, then more patterns.
    const rule = this.rules[job % this.rules.length]?.id ?? 'mpf';
    const trial = Math.floor(job / this.rules.length) % trials;
    const numPatterns = this.numbers[Math.floor(job / (this.rules.length * trials))] ?? 1;
    const spec = capacitySpec(settings, rule, numPatterns, trial);
    return {
      engine: () => this.#lab.engine(),
      job: (engine, options) => engine.memorize(spec, options),
      progressInterval: 1000,
      showInterval: 1000,
      onProgress: () => {},
      onResult: ({ numStored, numWrong, numEpochs }) => {
        const wrong = numWrong.reduce((sum, count) => sum + count, 0);
        this.#add(rule, numPatterns, {
          stored: numStored / numPatterns,
          bits: 1 - wrong / (numPatterns * units),
          passes: numEpochs,
        });
        this.#numDone += 1;
      },
    };
  }

  #add(rule: RuleId, numPatterns: number, made: Record<Measure, number>): void {
    const at = this.#measured.findIndex(
      (point) => point.rule === rule && point.numPatterns === numPatterns,
    );
    const old = this.#measured[at] ?? { rule, numPatterns, stored: [], bits: [], passes: [] };
    const point = {
      ...old,
      stored: [...old.stored, made.stored],
      bits: [...old.bits, made.bits],
      passes: [...old.passes, made.passes],
    };
    const others = this.#measured.filter((_, n) => n !== at);
    this.#measured = [...others, point];
    this.#pace.offer(() => {
      this.points = this.#measured;
    });
    if (this.#numDone + 1 >= this.numJobs) this.#pace.flush();
  }
}

/** The mean of some numbers with its standard error. */
export function meanOf(values: readonly number[]): Mean {
  const { value, error } = estimateOf(values);
  return { value, error: values.length < 2 ? null : error };
}
