import type { EnergiesProgress, EnergiesResult, FitProgress, FitResult } from 'unnorm';
import { Alongside } from '../../frame/alongside.js';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { countsOf, wordShares } from '../../lib/word-counts.js';
import { type Corpus, isHeldOut, loadCorpus, numbersIn } from './corpus.js';
import { TOPIC_BATCH, type TopicModel, topicFitSpec, updatesAPass } from './machine.js';
import { OF_TOPICS } from './settings.js';
import type { TopicsAndTaste } from './topics-and-taste.svelte.js';

type Progress = FitProgress | EnergiesProgress;
type Result = FitResult | EnergiesResult;

export interface Perplexities {
  updates: readonly number[];
  values: readonly number[];
}

/** What a machine says of the text that is typed in. */
interface TextReading {
  model: TopicModel;
  text: string;
  /** The probabilities of its topics. */
  hidden: Float64Array;
  /** Of all words of the list, next to those of the text. */
  expected: Float64Array;
}

interface Topical {
  key: string;
  model: TopicModel;
  digest: string;
  seconds: number;
}

const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** The documentation, and a machine that learns what its paragraphs are about. */
export class Topics {
  corpus = $state.raw<Corpus>();
  machine = $state.raw<Topical>();
  learning = $state.raw<TopicModel>();
  numUpdates = $state(0);
  course = $state.raw<Perplexities>({ updates: [], values: [] });
  /** Perplexity of the held-out paragraphs at the end, with the logarithms of the probabilities. */
  logProbabilities = $state.raw<Float64Array>();
  /** The topics of every paragraph, [paragraphs, topics]. */
  paragraphs = $state.raw<Float64Array>();
  reading = $state.raw<TextReading>();
  readonly #lab: TopicsAndTaste;
  readonly run = new RunSequence<Progress, Result>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  #newest: { model: TopicModel; updates: number } | undefined;

  readonly #reading = new Alongside<{ model: TopicModel; text: string; numbers: number[] }>(
    async ({ model, text, numbers }, signal) => {
      const engine = await this.#lab.engine();
      const states = countsOf([numbers], model.numWords);
      const { hidden } = await engine.energies({ model, states, hidden: true });
      if (signal.aborted) return;
      this.reading = { model, text, hidden, expected: expectedOf(model, hidden) };
    },
    (error) => this.run.report(error),
    { leastRest: 0, rest: 0 },
  );
  readonly #judging = new Alongside<{ model: TopicModel; updates: number }>(
    async ({ model, updates }, signal) => {
      const { split } = this;
      if (!split) return;
      const engine = await this.#lab.engine();
      const states = countsOf(split.heldOut, model.numWords);
      const { logProbabilities } = await engine.energies({ model, states, logProbabilities: true });
      if (!signal.aborted) this.#record(updates, logProbabilities);
    },
    (error) => this.run.report(error),
    { leastRest: isStill ? 1000 : 200, rest: 2 },
  );

  readonly split = $derived.by(() => {
    const { corpus } = this;
    if (!corpus) return undefined;
    const documents = corpus.paragraphs.map(({ words }) => words);
    return {
      documents,
      training: documents.filter((_, n) => !isHeldOut(n)),
      heldOut: documents.filter((_, n) => isHeldOut(n)),
    };
  });
  readonly numHeldOutWords = $derived(
    this.split?.heldOut.reduce((sum, { length }) => sum + length, 0) ?? 0,
  );
  /** How frequent each word is in the paragraphs to learn from. */
  readonly shares = $derived(
    this.split && this.corpus && wordShares(this.split.training, this.corpus.words.length),
  );
  /** Perplexity by those alone. */
  readonly alone = $derived.by(() => {
    const { shares } = this;
    if (!shares || !this.split) return undefined;
    const all = this.split.heldOut.flat();
    const nats = all.reduce((sum, word) => sum - Math.log(shares[word] ?? 1), 0);
    return Math.exp(nats / all.length);
  });
  /** The known words of the text that is typed in, by their numbers. */
  readonly numbers = $derived.by(() =>
    this.corpus ? numbersIn(this.#lab.settings.text, this.corpus) : [],
  );
  readonly #key = $derived.by(() => this.#lab.keyOf(OF_TOPICS));
  readonly isLearned = $derived(this.machine?.key === this.#key);
  readonly shown: TopicModel | undefined = $derived(
    this.isLearned ? this.machine?.model : this.learning,
  );
  /** Whether the newest reading is of another machine, or of another text, than those shown. */
  readonly isReading = $derived.by(
    () =>
      this.shown !== undefined &&
      (this.reading?.model !== this.shown || this.reading.text !== this.#lab.settings.text),
  );
  readonly updatesAPass = $derived(updatesAPass(this.split?.training.length ?? 1, TOPIC_BATCH));
  readonly canStart = $derived(this.corpus !== undefined);
  readonly #isJudged = $derived(this.isLearned && this.logProbabilities !== undefined);
  readonly digest = $derived(this.isLearned ? this.machine?.digest : undefined);
  readonly perplexity = $derived(this.#isJudged ? this.course.values.at(-1) : undefined);
  /** The paragraphs whose topics are nearest to those of the text. */
  readonly nearest = $derived.by(() => {
    const { corpus, paragraphs, reading } = this;
    if (!corpus || !paragraphs || !reading || this.numbers.length === 0) return [];
    const size = reading.hidden.length;
    const apart = corpus.paragraphs.map((_, row) =>
      reading.hidden.reduce(
        (sum, p, unit) => sum + (p - (paragraphs[row * size + unit] ?? 0)) ** 2,
        0,
      ),
    );
    const order = [...apart.keys()].sort((one, other) => (apart[one] ?? 0) - (apart[other] ?? 0));
    return order.slice(0, 3).flatMap((row) => {
      const paragraph = corpus.paragraphs[row];
      return paragraph ? [{ row, apart: Math.sqrt(apart[row] ?? 0), ...paragraph }] : [];
    });
  });

  readonly #share = $derived.by(() => {
    if (this.#isJudged) return { before: 1, job: 0 };
    return this.isLearned ? { before: 0.98, job: 0.02 } : { before: 0, job: 0.98 };
  });

  constructor(lab: TopicsAndTaste) {
    this.#lab = lab;
  }

  async load(): Promise<void> {
    if (this.corpus) return;
    try {
      this.corpus = await loadCorpus();
    } catch (error) {
      this.run.report(error);
    }
  }

  start(): Promise<void> {
    this.reset();
    return this.run.start();
  }

  reset(): void {
    this.#reading.cancel();
    this.#judging.cancel();
    this.run.reset();
    this.machine = undefined;
    this.learning = undefined;
    this.logProbabilities = undefined;
    this.paragraphs = undefined;
    this.reading = undefined;
    this.#newest = undefined;
    this.numUpdates = 0;
    this.course = { updates: [], values: [] };
  }

  /** Asks the machine of the moment about the text. */
  read(): void {
    const model = this.shown;
    if (!model) return;
    this.#reading.offer({ model, text: this.#lab.settings.text, numbers: this.numbers });
  }

  #next(): Launch<Progress, Result> | undefined {
    const { corpus, split, machine } = this;
    if (!corpus || !split) return undefined;
    const settings = this.#lab.plainSettings;
    const engine = () => this.#lab.engine();
    const numWords = corpus.words.length;
    if (!this.isLearned) {
      const key = this.#key;
      const spec = topicFitSpec(settings, split.training, numWords);
      return {
        engine,
        job: (made, options) => made.fit(spec, options),
        progressInterval: 80,
        onProgress: (progress) => {
          const { model, numEvaluations } = progress as FitProgress;
          this.#newest = { model: model as TopicModel, updates: numEvaluations };
          this.#judging.offer(this.#newest);
        },
        onShow: () => {
          this.learning = this.#newest?.model;
          this.numUpdates = this.#newest?.updates ?? 0;
          this.read();
        },
        showInterval: isStill ? 1000 : 250,
        onResult: (result, seconds) => {
          const { model, digest, numEvaluations } = result as FitResult;
          this.#judging.cancel();
          this.numUpdates = numEvaluations;
          this.machine = { key, model: model as TopicModel, digest, seconds };
          this.read();
        },
      };
    }
    if (this.#isJudged || !machine) return undefined;
    const states = countsOf(split.documents, numWords);
    return {
      engine,
      job: (made, options) =>
        made.energies(
          { model: machine.model, states, hidden: true, logProbabilities: true },
          options,
        ),
      onProgress: () => {},
      onResult: (result) => {
        const { hidden, logProbabilities } = result as EnergiesResult;
        const heldOut = logProbabilities.filter((_, n) => isHeldOut(n));
        this.paragraphs = hidden;
        this.logProbabilities = heldOut;
        this.#record(this.numUpdates, heldOut);
      },
    };
  }

  #record(updates: number, logProbabilities: Float64Array): void {
    const nats = -logProbabilities.reduce((sum, log) => sum + log, 0);
    const kept = this.course.updates.filter((update) => update < updates).length;
    this.course = {
      updates: [...this.course.updates.slice(0, kept), updates],
      values: [...this.course.values.slice(0, kept), Math.exp(nats / this.numHeldOutWords)],
    };
  }
}

/** The probabilities of words given those of the topics: softmax(b + Wᵀh). */
function expectedOf(
  { weights, wordBias, numWords }: TopicModel,
  hidden: Float64Array,
): Float64Array {
  const raised = wordBias.map((bias, word) =>
    hidden.reduce((sum, p, unit) => sum + p * (weights[unit * numWords + word] ?? 0), bias),
  );
  const most = raised.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const shares = raised.map((value) => Math.exp(value - most));
  const whole = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / whole);
}
