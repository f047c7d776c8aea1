import type { Engine, FitProgress, FitResult } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { Playhead } from '../../frame/playhead.svelte.js';
import { Replay } from '../../frame/replay.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { real } from '../../lib/format.js';
import { t } from '../../lib/language.js';
import { ProbabilityFlow } from '../../lib/probability-flow.js';
import { type Checks, checksOf } from './checks.js';
import { type Counts, exampleCounts, isCount, readCounts, writeCounts } from './data.js';
import { couplingsOf } from './models.js';
import { fields, type Settings, SPINS } from './settings.js';
import { fitSpec } from './specs.js';
import { type FlowStep, isWithinReach, stepOf } from './steps.js';
import { TimeAxis } from './time-axis.js';

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class Flow {
  settings = $state.raw<Settings>(settingsIn('').settings);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly run = new Run<FitProgress<'ising'>, FitResult<'ising'>>();
  readonly replay = new Replay<FlowStep>(
    ({ couplings }) => couplings.byteLength,
    ({ objective }) => `K = ${real(objective, 5)}`,
  );
  /** How far along the axis of time the pictures are. */
  readonly playhead = new Playhead();
  checks = $state.raw<Checks>();
  /** What came in the way of the checks, in the engine's own words. */
  checkProblem = $state('');
  /** Whether the fit went on to couplings with which nothing can be drawn. */
  isBeyond = $state(false);
  readonly #engine = new EngineHolder();

  readonly dim = $derived(this.settings.spins);
  readonly counts: Counts = $derived.by(
    () => readCounts(this.settings.data, this.dim) ?? exampleCounts(this.dim),
  );
  readonly numRows = $derived(this.counts.reduce((sum, count) => sum + count, 0));
  /** p⁽⁰⁾ */
  readonly start = $derived(Float64Array.from(this.counts, (count) => count / this.numRows));
  readonly couplings = $derived.by(() => couplingsOf(this.settings));
  readonly allFlips = $derived(this.settings.connectivity === 'singleAndAllFlips');
  readonly excludeData = $derived(this.settings.between === 'out');
  /** Under the couplings of the settings. */
  readonly given = $derived.by(
    () => new ProbabilityFlow(this.couplings, this.dim, this.start, this.allFlips),
  );
  /** The step of the fit on the page; none before there is a fit. */
  readonly step = $derived(this.replay.shown);
  /** Under the couplings on the page: those given, or those of the step of the fit. */
  readonly flow = $derived.by(() => {
    if (!this.step) return this.given;
    return new ProbabilityFlow(this.step.couplings, this.dim, this.start, this.allFlips);
  });
  /** That of the couplings given, also when others are shown, so that the same moment is the same time. */
  readonly axis = $derived.by(() => new TimeAxis(this.given));
  readonly t = $derived.by(() => this.axis.timeAt(this.playhead.share));
  /** p⁽ᵗ⁾ */
  readonly now = $derived.by(() => this.flow.after(this.t));
  readonly hash = $derived.by(() =>
    writeHash(fields, {
      ...this.settings,
      data: writeCounts(this.counts),
      moment: Math.round(1000 * this.playhead.share),
    }),
  );

  constructor() {
    this.playhead.goTo(0);
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash) return;
    const { settings, moment, problems } = settingsIn(hash);
    this.#forget();
    this.settings = settings;
    this.linkProblems = problems;
    this.playhead.goTo(moment / 1000);
  }

  close(): void {
    this.#forget();
    this.#engine.close();
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes the model or what is learned: the fit is no longer that of the settings. */
  change(settings: Partial<Settings>): void {
    this.#forget();
    this.settings = { ...this.settings, ...settings };
  }

  /** Other spins need other data, and perhaps another model. */
  changeSpins(spins: number): void {
    const isOwn = this.settings.model === 'own';
    const model = isOwn && spins > SPINS.mostOwn ? 'ferromagnet' : this.settings.model;
    this.change({ spins, model, data: '' });
  }

  /** Sets the number of rows of a state. Some state always is data: the last one stays. */
  setCount(state: number, count: number): void {
    if (!isCount(count)) return;
    const counts = this.counts.map((old, n) => (n === state ? count : old));
    if (counts.some((value) => value > 0)) this.change({ data: writeCounts(counts) });
  }

  launch(): Promise<void> {
    this.#forget();
    return this.run.start(this.#launch());
  }

  continue(): Promise<void> {
    return this.run.continue(this.#launch());
  }

  #launch(): Launch<FitProgress<'ising'>, FitResult<'ising'>> {
    const { settings, counts } = this;
    return {
      engine: () => this.engine(),
      // A fit of this size would be over between two reports: with this every step is reported.
      job: (engine, options) =>
        engine.fit(fitSpec(settings, counts), { ...options, streamDraws: true }),
      onProgress: (progress) => this.#record(progress),
      onShow: () => this.replay.publish(),
      onResult: (result) => {
        this.#record(result);
        this.replay.publish();
        void this.#check(settings, counts, result);
      },
    };
  }

  /** One worker: there is little to compute. */
  engine(): Promise<Engine> {
    return this.#engine.with(1);
  }

  #record(progress: FitProgress<'ising'> | FitResult<'ising'>): void {
    if (progress.numEvaluations === 0 || Number.isNaN(progress.objective)) return;
    const couplings = Float64Array.from(progress.model.couplings ?? []);
    this.isBeyond = !isWithinReach(couplings, this.dim);
    if (!this.isBeyond) this.replay.add(stepOf(progress, couplings, this.given));
  }

  async #check(settings: Settings, counts: Counts, result: FitResult<'ising'>): Promise<void> {
    try {
      const checks = await checksOf(await this.engine(), settings, counts, this.given, result);
      if (this.run.result === result) this.checks = checks;
    } catch (error) {
      if (this.run.result === result) this.checkProblem = String(error);
    }
  }

  #forget(): void {
    this.run.reset();
    this.replay.clear();
    this.checks = undefined;
    this.checkProblem = '';
    this.isBeyond = false;
  }
}

function settingsIn(hash: string): { settings: Settings; moment: number; problems: string[] } {
  const { values, problems } = readHash(fields, hash);
  const { moment, ...settings } = values;
  const { spins, model, data } = settings;
  if (data && !readCounts(data, spins)) {
    problems.push(
      t('The data of the link are not states of {spins} bits; the example is used.', { spins }),
    );
    settings.data = '';
  }
  if (model === 'own' && spins > SPINS.mostOwn) {
    problems.push(
      t("Couplings of one's own are for up to {mostOwn} spins; the usual model is used.", {
        mostOwn: SPINS.mostOwn,
      }),
    );
    settings.model = fields.model.initial;
  }
  return { settings, moment, problems };
}
