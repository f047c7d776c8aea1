import { Walk } from '../../frame/walk.svelte.js';
import {
  divergenceAfter,
  gradient,
  naturalGradient,
  type Point,
} from '../../lib/badly-scaled-gaussian.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { type Descent, descentOf } from './descent.js';
import { fields, REACH, type Settings } from './settings.js';

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
