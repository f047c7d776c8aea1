import type { Engine, LogZProgress, LogZResult, RunOptions } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { KeptSteps, type Step } from '../../frame/kept-steps.js';
import { Playhead, prefersStill } from '../../frame/playhead.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { shareOfOne, shareSeen, VARIABLES } from '../../lib/surprising-path.js';
import { type RunMade, runMade, type Sighting, specOf } from './run-made.js';
import { fields, REFERENCE_NAMES, REFERENCES, type Settings } from './settings.js';

/** The β of the curves, evenly from 0 to 1. */
export const BETAS = Array.from({ length: 1001 }, (_, n) => n / 1000);

/** Moments of the way at which the engine tells where the chains are. */
const NUM_MOMENTS = 100;

/** Milliseconds between two pictures of a run, and where little motion is wanted. */
const SHOW_INTERVAL = 60;
const CALM_INTERVAL = 1500;

/** The chains at one moment. */
export interface Frame extends Step, Sighting {
  /** u, whose sign is z, and the first coordinate of x: `[chains, 2]`. */
  points: Float32Array;
}

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class Surprises {
  settings = $state.raw<Settings>(settingsIn('').settings);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  /** Moments of the present run, ascending in β. */
  frames = $state.raw<readonly Frame[]>([]);
  /** Every run that is done, also with other settings, in order. */
  made = $state.raw<readonly RunMade[]>([]);
  /** The run of these settings, once it is done. */
  latest = $state.raw<RunMade>();
  readonly run = new Run<LogZProgress, LogZResult>();
  /** Which β the pictures show. */
  readonly playhead = new Playhead();
  readonly #film = new KeptSteps<Frame>(({ points }) => points.byteLength);
  readonly #engine = new EngineHolder();

  readonly beta = $derived(this.playhead.share);
  /** The moment nearest to β. */
  readonly frame: Frame | undefined = $derived.by(() => {
    let best = this.frames[0];
    for (const frame of this.frames) {
      if (Math.abs(frame.beta - this.beta) < Math.abs((best?.beta ?? 0) - this.beta)) best = frame;
    }
    return best;
  });
  /** p_β(z = 1) at every β of the curve, and where it is least. */
  readonly shares = $derived.by(() => {
    const { start } = REFERENCES[this.settings.reference];
    return BETAS.map((beta) => shareOfOne(beta, start));
  });
  readonly least = $derived.by(() => {
    const share = Math.min(...this.shares);
    return { share, beta: BETAS[this.shares.indexOf(share)] ?? 0 };
  });
  readonly hash = $derived(
    writeHash(fields, { ...this.settings, beta: Math.round(1000 * this.beta) / 1000 }),
  );

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash) return;
    const { settings, beta, problems } = settingsIn(hash);
    this.change(settings);
    this.linkProblems = problems;
    this.playhead.goTo(beta);
  }

  close(): void {
    this.reset();
    this.#engine.close();
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes settings. Runs that are done stay in the table. */
  change(settings: Partial<Settings>): void {
    this.settings = { ...this.settings, ...settings };
    this.reset();
  }

  reset(): void {
    this.run.reset();
    this.#film.clear();
    this.frames = [];
    this.latest = undefined;
    this.playhead.pause();
  }

  forget(): void {
    this.made = [];
  }

  start(): Promise<void> {
    this.reset();
    this.playhead.goTo(0);
    return this.run.start(this.#launch());
  }

  continue(): Promise<void> {
    return this.run.continue(this.#launch());
  }

  #launch(): Launch<LogZProgress, LogZResult> {
    const { settings } = this;
    return {
      engine: () => this.#engine.with(USUAL_WORKERS),
      job: (engine: Engine, options: RunOptions<LogZProgress>) => {
        // Stages only tell where chains are: nothing is resampled below a threshold of 0, and every number stays.
        const resampling = { threshold: 0, numStages: NUM_MOMENTS };
        return engine.logZ({ ...specOf(settings), resampling }, { ...options, streamDraws: true });
      },
      // Every moment, also of a run that is over in a blink: it is looked at afterwards.
      progressInterval: 0,
      onProgress: (progress) => this.#keep(progress),
      onShow: () => this.#show(),
      showInterval: prefersStill() ? CALM_INTERVAL : SHOW_INTERVAL,
      onResult: (result, seconds) => {
        this.#show();
        const one = runMade(settings, result, seconds, this.frames);
        this.latest = one;
        this.made = [...this.made.filter(({ name }) => name !== one.name), one].sort(inOrder);
        if (prefersStill()) return;
        this.playhead.goTo(0);
        this.playhead.play();
      },
    };
  }

  #keep({ phase, beta, states }: LogZProgress): void {
    if (phase !== 'forward' || !states || states.length === 0) return;
    const dim = VARIABLES.length;
    const num = states.length / dim;
    const points = new Float32Array(2 * num);
    for (let chain = 0; chain < num; chain++) {
      points.set(states.subarray(dim * chain, dim * chain + 2), 2 * chain);
    }
    const step = Math.round(beta * this.settings.distributions);
    this.#film.add({ step, beta, share: shareSeen(states), points });
  }

  /** While it runs the pictures follow. */
  #show(): void {
    this.frames = this.#film.list();
    this.playhead.goTo(this.frames.at(-1)?.beta ?? 0);
  }
}

/** By reference, then by the number of distributions. */
function inOrder(a: RunMade, b: RunMade): number {
  const placeOf = ({ settings }: RunMade) => REFERENCE_NAMES.indexOf(settings.reference);
  return placeOf(a) - placeOf(b) || a.settings.distributions - b.settings.distributions;
}

function settingsIn(hash: string): { settings: Settings; beta: number; problems: string[] } {
  const { values, problems } = readHash(fields, hash);
  const { beta, ...settings } = values;
  return { settings, beta, problems };
}
