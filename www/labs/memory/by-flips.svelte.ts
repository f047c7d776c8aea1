import type { MemorizeProgress, MemorizeResult, RecallProgress, RecallResult } from 'unnorm';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import type { PackedRows } from '../../lib/packed-rows.js';
import type { MemoryLab } from './memory.svelte.js';
import { memorizeSpec, RULES, type RuleId } from './rules.js';

/** What part of the pictures comes back exactly, by the number of bits flipped. */
export interface FlipCurve {
  rule: RuleId;
  parts: readonly number[];
}

type Progress = MemorizeProgress | RecallProgress;
type Result = MemorizeResult | RecallResult;

/** Numbers of flips on a curve; beyond half of the bits a cue is nearer to the picture's negative. */
const NUM_FLIPS = 17;

/** Cues at each number of flips, at least. */
const MIN_CUES = 100;

/** From no flips to half of all bits. */
function flipsUpToHalf(dim: number): number[] {
  return Array.from({ length: NUM_FLIPS }, (_, n) => Math.round((n * dim) / (2 * (NUM_FLIPS - 1))));
}

/** Recall of the pictures of the lab from flipped bits, by each of the rules: figure 3.9 of Sohl-Dickstein's thesis. */
export class ByFlips {
  curves = $state.raw<readonly FlipCurve[]>([]);
  readonly #lab: MemoryLab;
  /** The network of the rule that is measured. */
  #network: MemorizeResult | undefined;
  readonly run = new RunSequence<Progress, Result>({
    next: () => this.#next(),
    share: () => ({ before: this.numDone / this.numJobs, job: 1 / this.numJobs }),
  });

  readonly rules = $derived.by(() =>
    RULES.filter(({ id }) => this.#lab.settings.rules.includes(id)),
  );
  readonly flips = $derived.by(() => flipsUpToHalf(this.#lab.dim));
  readonly numJobs = $derived(this.rules.length * NUM_FLIPS);
  readonly numDone = $derived(this.curves.reduce((sum, { parts }) => sum + parts.length, 0));

  constructor(lab: MemoryLab) {
    this.#lab = lab;
  }

  start(): Promise<void> {
    this.reset();
    return this.run.start();
  }

  reset(): void {
    this.run.reset();
    this.curves = [];
    this.#network = undefined;
  }

  #next(): Launch<Progress, Result> | undefined {
    const rows = this.#lab.pictures?.rows;
    const rule = this.rules[Math.floor(this.numDone / NUM_FLIPS)]?.id;
    if (!rows || rows.numRows === 0 || !rule) return undefined;
    const network = this.#network;
    return network ? this.#recalling(network, rule, rows) : this.#storing(rule, rows);
  }

  #storing(rule: RuleId, rows: PackedRows): Launch<Progress, Result> {
    const spec = memorizeSpec({ ...this.#lab.plainSettings, rule }, rows.dim);
    return {
      engine: () => this.#lab.engine(),
      job: (engine, options) =>
        engine.memorize({ ...spec, patterns: { kind: 'bits', ...rows } }, options),
      onProgress: () => {},
      onResult: (result) => {
        this.#network = result as MemorizeResult;
      },
    };
  }

  #recalling(network: MemorizeResult, rule: RuleId, rows: PackedRows): Launch<Progress, Result> {
    const { order, seed } = this.#lab.plainSettings;
    const done = this.numDone % NUM_FLIPS;
    const numCopies = Math.ceil(MIN_CUES / rows.numRows);
    return {
      engine: () => this.#lab.engine(),
      job: (engine, options) =>
        engine.recall(
          {
            model: network.model,
            cues: { kind: 'bits', ...rows },
            noise: { numFlips: this.flips[done] ?? 0, numCopies },
            order: { kind: order },
            seed,
          },
          options,
        ),
      onProgress: () => {},
      onResult: (result) => {
        const part = (result as RecallResult).numRecovered / (rows.numRows * numCopies);
        const parts = [...(this.curves.find((curve) => curve.rule === rule)?.parts ?? []), part];
        this.curves = [...this.curves.filter((curve) => curve.rule !== rule), { rule, parts }];
        if (parts.length === NUM_FLIPS) this.#network = undefined;
      },
    };
  }
}
