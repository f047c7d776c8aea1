import type { EvidenceProgress, EvidenceResult, EvidenceSpec } from 'unnorm';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import type { EvidenceRace } from './evidence-race.svelte.js';
import { MODELS, type ModelId, modelSpec, type Settings } from './settings.js';

/** Whose table it is: drawn from a model, or the visitor's own. */
export type Maker = ModelId | 'own';

/** ln p(Y) of one table under one model. */
export interface Cell {
  maker: Maker;
  model: ModelId;
  result: EvidenceResult;
}

/** Models that made a table differ by some ten nats and more, and nine cells take their time: so many suffice there. */
const MOST_DISTRIBUTIONS = { simulated: 500, own: 3000 };
const NUM_TRIALS = 4;

/** Each table with its own model first: that is the job which draws it. */
function contestPlan(data: Settings['data']): { maker: Maker; model: ModelId }[] {
  if (data === 'own') return MODELS.map((model) => ({ maker: 'own', model }));
  return MODELS.flatMap((maker) => {
    const others = MODELS.filter((model) => model !== maker);
    return [maker, ...others].map((model) => ({ maker, model }));
  });
}

/** The job of a cell. `states` is the table, where there is one. */
function contestSpec(
  model: ModelId,
  settings: Settings,
  numRows: number,
  dim: number,
  states: Float64Array | undefined,
): EvidenceSpec {
  const numDistributions = Math.min(settings.longest, MOST_DISTRIBUTIONS[settings.data]);
  return {
    model: modelSpec(model, settings, dim),
    ...(states ? { states } : { simulate: { numRows } }),
    estimator: { kind: 'annealing', numDistributions, reverse: true },
    numTrials: NUM_TRIALS,
    seed: settings.seed,
  };
}

/** Which model made these data: every table under every model. */
export class Contest {
  cells = $state.raw<readonly Cell[]>([]);
  readonly run = new RunSequence<EvidenceProgress, EvidenceResult>({
    next: () => this.#next(),
    share: () => {
      const before = this.cells.length / this.plan.length;
      return { before, job: 1 / this.plan.length };
    },
  });
  readonly #lab: EvidenceRace;
  readonly plan = $derived.by(() => contestPlan(this.#lab.settings.data));

  constructor(lab: EvidenceRace) {
    this.#lab = lab;
  }

  start(): Promise<void> {
    this.reset();
    return this.run.start();
  }

  reset(): void {
    this.run.reset();
    this.cells = [];
  }

  #next(): Launch<EvidenceProgress, EvidenceResult> | undefined {
    const pair = this.plan[this.cells.length];
    const { table, settings } = this.#lab;
    if (!pair || !table) return undefined;
    const { maker, model } = pair;
    const drawn = this.cells.find((cell) => cell.maker === maker)?.result.simulated;
    const states = maker === 'own' ? table.states : drawn?.states;
    const spec = contestSpec(model, settings, table.numRows, table.dim, states);
    return {
      engine: () => this.#lab.engine(),
      job: (engine, options) => engine.evidence(spec, options),
      progressInterval: 200,
      onProgress: () => {},
      onResult: (result) => {
        this.cells = [...this.cells, { maker, model, result }];
      },
    };
  }
}

/** A cell against the best of its table. */
export interface Standing {
  model: ModelId;
  logZ: number;
  standardError: number;
  /** Nats less than the best. */
  behind: number;
}

/** The cells of a table, in the order in which they were done. */
export function standingsOf(maker: Maker, cells: readonly Cell[]): Standing[] {
  const row = cells.filter((cell) => cell.maker === maker);
  const best = Math.max(...row.map(({ result }) => result.logZ));
  return row.map(({ model, result: { logZ, standardError } }) => ({
    model,
    logZ,
    standardError,
    behind: best - logZ,
  }));
}
