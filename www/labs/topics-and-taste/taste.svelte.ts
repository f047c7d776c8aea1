import type {
  EnergiesProgress,
  EnergiesResult,
  FitProgress,
  FitResult,
  SampleProgress,
  SampleResult,
} from 'unnorm';
import { Alongside } from '../../frame/alongside.js';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { type Estimate, estimateOf } from '../../lib/estimates.js';
import { frequencies } from '../../lib/taste-people.js';
import { NUM_BITS, NUM_THINGS, TRUE_MACHINE } from './catalogue.js';
import {
  peopleWithoutModel,
  TASTE_BATCH,
  type TasteModel,
  tasteFitSpec,
  updatesAPass,
} from './machine.js';
import { ofThing, type People, peopleOf, statesOf } from './people.js';
import { type Score, scoreOf } from './scores.js';
import { OF_PEOPLE, OF_TASTE } from './settings.js';
import type { TopicsAndTaste } from './topics-and-taste.svelte.js';
import { TrueMachine } from './truth.js';

type Progress = SampleProgress | FitProgress | EnergiesProgress;
type Result = SampleResult | FitResult | EnergiesResult;

/** What is known of the held-out ratings as the machine learns. */
export interface Course {
  updates: readonly number[];
  nats: readonly number[];
  errors: readonly number[];
}

/** What a machine says of one visitor. */
interface Reading {
  model: TasteModel;
  /** The setting of them. */
  ratings: string;
  /** The probabilities of all values of all things. */
  conditionals: Float64Array;
  /** Of its hidden units. */
  hidden: Float64Array;
}

const truth = new TrueMachine(TRUE_MACHINE);
const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Made-up people with tastes, and a machine that learns them from few ratings of each. */
export class Taste {
  people = $state.raw<People & { key: string }>();
  machine = $state.raw<{ key: string; model: TasteModel; digest: string; seconds: number }>();
  /** The machine that is learning. */
  learning = $state.raw<TasteModel>();
  numUpdates = $state(0);
  course = $state.raw<Course>(emptyCourse());
  /** What the machine of the end says of the held-out ratings. */
  learned = $state.raw<Score>();
  /** What the machine of the moment says of the visitor. */
  reading = $state.raw<Reading>();
  readonly #lab: TopicsAndTaste;
  readonly run = new RunSequence<Progress, Result>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  #newest: { model: TasteModel; updates: number } | undefined;

  readonly #reading = new Alongside<{ model: TasteModel; ratings: string }>(
    async ({ model, ratings }, signal) => {
      const engine = await this.#lab.engine();
      const states = statesOf([ratingsOf(ratings)]);
      const { conditionals, hidden } = await engine.energies({
        model,
        states,
        conditionals: true,
        hidden: true,
      });
      if (!signal.aborted) this.reading = { model, ratings, conditionals, hidden };
    },
    (error) => this.run.report(error),
    { leastRest: 0, rest: 0 },
  );
  readonly #judging = new Alongside<{ model: TasteModel; updates: number }>(
    async ({ model, updates }, signal) => {
      const { people } = this;
      if (!people) return;
      const engine = await this.#lab.engine();
      const states = statesOf(people.heldOut);
      const { conditionals } = await engine.energies({ model, states, conditionals: true });
      if (!signal.aborted)
        this.#record(updates, scoreOf(askedOf(conditionals, people), people.answers));
    },
    (error) => this.run.report(error),
    { leastRest: isStill ? 600 : 60, rest: 1 },
  );

  readonly ratings = $derived.by(() => ratingsOf(this.#lab.settings.ratings));
  /** What the machine that made the people says of the visitor. */
  readonly truth = $derived(truth.given(this.ratings));
  readonly #peopleKey = $derived.by(() => this.#lab.keyOf(OF_PEOPLE));
  readonly #key = $derived.by(() => this.#lab.keyOf(OF_TASTE));
  readonly hasPeople = $derived(this.people?.key === this.#peopleKey);
  readonly isLearned = $derived(this.machine?.key === this.#key);
  /** The machine that pictures and numbers show. */
  readonly shown: TasteModel | undefined = $derived(
    this.isLearned ? this.machine?.model : this.learning,
  );
  /** Whether the newest reading is of another machine, or of other ratings, than those shown. */
  readonly isReading = $derived.by(
    () =>
      this.shown !== undefined &&
      (this.reading?.model !== this.shown || this.reading.ratings !== this.#lab.settings.ratings),
  );
  readonly updatesAPass = $derived.by(() => updatesAPass(this.#lab.settings.people, TASTE_BATCH));
  readonly #isJudged = $derived(this.isLearned && this.learned !== undefined);
  readonly digest = $derived(this.isLearned ? this.machine?.digest : undefined);

  /** What the true machine, and frequencies alone, say of the held-out ratings. */
  readonly bounds = $derived.by(() => {
    const { people } = this;
    if (!people || !this.hasPeople) return undefined;
    const { training, heldOut, asked, answers } = people;
    const best = heldOut.map((ratings, n) => ofThing(truth.given(ratings), asked[n] ?? 0));
    const shares = Float64Array.from(frequencies(training.bits, training.numRows, NUM_THINGS));
    const alone = [...asked].map((thing) => ofThing(shares, thing));
    return { truth: scoreOf(best, answers), alone: scoreOf(alone, answers) };
  });

  readonly #share = $derived.by(() => {
    const { people, tastes, epochs } = this.#lab.settings;
    const size = people / 3000;
    const costs = [this.#had.people ? 0 : 0.2 * size, (size * epochs * (tastes + 4)) / 720, 0.05];
    const at = this.#isJudged ? 3 : this.isLearned ? 2 : this.hasPeople ? 1 : 0;
    const sumOf = (some: readonly number[]) => some.reduce((sum, cost) => sum + cost, 0);
    const whole = sumOf(costs);
    return { before: sumOf(costs.slice(0, at)) / whole, job: (costs[at] ?? 0) / whole };
  });
  /** What there was before this run. */
  #had = $state.raw({ people: false });

  constructor(lab: TopicsAndTaste) {
    this.#lab = lab;
  }

  start(): Promise<void> {
    this.reset();
    this.#had = { people: this.hasPeople };
    return this.run.start();
  }

  /** Forgets the machine; the people are kept. */
  reset(): void {
    this.#reading.cancel();
    this.#judging.cancel();
    this.run.reset();
    this.machine = undefined;
    this.learning = undefined;
    this.learned = undefined;
    this.reading = undefined;
    this.#newest = undefined;
    this.numUpdates = 0;
    this.course = emptyCourse();
  }

  /** Asks the machine of the moment about the visitor. */
  read(): void {
    const model = this.shown;
    if (model) this.#reading.offer({ model, ratings: this.#lab.settings.ratings });
  }

  #next(): Launch<Progress, Result> | undefined {
    const settings = this.#lab.plainSettings;
    const engine = () => this.#lab.engine();
    const { people } = this;
    if (!people || !this.hasPeople) {
      const key = this.#peopleKey;
      const spec = {
        model: TRUE_MACHINE,
        ...peopleWithoutModel(settings),
      };
      return {
        engine,
        job: (made, options) => made.sample(spec, options),
        onProgress: () => {},
        onResult: (result) => {
          const { bits, numRows } = (result as SampleResult).draws;
          this.people = { key, ...peopleOf({ dim: NUM_BITS, numRows, bits }, settings.seed) };
        },
      };
    }
    if (!this.isLearned) {
      const key = this.#key;
      const spec = tasteFitSpec(settings, people.training);
      return {
        engine,
        job: (made, options) => made.fit(spec, options),
        progressInterval: 60,
        onProgress: (progress) => {
          const { model, numEvaluations } = progress as FitProgress;
          this.#newest = { model: model as TasteModel, updates: numEvaluations };
          this.#judging.offer(this.#newest);
        },
        onShow: () => {
          this.learning = this.#newest?.model;
          this.numUpdates = this.#newest?.updates ?? 0;
          this.read();
        },
        showInterval: isStill ? 1000 : 200,
        onResult: (result, seconds) => {
          const { model, digest, numEvaluations } = result as FitResult;
          this.#judging.cancel();
          this.numUpdates = numEvaluations;
          this.machine = { key, model: model as TasteModel, digest, seconds };
          this.read();
        },
      };
    }
    const { machine } = this;
    if (this.#isJudged || !machine) return undefined;
    return {
      engine,
      job: (made, options) =>
        made.energies(
          { model: machine.model, states: statesOf(people.heldOut), conditionals: true },
          options,
        ),
      onProgress: () => {},
      onResult: (result) => {
        const score = scoreOf(
          askedOf((result as EnergiesResult).conditionals, people),
          people.answers,
        );
        this.learned = score;
        this.#record(this.numUpdates, score);
      },
    };
  }

  #record(updates: number, score: Score): void {
    const { value, error }: Estimate = estimateOf(score.nats);
    const kept = this.course.updates.filter((update) => update < updates).length;
    this.course = {
      updates: [...this.course.updates.slice(0, kept), updates],
      nats: [...this.course.nats.slice(0, kept), value],
      errors: [...this.course.errors.slice(0, kept), error],
    };
  }
}

function ratingsOf(setting: string): Uint8Array {
  return Uint8Array.from(setting, (digit) => Number(digit));
}

function emptyCourse(): Course {
  return { updates: [], nats: [], errors: [] };
}

/** What is said of the things that are asked. */
function askedOf(conditionals: Float64Array, { asked }: People): Float64Array[] {
  return [...asked].map((thing, person) => ofThing(conditionals, thing, person));
}
