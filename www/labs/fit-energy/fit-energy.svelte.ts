import { type Engine, type FitProgress, type FitResult, UnnormError } from 'unnorm';
import { Alongside } from '../../frame/alongside.js';
import { EngineHolder } from '../../frame/engine-holder.js';
import { OwnFile } from '../../frame/own-file.svelte.js';
import { prefersStill } from '../../frame/playhead.svelte.js';
import { describe, type Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { keptAnswer } from '../../lib/first-answers.js';
import { parametersIn } from '../../lib/formula-names.js';
import { type Levels, valuesOf } from '../../lib/levels.js';
import { sizeInId } from '../../lib/packed-rows.js';
import { correlationsOf } from './correlations.js';
import {
  asNumbers,
  drawn,
  drawSpec,
  type OwnTable,
  type Rows,
  readOwnTable,
  resampled,
} from './data.js';
import { type Shown, shownDensity, windowOf } from './density.js';
import { EXAMPLES, type ExampleId, exampleOf } from './examples.js';
import firstAnswers from './first-answers.json';
import { fitSpec, radiusFor, type TypedEnergy, typedEnergy } from './jobs.js';
import { coverageOf, type Estimate, type Repeat, repeatOf } from './repeats.js';
import {
  fields,
  METHODS,
  methodsFor,
  printStarts,
  readStarts,
  type Settings,
  type Start,
  startsFor,
  suits,
} from './settings.js';

type Progress = FitProgress<'formula'>;
type Result = FitResult<'formula'>;

/** Milliseconds after a change before data are drawn, or a formula is tried. */
const PAUSE = 80;
/** Rows that a formula is tried on. */
const NUM_TRIED = 200;

/** The state of the lab and what can be done with it; the only place in it that starts jobs. */
export class FitEnergy {
  settings = $state.raw<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly own = new OwnFile<OwnTable>(() => this.settings, sizeInId);
  /** Drawn rows, and the settings they were drawn for. */
  #drawn = $state.raw<{ key: string; rows: Rows }>();
  /** What is wrong with the formula. */
  formulaProblem = $state('');
  /** Objective and gradient after every evaluation of the fit to these data. */
  course = $state.raw<{ evaluations: number[]; objective: number[] }>({
    evaluations: [],
    objective: [],
  });
  /** The fit to these data, and fits to others. */
  result = $state.raw<Result>();
  seconds = $state(0);
  repeats = $state.raw<readonly Repeat[]>([]);
  /** The density of the model of the moment, with the model it is of. */
  shown = $state.raw<{ model: object; shown: Shown | undefined }>();
  /** The density that the data are drawn from. */
  truthShown = $state.raw<{ rows: Rows; shown: Shown | undefined }>();
  viewProblem = $state('');
  #promise = $state.raw<{ key: string; digest: string }>();
  readonly #engine = new EngineHolder();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #serial = 0;
  /** The data of the next of the other fits, drawn as it starts. */
  #otherRows: Rows | undefined;
  #pending: { evaluations: number[]; objective: number[] } = { evaluations: [], objective: [] };

  readonly example = $derived(exampleOf(this.settings.data));
  readonly variables: readonly string[] = $derived(
    this.example?.variables ?? this.own.content?.variables ?? ['x', 'y'],
  );
  readonly isBinary = $derived(this.example?.isBinary ?? this.own.content?.rows.isBinary ?? false);
  readonly methods = $derived(methodsFor(this.isBinary));
  /** The parameters, with the values to start from. */
  readonly starts: readonly Start[] = $derived(
    startsFor(
      parametersIn(this.settings.formula, this.variables),
      readStarts(this.settings.starts) ?? [],
    ),
  );
  readonly model: TypedEnergy = $derived(
    typedEnergy(this.settings.formula, this.variables, this.starts, this.isBinary),
  );
  readonly #dataKey = $derived(`${this.settings.data}-${this.settings.rows}-${this.settings.seed}`);
  readonly #keptRows: Rows | undefined = $derived.by(() => {
    const { example, settings } = this;
    if (!example) return undefined;
    const kept = keptAnswer<Levels>(firstAnswers, drawSpec(example, settings.rows, settings.seed));
    const [numRows, dim] = [settings.rows, example.variables.length];
    return kept && { isBinary: false, dim, numRows, states: valuesOf(kept) };
  });
  /** The rows, once they are here. */
  readonly rows: Rows | undefined = $derived.by(() => {
    if (this.settings.data === 'own') return this.own.content?.rows;
    return this.#drawn?.key === this.#dataKey ? this.#drawn.rows : undefined;
  });
  /** Rows as they are shown: these, or until they are here the ones kept, in levels. */
  readonly rowsShown: Rows | undefined = $derived(this.rows ?? this.#keptRows);
  readonly window = $derived(this.rowsShown && windowOf(this.rowsShown));
  readonly radius = $derived(this.rows ? radiusFor(this.rows) : 1);
  /** What the parameters are in truth, where the energy is that of the data. */
  readonly truth: Readonly<Record<string, number>> | undefined = $derived(
    this.example && isSame(this.example.formula, this.settings.formula)
      ? this.example.truth
      : undefined,
  );
  /** log Z with its error, where the method finds it. */
  readonly logZ = $derived(this.result?.errors?.logZ);
  /** log Z in truth. */
  readonly trueLogZ = $derived(this.truth && this.example?.logZ);
  readonly estimates: readonly Estimate[] | undefined = $derived(this.result?.errors?.parameters);
  /** Correlations of the errors, in the order of `starts`. */
  readonly correlations = $derived(
    this.result?.errors &&
      correlationsOf(
        this.result.errors,
        this.starts.map(({ name }) => name),
      ),
  );
  /** What the intervals of the other fits should hold: the truth, or what all rows give. */
  readonly aims: Readonly<Record<string, number>> | undefined = $derived(
    this.truth ??
      (this.estimates &&
        Object.fromEntries(this.estimates.map(({ name, value }) => [name, value]))),
  );
  readonly coverages = $derived(
    this.repeats.length < 2 || !this.aims
      ? []
      : this.starts.map(({ name }) =>
          coverageOf(this.repeats, name, this.aims?.[name] ?? Number.NaN),
        ),
  );
  readonly canStart = $derived(
    !this.own.reading &&
      this.rowsShown !== undefined &&
      this.starts.length > 0 &&
      this.formulaProblem === '',
  );
  readonly numJobs = $derived(1 + this.settings.repeats);
  readonly numDone = $derived(this.result ? 1 + this.repeats.length : 0);
  readonly run = new RunSequence<Progress, Result>({
    next: () => this.#next(),
    share: () => ({ before: this.numDone / this.numJobs, job: 1 / this.numJobs }),
  });

  readonly #key = $derived(writeHash(fields, { ...this.settings, digest: '' }));
  readonly digest = $derived(this.result?.digest);
  readonly promisedDigest = $derived(this.#promise?.key === this.#key ? this.#promise.digest : '');
  readonly hash = $derived(writeHash(fields, { ...this.settings, digest: this.promisedDigest }));
  readonly #looking = new Alongside<{ model: TypedEnergy; rows: Rows }>(
    async ({ model, rows }, signal) => {
      const engine = await this.#engine.with(USUAL_WORKERS);
      const shown = await shownDensity(engine, model, rows, windowOf(rows));
      if (!signal.aborted) this.shown = { model, shown };
    },
    (error) => {
      this.viewProblem = describe(error).message;
    },
    { leastRest: prefersStill() ? 1000 : 60, rest: 1 },
  );

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash && this.rows) return;
    const { values, problems } = readHash(fields, hash);
    this.own.keepFor(values);
    const example = exampleOf(values.data);
    if (example && !suits(values.method, example.isBinary)) {
      const [usual = values.method] = methodsFor(example.isBinary);
      if (hash.includes('method=')) {
        problems.push(
          `The link's method does not go with its data; ${METHODS[usual].name.toLowerCase()} is used.`,
        );
      }
      values.method = usual;
    }
    // A link that names the data alone means their own energy.
    if (example && !/[#&]formula=/.test(hash)) {
      values.formula = example.formula;
      if (!/[#&]starts=/.test(hash)) values.starts = example.starts;
    }
    this.settings = { ...values, digest: '' };
    this.#promise = values.digest ? { key: this.#key, digest: values.digest } : undefined;
    this.linkProblems = problems;
    this.reset();
    this.#tryOut();
  }

  close(): void {
    this.own.close();
    this.reset();
    clearTimeout(this.#timer);
    this.#engine.close();
  }

  link(): string {
    const digest = this.digest?.slice(0, 16) ?? this.promisedDigest;
    return `${location.href.replace(/[?#].*$/, '')}${writeHash(fields, { ...this.settings, digest })}`;
  }

  /** Changes settings: what was fitted with the old ones goes. */
  change(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    this.own.forgetMismatch();
    this.reset();
    this.#tryOut();
  }

  changeStart(changed: Start): void {
    const starts = this.starts.map((start) => (start.name === changed.name ? changed : start));
    this.change({ starts: printStarts(starts) });
  }

  /** Goes over to other data, with the energy that suits them. */
  chooseData(data: ExampleId | 'own'): void {
    const chosen = data === 'own' ? this.own.content : EXAMPLES[data];
    const isBinary = data === 'own' ? this.own.content?.rows.isBinary : EXAMPLES[data].isBinary;
    const [method = this.settings.method] = methodsFor(isBinary ?? false);
    const keeps = suits(this.settings.method, isBinary ?? false);
    this.change({
      data,
      ...(chosen && { formula: chosen.formula, starts: chosen.starts }),
      ...(!keeps && { method }),
      file: this.own.idFor(data),
    });
  }

  /** Reads a table and goes over to it; on a bad one, everything but the message stays as it was. */
  async read(file: File): Promise<void> {
    try {
      await this.own.read(readOwnTable(file), (isPromised) => {
        // The file of a link is fitted as the link says.
        if (isPromised) this.change({});
        else this.chooseData('own');
      });
    } catch (error) {
      this.run.report(error);
    }
  }

  reset(): void {
    this.run.reset();
    this.#looking.cancel();
    this.result = undefined;
    this.repeats = [];
    this.#pending = { evaluations: [], objective: [] };
    this.course = this.#pending;
    this.shown = undefined;
    this.viewProblem = '';
    this.#otherRows = undefined;
  }

  async start(): Promise<void> {
    this.reset();
    await this.run.start();
  }

  async continue(): Promise<void> {
    await this.run.continue();
  }

  /** When changing pauses: draws the data, and tries the formula on some rows. */
  #tryOut(): void {
    clearTimeout(this.#timer);
    const serial = ++this.#serial;
    this.#timer = setTimeout(async () => {
      const mine = () => serial === this.#serial;
      try {
        const engine = await this.#engine.with(USUAL_WORKERS);
        if (mine()) await this.#draw(engine);
        if (mine()) await this.#try(engine, mine);
      } catch (error) {
        if (mine()) this.run.report(error);
      }
    }, PAUSE);
  }

  /** The rows; those of an example are drawn unless they are here. */
  async #draw(engine: Engine): Promise<Rows | undefined> {
    const { example } = this;
    if (this.rows || !example) return this.rows;
    const key = this.#dataKey;
    const rows = await drawn(engine, example, this.settings.rows, this.settings.seed);
    // Meanwhile they may have been drawn for another, or others be wanted.
    if (this.#drawn?.key === key) return this.#drawn.rows;
    if (this.#dataKey === key) this.#drawn = { key, rows };
    return rows;
  }

  async #try(engine: Engine, mine: () => boolean): Promise<void> {
    const { rows, model, example } = this;
    if (!rows) return;
    let problem = '';
    try {
      const states = asNumbers(rows).slice(0, NUM_TRIED * rows.dim);
      const { energies } = await engine.energies({ model, states });
      const row = energies.findIndex((energy) => !Number.isFinite(energy));
      if (row >= 0)
        problem = `At the parameters to start from, the energy of row ${row + 1} is not finite.`;
      else if (this.starts.length === 0)
        problem = 'There is nothing to fit: name a parameter, such as a in a*x^2.';
    } catch (error) {
      if (!(error instanceof UnnormError && error.code.startsWith('invalid'))) throw error;
      problem = error.message.replace(/^model\.(expression|params\S*):\s*/, '');
    }
    if (!mine()) return;
    this.formulaProblem = problem;
    if (example && this.truthShown?.rows !== rows) {
      const shown = await shownDensity(engine, example.source.model, rows, windowOf(rows));
      if (mine()) this.truthShown = { rows, shown };
    }
  }

  /** The fit to the data; then those to others, one after another. */
  #next(): Launch<Progress, Result> | undefined {
    const { model } = this;
    const { method, seed, repeats } = this.settings;
    if (!this.result) {
      let rows: Rows;
      return {
        engine: async () => {
          const engine = await this.#engine.with(USUAL_WORKERS);
          const found = await this.#draw(engine);
          if (!found) throw new Error('There are no rows to fit to.');
          rows = found;
          return engine;
        },
        job: (engine, options) =>
          engine.fit(fitSpec(model, rows, method, radiusFor(rows), seed), options),
        onProgress: ({ numEvaluations, objective, model: fitted, done }) => {
          if (numEvaluations <= (this.#pending.evaluations.at(-1) ?? 0)) return;
          this.#pending.evaluations.push(numEvaluations);
          this.#pending.objective.push(objective);
          if (!done) this.#looking.offer({ model: fitted as TypedEnergy, rows });
        },
        onShow: () => {
          this.course = { ...this.#pending };
        },
        onResult: (result, seconds) => {
          this.result = result;
          this.seconds = seconds;
          this.#looking.offer({ model: result.model as TypedEnergy, rows });
        },
      };
    }
    const done = this.repeats.length;
    const { rows, radius } = this;
    if (done >= repeats || !this.aims || !rows) return undefined;
    return {
      engine: async () => {
        const engine = await this.#engine.with(USUAL_WORKERS);
        this.#otherRows = await this.#drawOther(engine, rows, done + 1);
        return engine;
      },
      job: (engine, options) =>
        engine.fit(fitSpec(model, this.#otherRows ?? rows, method, radius, seed), options),
      onProgress: () => {},
      onResult: (result) => {
        this.repeats = [...this.repeats, repeatOf(result)];
      },
    };
  }

  /** Other data: new draws where the truth is known, else these rows resampled. */
  async #drawOther(engine: Engine, rows: Rows, n: number): Promise<Rows> {
    const { example, truth, settings } = this;
    if (!example || !truth) return resampled(rows, settings.seed, n);
    return drawn(engine, example, settings.rows, settings.seed + n);
  }
}

/** Whether two formulas are the same but for blanks. */
function isSame(a: string, b: string): boolean {
  return a.replace(/\s/g, '') === b.replace(/\s/g, '');
}
