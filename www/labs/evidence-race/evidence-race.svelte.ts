import type { Engine, EvidenceProgress, EvidenceResult, LatentDraw } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { keptAnswer } from '../../lib/first-answers.js';
import { Contest } from './contest.svelte.js';
import { type Job, LINES, planOf } from './estimators.js';
import firstAnswers from './first-answers.json';
import { drawnTable, raceSpec, tableSpec } from './jobs.js';
import { explain } from './order.js';
import { type OwnTable, readOwnTable } from './own-table.js';
import { fields, MODEL_WORDS, type ModelId, type Settings } from './settings.js';
import { longestOf, type Made, pointsOf, truthOf } from './standing.js';

/** The table that the models are to explain. */
export interface Table {
  states: Float64Array;
  numRows: number;
  dim: number;
}

/** Milliseconds between reports, which only move the bar. */
const REPORT_INTERVAL = 200;

/** The state of the lab and what can be done with it; the only place in it that talks to the engine, with `contest`. */
export class EvidenceRace {
  settings = $state.raw<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  own = $state.raw<OwnTable>();
  /** Jobs of the race that are done, in the order of the plan. */
  made = $state.raw<readonly Made[]>([]);
  readonly run = new RunSequence<EvidenceProgress, EvidenceResult>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  readonly contest = new Contest(this);
  #simulated = $state.raw<Table>();
  #serial = 0;
  readonly #engine = new EngineHolder();

  /** Once it is drawn, or read. */
  readonly table: Table | undefined = $derived(
    this.settings.data === 'own' ? this.own : this.#simulated,
  );
  readonly plan: readonly Job[] = $derived(planOf(this.settings, this.table?.numRows ?? 1));
  readonly job: Job | undefined = $derived(this.plan[this.made.length]);
  readonly truth = $derived(truthOf(this.made));
  readonly standings = $derived(
    LINES.map((line) => ({
      line,
      points: pointsOf(line.id, this.made, this.truth),
      numSettings: this.plan.filter(({ lines }) => lines.includes(line.id)).length,
    })),
  );
  /** The newest draw of the posterior, from the longest annealing. */
  readonly draw: LatentDraw | undefined = $derived(longestOf(this.made)?.result.draw);
  readonly explained = $derived.by(() => {
    const { draw, table, settings } = this;
    return draw && table && explain(draw, settings.model, table.numRows, table.dim);
  });
  readonly hash = $derived(writeHash(fields, this.settings));

  readonly #share = $derived.by(() => {
    const sum = (jobs: readonly Job[]) => jobs.reduce((total, { work }) => total + work, 0);
    const total = sum(this.plan);
    return {
      before: sum(this.plan.slice(0, this.made.length)) / total,
      job: (this.job?.work ?? 0) / total,
    };
  });

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash && (this.table || this.settings.data === 'own')) return;
    const { values, problems } = readHash(fields, hash);
    this.settings = values;
    this.linkProblems = problems;
    this.reset();
    void this.drawTable();
  }

  close(): void {
    this.#serial++;
    this.reset();
    this.#engine.close();
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  engine(): Promise<Engine> {
    return this.#engine.with(this.numWorkers);
  }

  change(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    this.reset();
    void this.drawTable();
  }

  /** Another model, at the size at which its race takes some 20 seconds. */
  chooseModel(model: ModelId): void {
    const { k, longest, ...size } = MODEL_WORDS[model].sizes;
    this.change({ model, k, longest, ...size });
  }

  /** Reads a file of the visitor's, which is then the table. */
  async read(file: File): Promise<void> {
    try {
      this.own = await readOwnTable(file);
      this.change({ data: 'own' });
    } catch (error) {
      this.run.report(error);
    }
  }

  reset(): void {
    this.run.reset();
    this.contest.reset();
    this.made = [];
  }

  /** The table by itself, from the smallest job there is, or the one kept: something to see at once. */
  async drawTable(): Promise<void> {
    const serial = ++this.#serial;
    const { settings } = this;
    if (settings.data === 'own') return;
    try {
      const spec = tableSpec(settings);
      const kept = keptAnswer<Float64Array>(firstAnswers, spec);
      if (kept) this.#showTable(kept, settings);
      // With a table already, it is for the race.
      const engine = await this.engine();
      if (kept || serial !== this.#serial) return;
      const states = await drawnTable(engine, spec);
      if (serial === this.#serial) this.#showTable(states, settings);
    } catch (error) {
      if (serial === this.#serial) this.run.report(error);
    }
  }

  #showTable(states: Float64Array, { rows, columns }: Settings): void {
    this.#simulated = { states, numRows: rows, dim: columns };
  }

  start(): Promise<void> {
    this.made = [];
    return this.run.start();
  }

  continue(): Promise<void> {
    return this.run.continue();
  }

  #next(): Launch<EvidenceProgress, EvidenceResult> | undefined {
    const { job, table, settings } = this;
    if (!job || !table) return undefined;
    const spec = { ...raceSpec(settings, table.dim, table.states), estimator: job.estimator };
    // A trial before the clock starts, so that compiling the code for an estimator is no handicap; what it finds, even
    // that it fails, does not count.
    const isFirst = !this.made.some((one) => one.job.estimator.kind === job.estimator.kind);
    return {
      engine: async () => {
        // When the page has drawn what the job before has brought: short ones would be charged with that.
        await new Promise((resolve) => setTimeout(resolve));
        const engine = await this.engine();
        if (isFirst) await engine.evidence({ ...spec, numTrials: 1 }).result.catch(() => {});
        return engine;
      },
      job: (engine, options) => engine.evidence(spec, options),
      progressInterval: REPORT_INTERVAL,
      onProgress: () => {},
      onResult: (result, seconds) => {
        this.made = [...this.made, { job, result, seconds }];
      },
    };
  }
}
