import type { ModelSpec, SampleSpec } from 'unnorm';
import { UnnormError } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { describe } from '../../frame/run.svelte.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { keptAnswer } from '../../lib/first-answers.js';
import { type Density, planeDensity } from '../../lib/plane-density.js';
import type { Window } from '../../lib/plane-targets.js';
import firstAnswers from './first-answers.json';
import { densityFrom, densityQuestion, type KeptDensity } from './kept-density.js';
import { Lane } from './lane.svelte.js';
import { Playback } from './playback.svelte.js';
import { hasTrajectories, numWarmupOf, type Sampler, transitionOf } from './samplers.js';
import { FIGURE, fields, LANES, type LaneId, type Settings } from './settings.js';
import { FORMULA_STEPS, TARGETS, type TargetId } from './targets.js';

/** Milliseconds after a change before the density is computed anew. */
const TYPING_PAUSE = 60;

/** One processor is left to the page, which has sixty pictures a second to draw. */
const MAX_WORKERS = Math.max(1, Math.min(8, (navigator.hardwareConcurrency || 1) - 1));

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class SamplerPlayground {
  settings = $state<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  /** The density over the window; undefined until it is computed, and where the target has none. */
  density = $state.raw<Density>();
  /** What is wrong with the formula, in the engine's words. */
  formulaProblem = $state('');
  readonly lanes: Readonly<Record<LaneId, Lane>> = {
    a: new Lane('a'),
    b: new Lane('b'),
    c: new Lane('c'),
  };
  readonly #engine = new EngineHolder();
  #densitySerial = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The places with a sampler. */
  readonly active = $derived(
    LANES.filter(({ id }) => this.settings[id].kind !== 'off').map((place) => ({
      ...place,
      sampler: this.settings[place.id],
      lane: this.lanes[place.id],
    })),
  );
  readonly window: Window = $derived.by(() => {
    const { target, shape, reach } = this.settings;
    return target === 'formula' ? { centre: [0, 0], reach } : TARGETS[target].window(shape);
  });
  readonly model: ModelSpec = $derived.by(() => {
    const { target, shape, formula } = this.settings;
    if (target === 'formula')
      return { kind: 'formula', expression: formula, variables: ['x', 'y'] };
    return TARGETS[target].model(shape);
  });
  /** Whether chains start at exact draws. */
  readonly startsExact = $derived(
    this.settings.start === 'exact' && this.settings.target !== 'formula',
  );
  /** The model as plain data. */
  get specModel(): ModelSpec {
    return $state.snapshot(this.model) as ModelSpec;
  }

  readonly hash = $derived(writeHash(fields, this.settings));
  readonly canStart = $derived(
    this.active.length > 0 && this.density !== undefined && !this.formulaProblem,
  );

  readonly playback = new Playback({
    numAvailable: () => {
      const working = this.active.filter(({ lane }) => !lane.error);
      return working.length === 0 ? 0 : Math.min(...working.map(({ lane }) => lane.numAvailable));
    },
    total: () => this.settings.steps,
    error: () =>
      this.active.every(({ lane }) => lane.error) ? this.active[0]?.lane.error : undefined,
    pause: () => {
      for (const { lane } of this.active) lane.pause();
    },
    resume: () => {
      for (const { lane } of this.active) lane.resume();
    },
  });

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash && this.density) return;
    const { values, problems } = readHash(fields, hash);
    if (values.target !== 'formula') {
      const { shape } = TARGETS[values.target];
      if (!(values.shape >= shape.min && values.shape <= shape.max)) {
        values.shape = shape.initial;
        if (hash.includes('shape='))
          problems.push(`The link's shape does not go with its target; ${shape.initial} is used.`);
      }
    }
    this.reset();
    this.settings = values;
    this.linkProblems = problems;
    this.draw();
  }

  close(): void {
    this.reset();
    clearTimeout(this.#timer);
    this.#engine.close();
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes settings: what was sampled with the old ones goes. */
  change(settings: Partial<Settings>): void {
    Object.assign(this.settings, settings);
    this.reset();
    if ('target' in settings || 'shape' in settings || 'formula' in settings || 'reach' in settings)
      this.draw();
  }

  changeSampler(id: LaneId, sampler: Partial<Sampler>): void {
    const next = { ...this.settings[id], ...sampler };
    // Another kind moves in other steps.
    if (sampler.kind) next.stepSize = this.#usualStep(next, this.settings.target);
    this.change({ [id]: next });
  }

  /** Another target, with the parameter and the step sizes that suit it. */
  chooseTarget(target: TargetId): void {
    const shape = target === 'formula' ? this.settings.shape : TARGETS[target].shape.initial;
    const samplers = Object.fromEntries(
      LANES.map(({ id }) => {
        const sampler = this.settings[id];
        return [id, { ...sampler, stepSize: this.#usualStep(sampler, target) }];
      }),
    );
    this.change({ target, shape, ...samplers });
  }

  /** The settings of figure 6.3 of the thesis. */
  chooseFigure(): void {
    this.change(FIGURE);
  }

  reset(): void {
    for (const lane of Object.values(this.lanes)) lane.reset();
    this.playback.reset();
  }

  async start(): Promise<void> {
    this.reset();
    if (await this.#launch()) this.playback.play();
  }

  /** Goes on from where it was stopped; from the beginning, if that was before anything was asked of the engine. */
  async continue(): Promise<void> {
    if (this.active.some(({ lane }) => lane.numSteps > 0)) this.playback.play();
    else await this.start();
  }

  /** One step more, from wherever things are. */
  async step(): Promise<void> {
    if (this.playback.status === 'idle' && !(await this.#launch())) return;
    this.playback.step();
  }

  /** What the engine is asked for one sampler. */
  specOf(sampler: Sampler): SampleSpec {
    const { chains, steps, seed } = this.settings;
    return {
      model: this.specModel,
      transition: transitionOf($state.snapshot(sampler)),
      numChains: chains,
      ...(this.startsExact && { start: { kind: 'exact' as const } }),
      numWarmup: numWarmupOf(sampler),
      numDraws: steps,
      ...(hasTrajectories(sampler) && { recordPath: true }),
      seed,
    };
  }

  /** Computes the density for the picture, when the typing pauses; until then there may be one kept. */
  draw(): void {
    clearTimeout(this.#timer);
    const question = densityQuestion(this.specModel, this.window);
    const kept = keptAnswer<KeptDensity>(firstAnswers, question);
    if (kept) {
      this.density = densityFrom(kept);
      this.formulaProblem = '';
    }
    this.#timer = setTimeout(() => void this.#draw(), TYPING_PAUSE);
  }

  async #draw(): Promise<void> {
    const serial = ++this.#densitySerial;
    const window = this.window;
    try {
      const engine = await this.#engine.with(MAX_WORKERS);
      const density = await planeDensity(engine, this.specModel, window);
      if (serial !== this.#densitySerial) return;
      this.density = density;
      this.formulaProblem = this.density ? '' : 'The energy has no lowest value in the window.';
    } catch (error) {
      if (serial !== this.#densitySerial) return;
      const isFormula = this.settings.target === 'formula' && error instanceof UnnormError;
      if (isFormula && error.code.startsWith('invalid')) {
        this.formulaProblem = error.message.replace(/^model\.expression:\s*/, '');
      } else {
        this.playback.fail(describe(error));
      }
    }
  }

  async #launch(): Promise<boolean> {
    const { settings } = this;
    this.playback.status = 'starting';
    try {
      const engine = await this.#engine.with(MAX_WORKERS);
      // Changed or stopped while the engine was on its way.
      if (settings !== this.settings || this.playback.status !== 'starting') return false;
      for (const { sampler, lane } of this.active) {
        lane.start(engine, this.specOf(sampler) as SampleSpec & { model: { kind: 'ring' } });
      }
      this.playback.status = 'idle';
      return true;
    } catch (error) {
      this.playback.fail(describe(error));
      return false;
    }
  }

  #usualStep({ kind }: Sampler, target: TargetId): number {
    const { leapfrog, walk } = target === 'formula' ? FORMULA_STEPS : TARGETS[target].steps;
    return kind === 'metropolis' || kind === 'slice' ? walk : leapfrog;
  }
}
