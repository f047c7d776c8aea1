import type { DataSpec, Engine, FitProgress, FitResult, FitSpec, JobHandle } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import type { Entry } from '../../frame/run-group.svelte.js';
import { RunGroup } from '../../frame/run-group.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { type CouplingErrors, couplingErrors } from '../../lib/coupling-errors.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { firstRows, type PackedRows } from '../../lib/packed-rows.js';
import { loadGlassRows, loadTrueCouplings, loadTrueMoments } from '../../lib/spin-glass.js';
import { Correlations } from './correlations.svelte.js';
import { type Course, EMPTY, extend } from './course.js';
import { METHOD_IDS, METHODS, type MethodId, methodSpec } from './methods.js';
import { fields, type Settings } from './settings.js';
import type { Standing } from './standing.js';

type Progress = FitProgress<'ising'>;
type Result = FitResult<'ising'>;

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class IsingRace {
  settings = $state<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly group = new RunGroup<MethodId, Progress, Result>(METHOD_IDS);
  #courses = $state.raw<Partial<Record<MethodId, Course>>>({});
  #glass = $state.raw<PackedRows>();
  /** The couplings that the samples were drawn from; they come long before those. */
  truth = $state.raw<Float64Array>();
  /** Both on their way, or here. */
  #loading: Promise<void> | undefined;
  /** The settings of the race that is on the page. */
  #ran = $state.raw<Settings>();
  readonly #engine = new EngineHolder();
  readonly correlations = new Correlations({
    engine: () => this.#engine.with(this.numWorkers),
    rows: () => this.#hereRows(),
    trueMoments: loadTrueMoments,
    seed: () => this.settings.seed,
  });

  readonly rows: PackedRows | undefined = $derived(
    this.#glass && firstRows(this.#glass, this.settings.rows),
  );
  /** Whether the race on the page is one of the settings on the page. */
  readonly isCurrent = $derived(
    this.#ran !== undefined && keyOf(this.#ran) === keyOf(this.settings),
  );
  readonly canContinue = $derived(this.group.canContinue && this.isCurrent);
  readonly hash = $derived(writeHash(fields, this.settings));

  /** Every method that takes part, or took part in the race on the page, and how it stands. */
  readonly standings: readonly Standing[] = $derived.by(() => {
    const members = this.#ran ? this.group.members : this.settings.methods;
    return METHODS.filter(({ id }) => members.includes(id)).map((method): Standing => {
      const { status, seconds, progress, result, error, fraction } = this.group.runs[method.id];
      const course = this.#courses[method.id] ?? EMPTY;
      return {
        method,
        status,
        seconds,
        fraction,
        course,
        errors: course.errors.at(-1),
        objective: (result ?? progress)?.objective,
        numEvaluations: (result ?? progress)?.numEvaluations,
        converged: result?.converged,
        stopReason: result?.stopReason,
        warnings: result?.warnings ?? [],
        digest: result?.digest,
        message: status === 'failed' ? error?.message : undefined,
        learned: couplingsOf(result ?? progress),
      };
    });
  });

  /** Fetches the spin glass; after a failure, again. */
  load(): Promise<void> {
    const couplings = loadTrueCouplings().then((values) => {
      this.truth = values;
    });
    const rows = loadGlassRows().then((values) => {
      this.#glass = values;
    });
    const loading = Promise.all([couplings, rows]).then(() => {});
    this.#loading = loading;
    loading.catch((error) => {
      this.#loading = undefined;
      this.group.report(error);
    });
    return loading.catch(() => {});
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    const { values, problems } = readHash(fields, hash);
    this.group.reset();
    this.correlations.reset();
    this.#courses = {};
    this.#ran = undefined;
    this.settings = values;
    this.linkProblems = problems;
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  start(): Promise<void> {
    const entries = this.#entries();
    this.correlations.reset();
    this.#courses = {};
    this.#ran = $state.snapshot(this.settings);
    return this.group.start(entries, this.settings.order === 'together');
  }

  continue(): Promise<void> {
    return this.group.continue(this.#entries(), this.settings.order === 'together');
  }

  close(): void {
    this.group.reset();
    this.correlations.reset();
    this.#engine.close();
  }

  #entries(): Entry<MethodId, Progress, Result>[] {
    // While it starts and runs, the settings cannot be changed, and so neither can the rows.
    const rows = () => this.#hereRows();
    const settings = $state.snapshot(this.settings);
    const slow = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return settings.methods.map((name) => ({
      name,
      launch: {
        engine: async () => {
          const coming = this.#engine.with(this.numWorkers);
          coming.catch(() => {});
          if (!this.rows || !this.truth) await (this.#loading ?? this.load());
          const engine = await coming;
          await warmUp(engine, name, settings, rows());
          return engine;
        },
        job: (engine, options): JobHandle<Progress, Result> =>
          engine.fit(
            { ...raceSpec(name, settings, rows().dim), data: { kind: 'bits', ...rows() } },
            options,
          ),
        onProgress: (progress, seconds) => this.#record(name, progress, seconds),
        onResult: (result, seconds) => this.#record(name, result, seconds),
        // What the pictures take is taken from the methods: as little as still looks alive.
        progressInterval: slow ? 1000 : intervalOf(name, settings),
      },
    }));
  }

  #hereRows(): PackedRows {
    if (!this.rows) throw new Error('The data are not here.');
    return this.rows;
  }

  #record(name: MethodId, report: Progress | Result, seconds: number): void {
    const learned = couplingsOf(report);
    if (!learned || !this.truth || (report.numEvaluations === 0 && name !== 'tap')) return;
    this.correlations.record(name, seconds, learned);
    const errors: CouplingErrors = couplingErrors(learned, this.truth);
    this.#courses = {
      ...this.#courses,
      [name]: extend(this.#courses[name] ?? EMPTY, seconds, errors),
    };
  }
}

const WARM_UP_ROWS = 100;

/**
 * A small fit by the same method before its clock starts, so that loading and compiling the code for it is nobody's
 * handicap. What it finds, even that it fails, does not count.
 */
async function warmUp(
  engine: Engine,
  name: MethodId,
  settings: Settings,
  rows: PackedRows,
): Promise<void> {
  const spec = raceSpec(name, { ...settings, numEpochs: 1 }, rows.dim);
  const data: DataSpec = { kind: 'bits', ...firstRows(rows, WARM_UP_ROWS) };
  await engine.fit({ ...spec, data }).result.catch(() => {});
}

/** Least milliseconds between reports: methods of few long steps report each, so that their curves have points. */
function intervalOf(name: MethodId, { order }: Settings): number {
  if (order === 'together') return 150;
  return METHODS.find(({ id }) => id === name)?.counts === 'updates' ? 60 : 15;
}

type IsingFitSpec = FitSpec & { model: { kind: 'ising' } };

/** All of a method's job but the data. */
export function raceSpec(
  id: MethodId,
  settings: Settings,
  dim: number,
): Omit<IsingFitSpec, 'data'> {
  return {
    model: { kind: 'ising', dim, pattern: { kind: 'dense' } },
    ...methodSpec(id, settings),
    seed: settings.seed,
  };
}

function couplingsOf(report: Progress | Result | undefined): Float64Array | undefined {
  const couplings = report?.model.couplings;
  return (
    couplings && (couplings instanceof Float64Array ? couplings : Float64Array.from(couplings))
  );
}

/** What of the settings the race depends on; the choice of the error is one of looking at it. */
function keyOf(settings: Settings): string {
  return writeHash(fields, { ...settings, error: fields.error.initial });
}
