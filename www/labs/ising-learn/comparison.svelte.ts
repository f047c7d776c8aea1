import type { Engine, FitResult, FitSpec, IsingSpec } from 'unnorm';
import { UnnormError } from 'unnorm';
import { describe } from '../../frame/run.svelte.js';
import type { RunError } from '../../frame/run-control.js';
import type { PackedRows } from '../../lib/packed-rows.js';
import { fitSpecWithoutData, type LearnData } from './fit-spec.js';
import {
  independentScores,
  logPseudolikelihoods,
  meanOf,
  type Scores,
  splitRows,
  statesOf,
} from './held-out.js';
import { COMPARED, type ComparedId, MOST_UNITS } from './objectives.js';
import type { Settings } from './settings.js';

type IsingFitSpec = FitSpec & { model: { kind: 'ising' } };

/** How one objective stands. */
export interface Contestant {
  id: ComparedId;
  state: 'waiting' | 'fitting' | 'scoring' | 'done' | 'failed';
  result?: FitResult<'ising'>;
  /** Of the fit, its check included. */
  seconds?: number;
  scores?: Scores;
  /** Of the annealing. */
  warnings?: readonly string[];
  message?: string;
}

/** What the comparison needs of the lab. */
export interface Ground {
  engine: () => Promise<Engine>;
  settings: Settings;
  data: LearnData;
  /** By which it is known whether the settings are still the same. */
  key: string;
}

/** Rows whose energies are asked for at a time. */
const AT_A_TIME = 4096;
/** Of the annealing where log Z is not exact. */
const ANNEALING = { numChains: 200, numDistributions: 1000 };

/** All but the data of an objective's job. */
export function comparedSpec(
  id: ComparedId,
  settings: Settings,
  data: LearnData,
): Omit<IsingFitSpec, 'data'> {
  const { optimizer, ...spec } = fitSpecWithoutData(settings, data);
  const { objective, byLbfgs } = COMPARED[id];
  return { ...spec, objective, ...(byLbfgs && optimizer && { optimizer }) };
}

/** Fits one after another by the objectives chosen, and the same scores of all on rows that none has seen. */
export class Comparison {
  contestants = $state.raw<readonly Contestant[]>([]);
  /** Independent columns, which every model should beat. */
  baseline = $state.raw<Scores>();
  numHeldOut = $state(0);
  status = $state<'idle' | 'running' | 'stopped' | 'done'>('idle');
  /** What went wrong outside of the fits. */
  error = $state.raw<RunError>();
  /** The settings it is of. */
  key = $state('');
  readonly busy = $derived(this.status === 'running');
  /** The scores with the greatest log likelihood so far. */
  readonly best: Scores | undefined = $derived(
    [this.baseline, ...this.contestants.map(({ scores }) => scores)]
      .filter((scores) => scores !== undefined)
      .sort((a, b) => meanOf(b.logLikelihoods) - meanOf(a.logLikelihoods))[0],
  );
  #serial = 0;
  #cancel: () => void = () => {};

  async start({ engine: engineOf, settings, data, key }: Ground): Promise<void> {
    this.reset();
    const serial = this.#serial;
    const isMine = () => serial === this.#serial;
    this.key = key;
    this.status = 'running';
    this.contestants = settings.compare.map((id) => ({ id, state: 'waiting' }));
    try {
      const engine = await engineOf();
      if (!isMine()) return;
      const { training, heldOut } = splitRows(data.rows);
      const baseline = independentScores(training, heldOut);
      this.numHeldOut = heldOut.numRows;
      this.baseline = {
        logLikelihoods: baseline,
        error: undefined,
        logPseudolikelihoods: baseline,
      };
      for (const id of settings.compare) {
        const update = (changes: Partial<Contestant>) => {
          if (isMine()) this.#update(id, changes);
        };
        if (id === 'likelihood' && heldOut.dim > MOST_UNITS) {
          const message = `the likelihood is maximized with up to ${MOST_UNITS} units, and these rows have ${heldOut.dim}`;
          update({ state: 'failed', message });
          continue;
        }
        try {
          update({ state: 'fitting' });
          const began = performance.now();
          const spec = { ...comparedSpec(id, settings, data), data: { kind: 'bits', ...training } };
          const handle = engine.fit(spec as IsingFitSpec);
          this.#cancel = () => handle.cancel();
          const result = await handle;
          update({ state: 'scoring', result, seconds: (performance.now() - began) / 1000 });
          if (!isMine()) return;
          const { model } = result;
          update({ state: 'done', ...(await this.#score(engine, model, heldOut, settings.seed)) });
        } catch (error) {
          if (error instanceof UnnormError && error.code === 'aborted') return;
          // Others may fare better.
          update({ state: 'failed', message: describe(error).message });
        }
        if (!isMine()) return;
      }
      this.status = 'done';
    } catch (error) {
      if (!isMine()) return;
      this.error = describe(error);
      this.status = 'stopped';
    }
  }

  /** Ends it; what is done stays. */
  stop(): void {
    if (!this.busy) return;
    this.#serial++;
    this.#cancel();
    this.contestants = this.contestants.map((one) =>
      one.state === 'fitting' || one.state === 'scoring' ? { id: one.id, state: 'waiting' } : one,
    );
    this.status = 'stopped';
  }

  reset(): void {
    this.#serial++;
    this.#cancel();
    this.#cancel = () => {};
    this.contestants = [];
    this.baseline = undefined;
    this.error = undefined;
    this.status = 'idle';
    this.key = '';
  }

  #update(id: ComparedId, changes: Partial<Contestant>): void {
    this.contestants = this.contestants.map((one) =>
      one.id === id ? { ...one, ...changes } : one,
    );
  }

  async #score(
    engine: Engine,
    model: IsingSpec & { kind: 'ising' },
    rows: PackedRows,
    seed: number,
  ): Promise<{ scores: Scores; warnings: readonly string[] }> {
    const { logZ, error, warnings } = await this.#logZ(engine, model, seed);
    const logLikelihoods: number[] = [];
    const pseudo: number[] = [];
    for (let from = 0; from < rows.numRows; from += AT_A_TIME) {
      const states = statesOf(rows, from, Math.min(from + AT_A_TIME, rows.numRows));
      const handle = engine.energies({ model, states, conditionals: true });
      this.#cancel = () => handle.cancel();
      const { energies, conditionals } = await handle;
      for (const energy of energies) logLikelihoods.push(-energy - logZ);
      pseudo.push(...logPseudolikelihoods(states, conditionals, rows.dim));
    }
    return { scores: { logLikelihoods, error, logPseudolikelihoods: pseudo }, warnings };
  }

  /** Exactly where that can be had, else by annealing, with its error. */
  async #logZ(
    engine: Engine,
    model: IsingSpec & { kind: 'ising' },
    seed: number,
  ): Promise<{ logZ: number; error: number | undefined; warnings: readonly string[] }> {
    try {
      const handle = engine.exact({ model });
      this.#cancel = () => handle.cancel();
      const { logZ } = await handle;
      return { logZ, error: undefined, warnings: [] };
    } catch (error) {
      if (!(error instanceof UnnormError && error.code === 'too-large')) throw error;
    }
    const handle = engine.logZ({ model, ...ANNEALING, seed });
    this.#cancel = () => handle.cancel();
    const { logZ, standardError, warnings } = await handle;
    return { logZ, error: standardError, warnings };
  }
}
