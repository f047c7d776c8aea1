import type { Engine } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { fields, OF_PEOPLE, OF_TASTE, OF_TOPICS, type Settings, shared } from './settings.js';
import { Taste } from './taste.svelte.js';
import { Topics } from './topics.svelte.js';

/** The state of the lab and what can be done with it; with `taste` and `topics`, the only place that starts jobs. */
export class TopicsAndTaste {
  settings = $state<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  /** Things that are offered for rating: a rating that is taken away leaves its line. */
  listed = $state.raw<number[]>(ratedIn(this.settings));
  readonly #engine = new EngineHolder();
  readonly taste: Taste;
  readonly topics: Topics;

  readonly isTaste = $derived(this.settings.task === 'taste');
  readonly run = $derived.by(() => (this.isTaste ? this.taste.run : this.topics.run));
  readonly canStart = $derived.by(() => this.isTaste || this.topics.canStart);
  readonly digest = $derived.by(() => (this.isTaste ? this.taste.digest : this.topics.digest));
  readonly hash = $derived(writeHash(fields, shared(this.settings)));

  constructor() {
    this.taste = new Taste(this);
    this.topics = new Topics(this);
  }

  /** The settings as plain data. */
  get plainSettings(): Settings {
    return $state.snapshot(this.settings) as Settings;
  }

  keyOf(names: readonly (keyof Settings)[]): string {
    return names.map((name) => String(this.settings[name])).join();
  }

  engine(): Promise<Engine> {
    return this.#engine.with(USUAL_WORKERS);
  }

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash) return;
    const { values, problems } = readHash(fields, hash);
    this.settings = values;
    this.listed = ratedIn(values);
    this.linkProblems = problems;
    this.taste.reset();
    this.topics.reset();
    void this.load();
  }

  /** Fetches what the task of the settings needs. */
  load(): Promise<void> {
    return this.isTaste ? Promise.resolve() : this.topics.load();
  }

  link(): string {
    return `${location.href.replace(/[?#].*$/, '')}${this.hash}`;
  }

  /** Changes settings; what was learned with the old ones goes, where it depends on them. */
  change(settings: Partial<Settings>): void {
    const names = Object.keys(settings) as (keyof Settings)[];
    const changed = names.filter((name) => this.settings[name] !== settings[name]);
    Object.assign(this.settings, settings);
    const touches = (some: readonly (keyof Settings)[]) =>
      changed.some((name) => some.includes(name));
    if (touches([...OF_PEOPLE, ...OF_TASTE])) this.taste.reset();
    if (touches(OF_TOPICS)) this.topics.reset();
    if (touches(['ratings'])) this.taste.read();
    if (touches(['text'])) this.topics.read();
    void this.load();
  }

  /** Offers one more thing for rating. */
  list(thing: number): void {
    if (!this.listed.includes(thing)) this.listed = [...this.listed, thing];
  }

  /** Takes all ratings away. */
  clear(): void {
    this.change({ ratings: this.settings.ratings.replace(/./g, '0') });
  }

  /** Gives a thing a rating, or with 0 takes it away. */
  rate(thing: number, rating: number): void {
    const { ratings } = this.settings;
    this.change({ ratings: ratings.slice(0, thing) + rating + ratings.slice(thing + 1) });
  }

  start(): Promise<void> {
    return this.isTaste ? this.taste.start() : this.topics.start();
  }

  continue(): Promise<void> {
    return this.run.continue();
  }

  close(): void {
    this.taste.reset();
    this.topics.reset();
    this.#engine.close();
  }
}

function ratedIn({ ratings }: Settings): number[] {
  return [...ratings].flatMap((digit, thing) => (digit === '0' ? [] : [thing]));
}
