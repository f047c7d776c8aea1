import type {
  ContinuousResult,
  EnergiesResult,
  ExactResult,
  FitProgress,
  FitResult,
  LogZResult,
} from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import type { Launch } from '../../frame/run.svelte.js';
import { RunSequence } from '../../frame/run-sequence.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { priorDraws } from '../../lib/prior-draws.js';
import { normals } from '../../lib/random-models.js';
import { keyOfPatches } from '../../patches/choice.js';
import { hasFiniteZ, NO_FINITE_Z } from '../../patches/finite-z.js';
import { OwnPictures } from '../../patches/own-pictures.svelte.js';
import { greyScaleOf, type Prepared } from '../../patches/patches.js';
import { Preparation } from '../../patches/preparation.svelte.js';
import { CONTESTANTS, type ContestantId } from './contestants.js';
import { digestsOf, type Entry, newEntry, withFit, withProgress } from './entry.js';
import { annealingsOf, NUM_SAMPLES, noiseSeed } from './plan.js';
import {
  agreeing,
  fields,
  ofTheContest,
  ofThePatches,
  PRESETS,
  type PresetId,
  presetOf,
  type Settings,
  USUAL_COMPONENTS,
} from './settings.js';
import { checksOf, favourOf, rankingOf, type Standing, standingOf } from './standing.js';
import { type AnyProgress, begin, type Outcome, type Step, stepsOf } from './steps.js';
import { keptTestPatches, type TestPatches, testPatchesOf } from './test-patches.js';

/** Least milliseconds between two reports of a training, of which its curve is made; of other jobs; and between pictures. */
const CURVE_INTERVAL = 20;
const REPORT_INTERVAL = 150;
const SHOW_INTERVAL = 150;
const CALM_INTERVAL = 1000;
const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;

/** What a contest is of. */
interface Ran {
  settings: Settings;
  /** Undefined while they are still being cut. */
  prepared: Prepared | undefined;
  steps: readonly Step[];
}

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class ModelContest {
  settings = $state<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly #holder = new EngineHolder();
  readonly #engine = () => this.#holder.with(this.numWorkers);
  /** What each contestant of the contest on the page has come to. */
  #entries = $state.raw<Partial<Record<ContestantId, Entry>>>({});
  #ran = $state.raw<Ran>();
  #numDone = $state(0);
  #digest = $state('');
  #promise = $state.raw<{ key: string; digest: string }>();
  readonly run = new RunSequence<AnyProgress, Outcome>({
    next: () => this.#next(),
    share: () => this.#share,
  });
  readonly #report = (error: unknown) => this.run.report(error);
  /** Pictures that were dropped. */
  readonly own = new OwnPictures((own) => this.change({ source: 'own', own }), this.#report);
  readonly preparation = new Preparation(
    this.#engine,
    (choice) => this.own.chosenBy(choice),
    this.#report,
  );

  readonly #key = $derived(writeHash(fields, ofTheContest(this.settings)));
  /** The newest patches, and whether they are those of the settings. */
  readonly prepared = $derived(this.preparation.prepared);
  readonly isPrepared = $derived(this.prepared?.key === keyOfPatches(ofThePatches(this.settings)));
  readonly hasPictures = $derived(this.own.has(this.settings));
  readonly preset = $derived(presetOf(this.settings));
  /** Patches that are still being cut are waited for. */
  readonly canStart = $derived(
    (this.isPrepared || this.preparation.isUnderWay) && this.settings.contestants.length > 0,
  );
  /** What the contest on the page is of, or the one to come. */
  readonly setting = $derived(this.#ran?.settings ?? this.settings);
  readonly setup = $derived(this.#ran?.prepared ?? this.prepared);
  readonly greyScale = $derived(this.setup && greyScaleOf(this.setup));
  /** What of the patches is shown first: of them, or of those kept. */
  readonly testPatches: TestPatches | undefined = $derived(
    this.setup
      ? testPatchesOf(this.setup)
      : keptTestPatches(keyOfPatches(ofThePatches(this.settings))),
  );
  readonly dim = $derived(this.setup?.result.transform.scales.length ?? this.setting.components);
  /** Whether the contest on the page is one of the settings on the page. */
  readonly isCurrent = $derived(
    this.#ran !== undefined && writeHash(fields, ofTheContest(this.#ran.settings)) === this.#key,
  );
  readonly canContinue = $derived(
    this.isCurrent &&
      (this.run.status === 'stopped' || (this.run.status === 'failed' && this.run.run.canContinue)),
  );
  /** The step that is under way. */
  readonly now = $derived(
    this.run.busy || this.run.status === 'stopped' ? this.#ran?.steps[this.#numDone] : undefined,
  );
  readonly numSteps = $derived(this.#ran?.steps.length ?? 0);
  readonly numDone = $derived(this.#numDone);

  /** Everybody who takes part, or took part in the contest on the page. */
  readonly contestants = $derived(
    CONTESTANTS.filter(({ id }) => this.setting.contestants.includes(id)),
  );
  readonly standings: readonly Standing[] = $derived.by(() => {
    const { setup, setting, dim } = this;
    return this.contestants.map((contestant) => {
      const entry = this.#entries[contestant.id] ?? newEntry(contestant);
      const test = setup?.result.testStates ?? new Float64Array();
      const nums = annealingsOf(contestant, setting).map(
        ({ numDistributions }) => numDistributions,
      );
      return standingOf(entry, test, dim, nums);
    });
  });
  readonly ranking = $derived(rankingOf(this.standings));
  readonly favour = $derived(favourOf(this.standings));
  readonly checks = $derived(
    this.setup ? checksOf(this.standings, this.setup.result.testStates, this.dim) : [],
  );
  /** The mean log likelihood under a standard normal distribution, which whitening leaves. */
  readonly normal = $derived(this.testPatches?.normal);

  /** The digest, while the settings are still those of the result. */
  readonly digest = $derived(this.isCurrent && this.#digest ? this.#digest : undefined);
  readonly promisedDigest = $derived(this.#promise?.key === this.#key ? this.#promise.digest : '');
  readonly hash = $derived(this.#hashWith(this.promisedDigest));

  /** The part that is done, and that of the present job, by what the steps cost. */
  readonly #share = $derived.by(() => {
    const steps = this.#ran?.steps;
    if (!steps) return undefined;
    const costOf = (some: readonly Step[]) => some.reduce((sum, { cost }) => sum + cost, 0);
    const total = costOf(steps);
    return {
      before: costOf(steps.slice(0, this.#numDone)) / total,
      job: (steps[this.#numDone]?.cost ?? 0) / total,
    };
  });

  /** Takes over the settings of an address. */
  open(hash: string): void {
    const { values, problems } = readHash(fields, hash);
    const given = new URLSearchParams(hash.replace(/^#/, ''));
    if (!given.has('components')) values.components = USUAL_COMPONENTS[values.side];
    const settings = agreeing(values);
    for (const name of ['components', 'patches'] as const) {
      if (given.has(name) && settings[name] !== values[name])
        problems.push(
          `What the link says of ${name} does not go with the rest of it; ${settings[name]} is used.`,
        );
    }
    this.#forget();
    this.settings = { ...settings, digest: '' };
    const key = writeHash(fields, ofTheContest(settings));
    this.#promise = values.digest ? { key, digest: values.digest } : undefined;
    this.linkProblems = problems;
    this.#prepare();
  }

  /** Changes settings; what does not go with them any more is brought into line. */
  change(changes: Partial<Settings>): void {
    this.settings = agreeing({ ...$state.snapshot(this.settings), ...changes } as Settings);
    this.#prepare();
  }

  choosePreset(id: PresetId): void {
    this.change(PRESETS[id]);
  }

  /** The link of what is on the page, with the digest if there is one: whoever opens it can compare. */
  link(): string {
    return `${location.href.replace(/#.*$/, '')}${this.#hashWith(this.digest?.slice(0, 16) ?? this.promisedDigest)}`;
  }

  async start(): Promise<void> {
    const prepared = this.isPrepared ? this.prepared : undefined;
    this.#forget();
    const settings = $state.snapshot(this.settings) as Settings;
    const contestants = CONTESTANTS.filter(({ id }) => settings.contestants.includes(id));
    this.#ran = { settings, prepared, steps: stepsOf(contestants, settings) };
    this.#entries = Object.fromEntries(contestants.map((each) => [each.id, newEntry(each)]));
    await this.run.start();
    // Stopped before there was anything.
    if (this.run.status === 'idle') this.#forget();
  }

  continue(): Promise<void> {
    return this.run.continue();
  }

  close(): void {
    this.preparation.cancel();
    this.run.reset();
    this.#holder.close();
  }

  /** The next job, of a contestant that is still in. */
  #next(): Launch<AnyProgress, Outcome> | undefined {
    const ran = this.#ran;
    if (!ran) return undefined;
    while (this.#entryOf(ran.steps[this.#numDone])?.failure !== undefined) this.#numDone++;
    const step = ran.steps[this.#numDone];
    const entry = this.#entryOf(step);
    if (!step || !entry) {
      void this.#sum(ran);
      return undefined;
    }
    let newest = entry;
    let prepared: Prepared;
    return {
      engine: async () => {
        prepared = this.#ran?.prepared ?? (await this.preparation.ready());
        return this.#engine();
      },
      job: (engine, options) => {
        if (this.#ran && !this.#ran.prepared) this.#ran = { ...this.#ran, prepared };
        return begin(engine, step, entry, ran.settings, prepared.result, options);
      },
      progressInterval: step.kind === 'fit' ? CURVE_INTERVAL : REPORT_INTERVAL,
      onProgress: (progress) => {
        if (step.kind === 'fit') newest = withProgress(newest, progress as unknown as FitProgress);
      },
      onShow: () => {
        if (newest !== entry) this.#put(newest);
      },
      showInterval: isStill ? CALM_INTERVAL : SHOW_INTERVAL,
      onResult: (outcome, seconds) => {
        this.#put(
          'failure' in outcome
            ? { ...newest, failure: wordsOf(outcome.failure) }
            : this.#withResult(newest, step, outcome.result, seconds),
        );
        this.#numDone++;
      },
    };
  }

  #withResult(entry: Entry, step: Step, result: unknown, seconds: number): Entry {
    const judging = { judgingSeconds: entry.judgingSeconds + seconds };
    switch (step.kind) {
      case 'fit': {
        const fitted = withFit(entry, result as FitResult);
        // It would be sampled and annealed to without end.
        if (fitted.model && !hasFiniteZ(fitted.model))
          return { ...fitted, trainingSeconds: seconds, failure: NO_FINITE_Z };
        return { ...fitted, samples: this.#drawn(fitted), trainingSeconds: seconds };
      }
      case 'exact':
        return { ...entry, ...judging, exact: result as ExactResult };
      case 'energies':
        return { ...entry, ...judging, energies: (result as EnergiesResult).energies };
      case 'samples':
        return { ...entry, samples: (result as ContinuousResult).draws.values };
      case 'logZ':
        return { ...entry, ...judging, annealed: [...entry.annealed, result as LogZResult] };
      case 'zero':
        return { ...entry, zero: result as LogZResult };
      case 'loss':
        return { ...entry, ...judging, loss: result as LogZResult };
    }
  }

  /** What a generative model draws by itself. */
  #drawn({ contestant, model }: Entry): Float64Array | undefined {
    if (model?.kind !== 'linearGenerative' && model?.kind !== 'bilinearGenerative')
      return undefined;
    const normal = normals(noiseSeed(contestant, this.setting) + 1);
    const { noise = 0.1 } = model;
    return priorDraws({ ...model, noise }, this.dim, NUM_SAMPLES, normal);
  }

  #entryOf(step: Step | undefined): Entry | undefined {
    return step && this.#entries[step.id];
  }

  #put(entry: Entry): void {
    this.#entries = { ...this.#entries, [entry.contestant.id]: entry };
  }

  /** The digest of all results together. */
  async #sum(ran: Ran): Promise<void> {
    // Only pages served over https or from this machine have SHA-256.
    if (!globalThis.crypto?.subtle || !ran.prepared) return;
    const digests = CONTESTANTS.flatMap(({ id }) => {
      const entry = this.#entries[id];
      return entry ? digestsOf(entry) : [];
    });
    const text = new TextEncoder().encode([ran.prepared.result.digest, ...digests].join('\n'));
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
    if (this.#ran !== ran) return;
    this.#digest = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  }

  #prepare(): void {
    if (!this.hasPictures) this.preparation.cancel();
    else this.preparation.want(ofThePatches($state.snapshot(this.settings) as Settings));
  }

  #forget(): void {
    this.run.reset();
    this.#ran = undefined;
    this.#entries = {};
    this.#numDone = 0;
    this.#digest = '';
  }

  #hashWith(digest: string): string {
    const { photographs } = fields;
    const { source } = this.settings;
    const idle = source === 'own' ? { photographs: photographs.initial } : { own: '' };
    return writeHash(fields, { ...this.settings, ...idle, digest });
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
