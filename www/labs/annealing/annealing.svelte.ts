import type { Engine, LogZProgress, LogZResult } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { Playhead, prefersStill } from '../../frame/playhead.svelte.js';
import { describe } from '../../frame/run.svelte.js';
import { type Entry, RunGroup } from '../../frame/run-group.svelte.js';
import { readHash, writeHash } from '../../lib/fields.js';
import {
  type Axes,
  axesOf,
  logZ,
  type PathKind,
  type Point,
  pathCost,
} from '../../lib/gaussian-paths.js';
import { drawn, linear, sigmoidal } from '../../lib/schedules.js';
import {
  axesNear,
  covarianceNear,
  type EndName,
  type Ends,
  meanNear,
  PRESETS,
  type PresetId,
} from './ends.js';
import { type Flow, flowOf } from './flow.js';
import { fields, MAX_RUNGS, PATHS, rungsUpTo, type Settings } from './settings.js';
import { specOf } from './specs.js';

/** One processor is left to the page, which has sixty pictures a second to draw. */
const NUM_WORKERS = Math.max(1, Math.min(8, (navigator.hardwareConcurrency || 1) - 1));

/** Steps of the schedule that is drawn before there is a run. */
const NUM_DRAWN = 200;

type RunName = `${PathKind} ${number}`;
type ByPath<T> = Readonly<Record<PathKind, T>>;

/** One number of distributions with what has come of it. */
export interface Rung {
  index: number;
  numDistributions: number;
  results: ByPath<LogZResult | undefined>;
}

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class Annealing {
  settings = $state.raw<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  /** The axes of both ends, which of a round one the covariance does not tell. */
  axes = $state.raw<Record<EndName, Axes>>(this.#axes());
  /** Which of the numbers of distributions is shown. */
  shownIndex = $state<number>();
  /** Where particles were, with the number of distributions shown. */
  flows = $state.raw<ByPath<Flow>>();
  /** Why there are none. */
  flowProblem = $state('');
  /** Whether what is shown follows the runs. */
  #follows = true;
  #abort = new AbortController();
  readonly #engine = new EngineHolder();

  readonly group = new RunGroup<RunName, LogZProgress, LogZResult>(
    Array.from({ length: MAX_RUNGS }, (_, n) => PATHS.map(({ id }) => nameOf(id, n))).flat(),
  );
  readonly playhead = new Playhead(
    () => this.#follows && this.#newest !== this.shownIndex,
    () => this.#goOn(),
  );

  readonly ends: Ends = $derived({ start: this.settings.start, target: this.settings.target });
  /** log Z of the target and of the start, and what either path costs, in nats. */
  readonly truth = $derived(logZ(this.ends.target));
  readonly startLogZ = $derived(logZ(this.ends.start));
  readonly cost = $derived(pathCost(this.ends.start, this.ends.target));
  readonly rungs: readonly Rung[] = $derived(
    rungsUpTo(this.settings.most).map((numDistributions, index) => ({
      index,
      numDistributions,
      results: byPath((id) => this.group.runs[nameOf(id, index)]?.result),
    })),
  );
  readonly shown: Rung | undefined = $derived(
    this.shownIndex === undefined ? undefined : this.rungs[this.shownIndex],
  );
  readonly #newest = $derived(this.rungs.filter(isComplete).at(-1)?.index);
  readonly hash = $derived(writeHash(fields, this.settings));

  /** The schedules of what is shown; before a run as far as they are known without one. */
  readonly schedules: ByPath<ArrayLike<number> | undefined> = $derived.by(() => {
    const { schedule, curve } = this.settings;
    const known = {
      linear: () => linear(NUM_DRAWN),
      sigmoidal: () => sigmoidal(NUM_DRAWN),
      drawn: () => drawn(curve, NUM_DRAWN),
      optimalBinned: () => undefined,
      adaptive: () => undefined,
    }[schedule]();
    return byPath((id) => this.shown?.results[id]?.schedule ?? known);
  });

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash) return;
    const { values, problems } = readHash(fields, hash);
    this.settings = values;
    this.axes = this.#axes();
    this.linkProblems = problems;
    this.reset();
  }

  close(): void {
    this.reset();
    this.#engine.close();
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes settings: what was run with the old ones goes. */
  change(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    this.reset();
  }

  choosePreset(id: PresetId): void {
    const { start, target } = PRESETS[id];
    this.change({ start, target });
    this.axes = this.#axes();
  }

  /** Moves the mean of an end, as near to the point as it may lie. */
  moveMean(end: EndName, mean: Point): void {
    this.change({ [end]: { ...this.settings[end], mean: meanNear(mean) } });
  }

  /** Gives an end other axes, as near as they may be. */
  changeAxes(end: EndName, changed: Partial<Axes>): void {
    const axes = axesNear({ ...this.axes[end], ...changed });
    this.axes = { ...this.axes, [end]: axes };
    this.change({ [end]: { ...this.settings[end], covariance: covarianceNear(axes) } });
  }

  reset(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.group.reset();
    this.#follows = true;
    this.shownIndex = undefined;
    this.flows = undefined;
    this.flowProblem = '';
    this.playhead.goTo(0.5);
  }

  async start(): Promise<void> {
    this.reset();
    await this.group.start(this.#entries(), false);
  }

  async continue(): Promise<void> {
    await this.group.continue(this.#entries(), false);
  }

  /** Shows one of the numbers of distributions that were run, from the beginning. */
  async show(index: number): Promise<void> {
    this.#follows = false;
    await this.#show(index);
  }

  #entries(): Entry<RunName, LogZProgress, LogZResult>[] {
    const { settings } = this;
    return this.rungs.flatMap(({ index, numDistributions }) =>
      PATHS.map(({ id }) => ({
        name: nameOf(id, index),
        launch: {
          engine: () => this.#engine.with(NUM_WORKERS),
          job: (engine: Engine, options) =>
            engine.logZ(specOf(settings, id, numDistributions), options),
          onProgress: () => {},
          onResult: () => {
            // The first to come is shown at once, a later one when that has been.
            if (this.shownIndex === undefined || prefersStill()) this.#goOn();
          },
        },
      })),
    );
  }

  /** Shows the newest there is, if that is wanted and not done. */
  #goOn(): void {
    const newest = this.#newest;
    if (!this.#follows || newest === undefined || newest === this.shownIndex) return;
    void this.#show(newest);
  }

  async #show(index: number): Promise<void> {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const { settings, ends } = this;
    const rung = this.rungs[index];
    this.shownIndex = index;
    this.flows = undefined;
    this.flowProblem = '';
    this.playhead.goTo(0);
    if (!rung) return;
    try {
      const engine = await this.#engine.with(NUM_WORKERS);
      const [geometric, momentAverages] = await Promise.all(
        PATHS.map(({ id }) => {
          const spec = specOf(settings, id, rung.numDistributions);
          return flowOf(engine, spec, ends, rung.results[id]?.schedule ?? [], signal);
        }),
      );
      if (signal.aborted || !geometric || !momentAverages) return;
      this.flows = { geometric, momentAverages };
      if (prefersStill()) this.playhead.goTo(1);
      else this.playhead.play();
    } catch (error) {
      if (!signal.aborted) this.flowProblem = describe(error).message;
    }
  }

  #axes(): Record<EndName, Axes> {
    const { start, target } = this.settings;
    return { start: axesOf(start.covariance), target: axesOf(target.covariance) };
  }
}

function nameOf(path: PathKind, index: number): RunName {
  return `${path} ${index}`;
}

function byPath<T>(make: (id: PathKind) => T): ByPath<T> {
  return { geometric: make('geometric'), momentAverages: make('momentAverages') };
}

/** Whether both paths have been run. */
export function isComplete({ results }: Rung): boolean {
  return results.geometric !== undefined && results.momentAverages !== undefined;
}
