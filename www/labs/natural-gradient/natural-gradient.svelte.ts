import { EngineHolder } from '../../frame/engine-holder.js';
import { Walk } from '../../frame/walk.svelte.js';
import {
  divergenceAfter,
  gradient,
  naturalGradient,
  type Point,
} from '../../lib/badly-scaled-gaussian.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { endOf } from './by-package.js';
import { type Descent, descentOf } from './descent.js';
import { fields, REACH, type Settings } from './settings.js';

/** The ends of both descents by the package, beside those on the page. */
export interface ByPackage {
  /** The most that a θ is off, relative to the start's. */
  deviation: number;
  /** Of the natural gradient's. */
  digest: string;
}

/** The state of the lab and what can be done with it. */
export class NaturalGradient {
  settings = $state<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);

  readonly start: Point = $derived([this.settings.theta1, this.settings.theta2]);
  readonly steepest: Descent = $derived(
    descentOf('steepest', '--series-2', gradient, this.start, this.settings.steepest),
  );
  readonly natural: Descent = $derived(
    descentOf('natural', '--series-1', naturalGradient, this.start, this.settings.natural),
  );
  readonly descents = $derived([this.steepest, this.natural]);
  /** Steps of the longer descent. */
  readonly total = $derived(Math.max(...this.descents.map(({ path }) => path.length - 1)));
  readonly hash = $derived(writeHash(fields, this.settings));

  readonly walk = new Walk(
    () => this.total,
    () => this.settings.steps,
    (steps) => {
      this.settings.steps = steps;
    },
  );

  /** The most that either descent, so far, is off what the eigenvalues say, relative to that. */
  readonly deviation = $derived.by(() => {
    const { steps } = this.settings;
    const off = ({ divergences }: Descent, exact: (numSteps: number) => number) => {
      const numSteps = Math.min(steps, divergences.length - 1);
      const expected = exact(numSteps);
      const found = divergences[numSteps] ?? 0;
      // The natural gradient of step size 1 arrives at nothing but rounding.
      return Math.abs(found - expected) / Math.max(expected, 1e-12);
    };
    const atStart = this.natural.divergences[0] ?? 0;
    return Math.max(
      off(this.steepest, (n) => divergenceAfter(this.start, this.settings.steepest, n)),
      off(this.natural, (n) => atStart * (1 - this.settings.natural) ** (2 * n)),
    );
  });

  /** What the package says of the whole descents, once it has been asked; the page does not wait for it. */
  byPackage = $state.raw<ByPackage>();
  packageProblem = $state('');
  #serial = 0;
  readonly #engine = new EngineHolder();

  /** Has the package take both descents, when they have been shown. */
  async askPackage(): Promise<void> {
    const serial = ++this.#serial;
    this.byPackage = undefined;
    this.packageProblem = '';
    if (this.descents.some(({ outcome }) => outcome === 'diverged')) return;
    try {
      const engine = await this.#engine.with(1);
      let deviation = 0;
      let digest = '';
      for (const { name, path } of this.descents) {
        const end = await endOf(engine, this.settings, name, path.length - 1);
        const [first, second] = path.at(-1) ?? this.start;
        const off = Math.hypot(end.theta[0] - first, end.theta[1] - second);
        deviation = Math.max(deviation, off / Math.hypot(...this.start));
        digest = end.digest;
      }
      if (serial === this.#serial) this.byPackage = { deviation, digest };
    } catch (error) {
      if (serial === this.#serial) this.packageProblem = String(error);
    }
  }

  close(): void {
    this.#serial++;
    this.walk.stop();
    this.#engine.close();
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    const { values, problems } = readHash(fields, hash);
    this.walk.reset();
    this.settings = values;
    this.settings.steps = Math.min(values.steps, this.total);
    this.walk.settle();
    this.linkProblems = problems;
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes a setting: the descents begin anew. */
  change(settings: Partial<Settings>): void {
    Object.assign(this.settings, settings);
    this.walk.reset();
  }

  /** Moves the start, no further than it may lie; in hundredths, so that it reads well. */
  moveStart([first, second]: Point): void {
    const within = (value: number) =>
      Math.round(100 * Math.max(-REACH, Math.min(REACH, value))) / 100;
    this.change({ theta1: within(first), theta2: within(second) });
  }
}
