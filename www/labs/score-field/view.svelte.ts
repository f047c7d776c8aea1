import type { ContinuousResult, Engine } from 'unnorm';
import { Playhead, prefersStill } from '../../frame/playhead.svelte.js';
import { describe } from '../../frame/run.svelte.js';
import { type Compared, compare, exactAt, type Ingredients } from './field.js';
import { type Flow, joined, momentAt, particlesAt, stageAt } from './flow.js';
import { evenly, flowSpec } from './jobs.js';
import type { Settings } from './settings.js';

/** What is shown of one target: its field at every level, and particles that go through them all. */
export class View {
  /** What has been learned at every level so far, beside what is true there. */
  levels = $state.raw<readonly Compared[]>([]);
  flow = $state.raw<Flow>();
  /** Exact energies, in nats, of the particles in the end. */
  finalEnergies = $state.raw<Float64Array>();
  busy = $state(false);
  problem = $state('');
  readonly playhead = new Playhead();
  #abort = new AbortController();

  /** Moment of the flow that is shown, the stage it belongs to, and the particles there. */
  readonly moment = $derived(this.flow ? momentAt(this.flow, this.playhead.share) : 0);
  readonly stage = $derived(this.flow ? stageAt(this.flow, this.moment) : 0);
  readonly particles = $derived(this.flow && particlesAt(this.flow, this.moment));

  clear(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.levels = [];
    this.flow = undefined;
    this.finalEnergies = undefined;
    this.busy = false;
    this.problem = '';
    this.playhead.goTo(0);
  }

  /** Field after field, and annealed Langevin dynamics (Song and Ermon 2019) through them. */
  async show(
    engine: () => Promise<Engine>,
    settings: Settings,
    ingredients: readonly Ingredients[],
  ): Promise<void> {
    this.clear();
    const { signal } = this.#abort;
    this.busy = true;
    try {
      await this.#show(await engine(), settings, ingredients, signal);
    } catch (error) {
      if (!signal.aborted) this.problem = describe(error).message;
    } finally {
      if (!signal.aborted) this.busy = false;
    }
  }

  async #show(
    engine: Engine,
    settings: Settings,
    ingredients: readonly Ingredients[],
    signal: AbortSignal,
  ): Promise<void> {
    const start = evenly(settings.particles);
    const parts: { values: Float64Array; acceptance: number; digest: string }[] = [];
    let states = start;
    for (const [level, one] of ingredients.entries()) {
      const compared = await compare(engine, one);
      if (signal.aborted) return;
      this.levels = [...this.levels, compared];
      const spec = flowSpec(settings, compared.model, one.noise, level, states);
      const result = (await engine.sample(spec as never, { signal })) as ContinuousResult;
      const { acceptance } = result.chains;
      const mean = acceptance.reduce((sum, share) => sum + share, 0) / acceptance.length;
      parts.push({ values: result.draws.values, acceptance: mean, digest: result.digest });
      states = result.draws.values.slice(-start.length);
    }
    const last = ingredients.at(-1);
    const { energies } = last
      ? await exactAt(engine, last, states.slice())
      : { energies: undefined };
    if (signal.aborted) return;
    this.flow = joined(start, parts);
    this.finalEnergies = energies;
    if (prefersStill()) this.playhead.goTo(1);
    else this.playhead.play();
  }
}
