import type { Engine } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { Completion } from './completion.svelte.js';
import { runsOf } from './masks.js';
import { NoisyPicture } from './noisy.svelte.js';
import {
  fields,
  OF_COMPLETION,
  OF_NOISE,
  type PictureName,
  PRIOR_BETA,
  type Settings,
} from './settings.js';
import { loadFor, type Sources } from './sources.js';

/** The state of the lab and what can be done with it; with `noisy` and `completion`, the only place that starts jobs. */
export class Restore {
  settings = $state<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  sources = $state.raw<Sources>({});
  readonly #engine = new EngineHolder();
  readonly noisy: NoisyPicture;
  readonly completion: Completion;

  readonly isNoise = $derived(this.settings.task === 'noise');
  readonly run = $derived.by(() => (this.isNoise ? this.noisy.run : this.completion.run));
  readonly canStart = $derived.by(() =>
    this.isNoise ? this.noisy.picture !== undefined : this.completion.canStart,
  );
  readonly digest = $derived.by(() =>
    this.isNoise ? this.noisy.draws?.digest : this.completion.completed?.digest,
  );
  readonly hash = $derived(writeHash(fields, shared(this.settings)));

  constructor() {
    this.noisy = new NoisyPicture(this);
    this.completion = new Completion(this);
  }

  /** The settings as plain data. */
  get plainSettings(): Settings {
    return $state.snapshot(this.settings) as Settings;
  }

  engine(): Promise<Engine> {
    return this.#engine.with(USUAL_WORKERS);
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash) return;
    const { values, problems } = readHash(fields, hash);
    this.settings = values;
    this.linkProblems = problems;
    this.noisy.reset();
    this.completion.reset();
    void this.load();
  }

  /** Fetches or draws the picture of the settings. */
  async load(): Promise<void> {
    if (this.isNoise ? this.noisy.picture : this.completion.digit) return;
    try {
      const sources = await loadFor(this.plainSettings, this.sources, () => this.engine());
      this.sources = { ...this.sources, ...sources };
    } catch (error) {
      this.run.report(error);
    }
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes settings; what was computed with the old ones goes, where it depends on them. */
  change(settings: Partial<Settings>): void {
    const names = Object.keys(settings) as (keyof Settings)[];
    const changed = names.filter((name) => this.settings[name] !== settings[name]);
    Object.assign(this.settings, settings);
    if (changed.some((name) => OF_NOISE.includes(name))) this.noisy.reset();
    if (changed.some((name) => OF_COMPLETION.includes(name))) this.completion.reset();
    void this.load();
  }

  /** Another picture, with the β that suits it: draws of the prior have that of the prior. */
  choose(picture: PictureName): void {
    const isDraw = picture === 'prior' || picture === 'small';
    this.change({ picture, beta: isDraw ? PRIOR_BETA : fields.beta.initial });
  }

  /** Paints what is not given, of the noisy picture or of the digit. */
  paint(mask: Uint8Array): void {
    const runs = runsOf(mask);
    const isEmpty = !mask.some((byte) => byte !== 0);
    const painted = isEmpty ? 'none' : 'painted';
    this.change(
      this.isNoise
        ? { hole: painted, holeRuns: isEmpty ? '' : runs }
        : { erased: painted, erasedRuns: isEmpty ? '' : runs },
    );
  }

  start(): Promise<void> {
    return this.isNoise ? this.noisy.start() : this.completion.start();
  }

  continue(): Promise<void> {
    return this.run.continue();
  }

  close(): void {
    this.noisy.reset();
    this.completion.reset();
    this.#engine.close();
  }
}

/** What a link takes along: runs only of what is painted, and not too many. */
function shared(settings: Settings): Settings {
  const { hole, holeRuns, erased, erasedRuns } = settings;
  const fits = (runs: string) => fields.holeRuns.parse(runs) !== undefined;
  const [hasHole, hasErased] = [
    hole === 'painted' && fits(holeRuns),
    erased === 'painted' && fits(erasedRuns),
  ];
  return {
    ...settings,
    hole: hole === 'painted' && !hasHole ? 'none' : hole,
    holeRuns: hasHole ? holeRuns : '',
    erased: erased === 'painted' && !hasErased ? 'lower' : erased,
    erasedRuns: hasErased ? erasedRuns : '',
  };
}
