import type { Engine, JobHandle, LogZProgress, LogZResult, PathSpec, RunOptions } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { prefersStill } from '../../frame/playhead.svelte.js';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { type Digits, loadDigits } from '../../lib/digits.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { type Frame, frameOf, NUM_STAGES, newFilm } from './film.js';
import {
  annealingSpec,
  knotsSpec,
  referenceOf,
  rowsOf,
  type Step,
  secondsOf,
  trainingSpec,
} from './jobs.js';
import { type RunMade, runMade } from './run-made.js';
import {
  type ByPath,
  fields,
  PATHS,
  type PathId,
  type Settings,
  sameKnots,
  sameMachine,
} from './settings.js';
import { type Machine, type Way, wayOf } from './way.js';

/** Milliseconds between two pictures of a run, and where little motion is wanted. */
const SHOW_INTERVAL = 60;
const CALM_INTERVAL = 1500;

const NO_FRAMES: ByPath<readonly Frame[]> = { geometric: [], moments: [] };

/** A machine whose log Z is known. */
interface Trained {
  settings: Settings;
  machine: Machine;
  /** Of the machine, by enumeration; undefined until that is done. */
  exact: { logZ: number; heldOut: number } | undefined;
}

/** The knots of averages of moments. */
interface Knots {
  settings: Settings;
  path: PathSpec;
  /** The largest difference of a moment from the average. */
  mismatch: number;
}

/** A report of any job. */
type AnyProgress = { fraction: number };

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class DigitsLogZ {
  settings = $state.raw<Settings>(settingsIn('').settings);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  digits = $state.raw<Digits>();
  /** Chains on their way along both paths. */
  frames = $state.raw<ByPath<readonly Frame[]>>(NO_FRAMES);
  /** Every run that is done, also with other settings, in order. */
  made = $state.raw<readonly RunMade[]>([]);
  /** The runs with these settings, as they are done. */
  latest = $state.raw<Partial<Record<PathId, RunMade>>>({});
  readonly run = new RunSequence<AnyProgress, unknown>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  #trained = $state.raw<Trained>();
  #knots = $state.raw<Knots>();
  /** What this run has to do, and how much of it is done. */
  #steps = $state.raw<readonly Step[]>([]);
  #numDone = $state(0);
  readonly #films = { geometric: newFilm(), moments: newFilm() };
  /** The digest that the link promised, until a setting is changed. */
  #promise = $state('');
  readonly #engine = new EngineHolder();

  /** The machine of these settings, once it is there. */
  readonly trained = $derived(
    this.#trained && sameMachine(this.#trained.settings, this.settings) ? this.#trained : undefined,
  );
  readonly knots = $derived(
    this.trained && this.#knots && sameKnots(this.#knots.settings, this.settings)
      ? this.#knots
      : undefined,
  );
  /** The paths through the parameters, as far as they are known. */
  readonly ways: ByPath<Way | undefined> = $derived.by(() => {
    const { trained, digits, knots, settings } = this;
    const way = (path: PathSpec | undefined) =>
      trained && digits && path && wayOf(trained.machine, referenceOf(settings, digits), path);
    return { geometric: way({ kind: 'geometric' }), moments: way(knots?.path) };
  });
  /** The job under way, of so many. */
  readonly step = $derived(this.#steps[this.#numDone]);
  readonly numSteps = $derived(this.#steps.length);
  readonly numDone = $derived(this.#numDone);
  /** Of the run along averages of moments, which depends on the machine and the knots. */
  readonly digest = $derived(this.latest.moments?.result.digest);
  readonly promisedDigest = $derived(this.#promise);
  readonly hash = $derived(writeHash(fields, { ...this.settings, digest: this.#promise }));

  readonly #share = $derived.by(() => {
    const seconds = this.#steps.map((step) => secondsOf(step, this.settings));
    const sum = (some: readonly number[]) => some.reduce((total, one) => total + one, 0);
    const total = sum(seconds);
    const before = sum(seconds.slice(0, this.#numDone));
    return total > 0
      ? { before: before / total, job: (seconds[this.#numDone] ?? 0) / total }
      : undefined;
  });

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash) return;
    const { settings, digest, problems } = settingsIn(hash);
    this.change(settings);
    this.#promise = digest;
    this.linkProblems = problems;
  }

  close(): void {
    this.reset();
    this.#engine.close();
  }

  /** The link of what is on the page, with the digest if there is one: whoever opens it can compare. */
  link(): string {
    const digest = this.digest?.slice(0, 16) ?? this.#promise;
    return `${location.href.replace(/[?#].*$/, '')}${writeHash(fields, { ...this.settings, digest })}`;
  }

  /** Changes settings. Runs that are done stay in the table. */
  change(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    this.#promise = '';
    this.reset();
  }

  reset(): void {
    this.run.reset();
    for (const { id } of PATHS) this.#films[id].clear();
    this.frames = NO_FRAMES;
    this.latest = {};
    this.#steps = [];
    this.#numDone = 0;
  }

  forget(): void {
    this.made = [];
  }

  start(): Promise<void> {
    this.reset();
    this.#steps = [
      ...(this.trained?.exact ? [] : (['fit', 'exact'] as const)),
      'geometric',
      ...(this.knots ? [] : (['knots'] as const)),
      'moments',
    ];
    return this.run.start();
  }

  continue(): Promise<void> {
    return this.run.continue();
  }

  /** The next job: the machine and its log Z, then annealing along either path; averages of moments need knots. */
  #next(): Launch<AnyProgress, unknown> | undefined {
    const { settings, step } = this;
    if (!step) return undefined;
    switch (step) {
      case 'fit':
        return this.#launch(
          (engine, digits, options) => {
            const data = { kind: 'bits', ...rowsOf(digits) } as const;
            return engine.fit({ ...trainingSpec(settings), data }, options);
          },
          ({ model }) => {
            this.#trained = { settings, machine: model, exact: undefined };
          },
        );
      case 'exact':
        return this.#launch(
          (engine, digits, options) => {
            const data = { kind: 'bits', ...digits.heldOut } as const;
            return engine.exact({ model: this.#machine(), data }, options);
          },
          ({ logZ, logLikelihood = Number.NaN }) => {
            this.#trained = {
              settings,
              machine: this.#machine(),
              exact: { logZ, heldOut: logLikelihood },
            };
          },
        );
      case 'knots':
        return this.#launch(
          (engine, digits, options) => {
            const reference = referenceOf(settings, digits);
            return engine.spline(
              { model: this.#machine(), reference, ...knotsSpec(settings) },
              options,
            );
          },
          ({ path, knots }) => {
            const mismatch = Math.max(...knots.map((knot) => knot.mismatch.max));
            this.#knots = { settings, path, mismatch };
          },
        );
      default:
        return this.#annealing(step);
    }
  }

  #annealing(path: PathId): Launch<AnyProgress, unknown> {
    const { settings } = this;
    const launch = this.#launch<LogZProgress, LogZResult>(
      (engine, digits, options) => {
        const spec = {
          model: this.#machine(),
          reference: referenceOf(settings, digits),
          path:
            path === 'moments' && this.knots ? this.knots.path : ({ kind: 'geometric' } as const),
          ...annealingSpec(settings),
          // Stages only tell where chains are: nothing is resampled below a threshold of 0, and every number stays.
          resampling: { threshold: 0, numStages: NUM_STAGES },
        };
        return engine.logZ(spec, { ...options, streamDraws: true });
      },
      (result, seconds) => {
        const exact = this.trained?.exact?.logZ ?? Number.NaN;
        const one = runMade(settings, path, result, seconds, exact);
        this.latest = { ...this.latest, [path]: one };
        this.made = [...this.made.filter(({ id }) => id !== one.id), one];
      },
    );
    return {
      ...launch,
      // Every round: most runs are over in a few seconds, and are looked at afterwards.
      progressInterval: 0,
      onProgress: (progress) => this.#keep(path, progress as LogZProgress),
      onShow: () => this.#show(),
      showInterval: prefersStill() ? CALM_INTERVAL : SHOW_INTERVAL,
    };
  }

  /** A job that needs the digits; they come with the first. */
  #launch<P extends AnyProgress, R>(
    job: (engine: Engine, digits: Digits, options: RunOptions<AnyProgress>) => JobHandle<P, R>,
    onResult: (result: R, seconds: number) => void,
  ): Launch<AnyProgress, unknown> {
    return {
      engine: async () => {
        this.digits ??= await loadDigits();
        return this.#engine.with(USUAL_WORKERS);
      },
      job: (engine, options) => {
        if (!this.digits) throw new Error('There are no digits yet.');
        return job(engine, this.digits, options) as unknown as JobHandle<AnyProgress, unknown>;
      },
      onProgress: () => {},
      onResult: (result, seconds) => {
        onResult(result as R, seconds);
        this.#show();
        this.#numDone++;
      },
    };
  }

  #machine(): Machine {
    if (!this.trained) throw new Error('There is no machine yet.');
    return this.trained.machine;
  }

  #keep(path: PathId, { phase, beta, states }: LogZProgress): void {
    if (phase !== 'forward' || !states?.length) return;
    const step = Math.round(beta * this.settings.distributions);
    this.#films[path].add(frameOf(step, beta, states));
  }

  #show(): void {
    this.frames = { geometric: this.#films.geometric.list(), moments: this.#films.moments.list() };
  }
}

function settingsIn(hash: string): { settings: Settings; digest: string; problems: string[] } {
  const { values, problems } = readHash(fields, hash);
  const { digest, ...settings } = values;
  return { settings, digest, problems };
}
