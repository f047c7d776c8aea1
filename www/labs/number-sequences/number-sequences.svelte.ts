import { Walk } from '../../frame/walk.svelte.js';
import { readHash, writeHash } from '../../lib/fields.js';
import {
  continuation,
  type Explanation,
  extend,
  nextRange,
  search,
} from '../../lib/number-sequences.js';
import { fields, MOST_KEPT, NUM_NEXT, RANGE_MASS, type Settings } from './settings.js';

/** The state of the lab and what can be done with it. */
export class NumberSequences {
  settings = $state<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);

  readonly found = $derived(search(this.settings.numbers, this.settings.keep));
  /** What a search that keeps more finds. */
  readonly wider = $derived(search(this.settings.numbers, MOST_KEPT).levels.at(-1)?.best);
  /** The explanation found, from R on, one production more at every step. */
  readonly chain = $derived(chainOf(this.found.levels.map(({ best }) => best)));
  readonly total = $derived(this.chain.length - 1);
  readonly shown = $derived(this.chain.slice(0, this.settings.step + 1));
  readonly now = $derived(this.shown.at(-1) as Explanation);
  readonly isWhole = $derived(this.now.productions.at(-1) === '1:N');
  /** The next terms, for every residue; empty where R is left. */
  readonly next = $derived(continuation(this.now, NUM_NEXT));
  /** Where the next term lies if R is left. */
  readonly range = $derived(this.isWhole ? undefined : nextRange(this.now, RANGE_MASS));
  readonly hash = $derived(writeHash(fields, this.settings));

  readonly walk = new Walk(
    () => this.total,
    () => this.settings.step,
    (step) => {
      this.settings.step = step;
    },
  );

  /** Takes over the settings of an address. */
  open(hash: string): void {
    const { values, problems } = readHash(fields, hash);
    this.walk.reset();
    this.settings = values;
    this.goTo(values.step);
    this.linkProblems = problems;
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Other numbers, or another search: it begins anew. */
  change(settings: Partial<Settings>): void {
    Object.assign(this.settings, settings);
    this.walk.reset();
    // Where there is no step, all is shown already.
    this.goTo(0);
  }

  goTo(step: number): void {
    this.settings.step = Math.max(0, Math.min(step, this.total));
    this.walk.settle();
  }
}

/** The best of the last level, and all it was made from. */
function chainOf(bests: readonly Explanation[]): Explanation[] {
  const [start] = bests;
  if (!start) return [];
  const chain = [start];
  for (const production of bests.at(-1)?.productions ?? []) {
    const { made } = extend(chain.at(-1) ?? start, production);
    if (made) chain.push(made);
  }
  return chain;
}
