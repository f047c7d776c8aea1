import type { Engine, FitProgress, FitResult } from 'unnorm';
import { Alongside } from '../../frame/alongside.js';
import { EngineHolder } from '../../frame/engine-holder.js';
import { prefersStill } from '../../frame/playhead.svelte.js';
import { describe, type Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { keptAnswer } from '../../lib/first-answers.js';
import { type Levels, valuesOf } from '../../lib/levels.js';
import { Course } from './course.svelte.js';
import { type Compared, compare, type Ingredients, type Network } from './field.js';
import firstAnswers from './first-answers.json';
import { dataSpec, drawData, fitSpec, shapeOf, updatesOf } from './jobs.js';
import {
  fields,
  noisesOf,
  SETS,
  type SetId,
  type Settings,
  setsOf,
  type Target,
} from './settings.js';
import { View } from './view.svelte.js';

/** One processor is left to the page. */
const NUM_WORKERS = Math.max(1, Math.min(8, (navigator.hardwareConcurrency || 1) - 1));
/** Milliseconds after a change before data are drawn anew. */
const DRAWING_PAUSE = 80;

/** Settings whose change leaves what was learned. */
const OF_THE_VIEW: readonly string[] = ['target', 'steps', 'step', 'particles'];

/** The state of the lab and what can be done with it; the only place in it that starts jobs. */
export class ScoreField {
  settings = $state.raw<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  /** The rows of both data sets; undefined until they are drawn. */
  data = $state.raw<Partial<Record<SetId, Float64Array>>>({});
  /** While it is learned: the field of the moment, beside the truth. */
  live = $state.raw<Compared>();
  liveProblem = $state('');
  /** The level that the field is shown at, if one was chosen; else the last. */
  #chosenLevel = $state<number>();
  readonly course = new Course();
  readonly view = new View();
  readonly #engine = new EngineHolder();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dataSerial = 0;
  readonly #dataKeys: Partial<Record<SetId, string>> = {};

  readonly noises: readonly number[] = $derived(noisesOf(this.settings));
  readonly sets: readonly SetId[] = $derived(setsOf(this.settings));
  /** Levels of all sets, in the order in which they are learned. */
  readonly plan = $derived(
    this.sets.flatMap((set) => this.noises.map((noise, level) => ({ set, noise, level }))),
  );
  /** Updates of one level. */
  readonly updates = $derived(updatesOf(this.settings));
  readonly hash = $derived(writeHash(fields, this.settings));
  readonly isDrawn = $derived(this.sets.every((set) => this.data[set] !== undefined));
  /** Rows as they are shown: those of the data, or until they are here the ones kept, in levels. */
  readonly shown: Readonly<Partial<Record<SetId, Float64Array>>> = $derived.by(() => {
    const all = SETS.map(({ id }) => [id, this.data[id] ?? keptRows(this.settings, id)]);
    return Object.fromEntries(all);
  });
  readonly canStart = $derived(this.sets.every((set) => this.shown[set] !== undefined));
  /** What can be looked at when all is learned. */
  readonly targets: readonly Target[] = $derived(
    this.sets.length === 2 ? ['a', 'b', 'and', 'or'] : ['a'],
  );
  readonly run = new RunSequence<FitProgress<'neural'>, FitResult<'neural'>>({
    next: () => this.#next(),
    share: () => ({ before: this.course.numDone / this.plan.length, job: 1 / this.plan.length }),
  });
  readonly isLearned = $derived(this.run.status === 'done');
  /** The level that is being learned. */
  readonly now = $derived(this.plan[this.course.numDone]);
  /** What is looked at: the set that is being learned, until all are. */
  readonly target: Target = $derived.by(() => {
    if (!this.isLearned) return this.now?.set ?? 'a';
    return this.targets.includes(this.settings.target) ? this.settings.target : 'a';
  });
  readonly level = $derived(Math.min(this.#chosenLevel ?? 1000, this.noises.length - 1));
  /** The field on the page. */
  readonly compared = $derived(
    this.isLearned
      ? this.view.levels[Math.min(this.level, this.view.levels.length - 1)]
      : this.live,
  );
  readonly problem = $derived(this.view.problem || this.liveProblem);

  readonly #looking = new Alongside<Ingredients>(
    async (ingredients, signal) => {
      const compared = await compare(await this.#engine.with(NUM_WORKERS), ingredients);
      if (!signal.aborted) this.live = compared;
    },
    (error) => {
      this.liveProblem = describe(error).message;
    },
    { leastRest: prefersStill() ? 1500 : 150, rest: 3 },
  );

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash && this.data.a) return;
    const { values, problems } = readHash(fields, hash);
    this.linkProblems = problems;
    this.settings = values;
    this.reset();
    this.#drawSoon();
  }

  close(): void {
    this.reset();
    clearTimeout(this.#timer);
    this.#engine.close();
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes settings: what was learned with the old ones goes, unless they are of the view alone. */
  change(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    if (Object.keys(settings).every((name) => OF_THE_VIEW.includes(name))) {
      if (this.isLearned) void this.#show();
      return;
    }
    this.reset();
    this.#drawSoon();
  }

  chooseLevel(level: number): void {
    this.#chosenLevel = level;
  }

  reset(): void {
    this.run.reset();
    this.course.clear();
    this.view.clear();
    this.#looking.cancel();
    this.live = undefined;
    this.liveProblem = '';
    this.#chosenLevel = undefined;
  }

  async start(): Promise<void> {
    this.reset();
    await this.run.start();
    await this.#ended();
  }

  async continue(): Promise<void> {
    await this.run.continue();
    await this.#ended();
  }

  async #ended(): Promise<void> {
    this.#looking.cancel();
    if (this.isLearned) await this.#show();
  }

  #show(): Promise<void> {
    const { target } = this;
    const ingredients = this.noises.flatMap((_, level) => this.#ingredients(target, level) ?? []);
    return this.view.show(() => this.#engine.with(NUM_WORKERS), this.settings, ingredients);
  }

  /** What the target is made of at a level. */
  #ingredients(target: Target, level: number): Ingredients | undefined {
    const networks: Network[] = [];
    const shapes = [];
    for (const set of setsNeeded(target)) {
      const model = this.course.of(set)[level]?.model;
      const shape = shapeOf(this.settings, set);
      if (!model || !shape) return undefined;
      networks.push(model);
      shapes.push(shape);
    }
    return { target, noise: this.noises[level] ?? 0, networks, shapes };
  }

  /** The rows of the data, when the drawing pauses. Those that stay the same are kept. */
  #drawSoon(): void {
    clearTimeout(this.#timer);
    const serial = ++this.#dataSerial;
    const kept: Partial<Record<SetId, Float64Array>> = {};
    const wanted = this.sets.flatMap((set) => {
      const spec = dataSpec(this.settings, set);
      const key = JSON.stringify(spec);
      const rows = this.data[set];
      if (rows && key === this.#dataKeys[set]) kept[set] = rows;
      return spec && !kept[set] ? [{ set, spec, key }] : [];
    });
    this.data = kept;
    this.#timer = setTimeout(async () => {
      try {
        const engine = await this.#engine.with(NUM_WORKERS);
        for (const { set, spec, key } of wanted) {
          const rows = await drawData(engine, spec);
          if (serial !== this.#dataSerial) return;
          this.#dataKeys[set] = key;
          this.data = { ...this.data, [set]: rows };
        }
      } catch (error) {
        if (serial === this.#dataSerial) this.run.report(error);
      }
    }, DRAWING_PAUSE);
  }

  #next(): Launch<FitProgress<'neural'>, FitResult<'neural'>> | undefined {
    if (!this.now) return undefined;
    const { set, noise, level } = this.now;
    const { settings } = this;
    const [spec, shape] = [dataSpec(settings, set), shapeOf(settings, set)];
    if (!spec || !shape) return undefined;
    const from = this.course.of(set).at(-1)?.model;
    let states: Float64Array;
    return {
      engine: async () => {
        const engine = await this.#engine.with(NUM_WORKERS);
        states = this.data[set] ?? (await drawData(engine, spec));
        return engine;
      },
      job: (engine: Engine, options) =>
        engine.fit(fitSpec(settings, set, noise, states, from), options),
      onProgress: ({ numEvaluations, objective, model }) => {
        this.course.add(set, level, numEvaluations, objective);
        this.#looking.offer({ target: set, noise, networks: [model], shapes: [shape] });
      },
      progressInterval: 60,
      onShow: () => this.course.publish(),
      showInterval: 100,
      onResult: ({ model, objective, numEvaluations, digest, warnings }, seconds) =>
        this.course.finish(set, {
          noise,
          model,
          objective,
          numEvaluations,
          seconds,
          digest,
          warnings,
        }),
    };
  }
}

/** Which sets must have been learned for a target. */
function setsNeeded(target: Target): readonly SetId[] {
  return target === 'a' || target === 'b' ? [target] : ['a', 'b'];
}

/** The rows of a data set that is there at first. */
function keptRows(settings: Settings, set: SetId): Float64Array | undefined {
  const kept = keptAnswer<Levels>(firstAnswers, dataSpec(settings, set));
  return kept && valuesOf(kept);
}
