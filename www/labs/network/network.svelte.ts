import type { Engine, NetworkProgress, NetworkResult } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { OwnFile } from '../../frame/own-file.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { layoutOf } from '../../lib/graph-layout.js';
import { type PackedRows, sizeInId } from '../../lib/packed-rows.js';
import { drawn, type OwnTable, readOwnTable, trueCouplings } from './data.js';
import { isMissed, isShown, judged, listed, type Pair, pairsAt } from './edges.js';
import { exampleOf } from './examples.js';
import { ring } from './graph-picture.js';
import { fields, type Settings, settingsOfResult } from './settings.js';
import { specWithoutData } from './specs.js';

/** What is pointed at or has the focus, in the graph or in the chart of edges. */
export type Lit =
  | { kind: 'node'; node: number }
  | { kind: 'pair'; sites: readonly [number, number] };

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class Network {
  settings = $state.raw<Settings>(readHash(fields, '').values);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly own = new OwnFile<OwnTable>(() => this.settings, sizeInId);
  lit = $state.raw<Lit>();
  /** Where nodes were dragged to, in units of the picture's sides. */
  moved = $state.raw<ReadonlyMap<number, readonly [number, number]>>(new Map());
  readonly run = new Run<NetworkProgress, NetworkResult>();
  /** Rows drawn from an example, and what they were drawn for. */
  #drawn = $state.raw<{ key: string; rows: PackedRows }>();
  #promise = $state.raw<{ key: string; digest: string }>();
  readonly #engine = new EngineHolder();

  readonly example = $derived(exampleOf(this.settings.data));
  readonly names: readonly string[] = $derived(
    this.example?.names ?? this.own.content?.names ?? [],
  );
  readonly #rowsKey = $derived(`${this.settings.data}-${this.settings.rows}-${this.settings.seed}`);
  /** The rows, once they are here. */
  readonly rows: PackedRows | undefined = $derived.by(() => {
    if (this.settings.data === 'own') return this.own.content?.rows;
    return this.#drawn?.key === this.#rowsKey ? this.#drawn.rows : undefined;
  });
  readonly truth = $derived(this.example && trueCouplings(this.example));
  readonly result = $derived(this.run.result);
  /** The number of the penalty that is looked at. */
  readonly at = $derived.by(() => {
    const { result, settings } = this;
    if (!result || settings.penalty === '') return result?.chosen ?? 0;
    return Math.min(Number(settings.penalty), result.penalties.length - 1);
  });
  readonly isAtChosen = $derived(this.at === this.result?.chosen);
  readonly pairs: readonly Pair[] = $derived(
    this.result ? pairsAt(this.result, this.at, this.truth) : [],
  );
  /** Whether there are other fits, which find edges or do not. */
  readonly hasShares = $derived(this.pairs.some(({ share }) => share !== undefined));
  readonly leastShare = $derived(this.hasShares ? this.settings.share : 0);
  readonly edges = $derived(this.pairs.filter((pair) => isShown(pair, this.leastShare)));
  /** True edges that are not shown. */
  readonly missed = $derived(this.pairs.filter((pair) => isMissed(pair, this.leastShare)));
  /** Both, from the most positive to the most negative. */
  readonly listed = $derived(listed(this.pairs, this.leastShare));
  readonly judgement = $derived(
    this.truth && this.result ? judged(this.pairs, this.leastShare) : undefined,
  );
  /** The edges of the penalty that was chosen, whichever is looked at: the nodes stay where they are. */
  readonly #chosenEdges = $derived(
    this.result
      ? pairsAt(this.result, this.result.chosen).filter((pair) => isShown(pair, 0))
      : undefined,
  );
  /** The greatest log odds ratio among them, whose line is the widest. */
  readonly fullStrength = $derived(
    Math.max(0.5, ...(this.#chosenEdges ?? []).map(({ penalized }) => Math.abs(penalized))),
  );
  readonly #layout = $derived.by(() => {
    const edges = this.#chosenEdges;
    if (!edges) return ring(this.names.length);
    return layoutOf(
      this.names.length,
      edges.map(({ sites, penalized }) => ({ sites, strength: Math.abs(penalized) })),
    );
  });
  /** Where the nodes stand, in units of the picture's sides. */
  readonly units = $derived(this.#layout.map((place, n) => this.moved.get(n) ?? place));
  readonly canStart = $derived(
    !this.own.reading && (this.example ?? this.own.content) !== undefined,
  );

  readonly #key = $derived(writeHash(fields, settingsOfResult(this.settings)));
  readonly digest = $derived(this.result?.digest);
  readonly promisedDigest = $derived(this.#promise?.key === this.#key ? this.#promise.digest : '');
  readonly hash = $derived(writeHash(fields, { ...this.settings, digest: this.promisedDigest }));

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash) return;
    const { values, problems } = readHash(fields, hash);
    this.own.keepFor(values);
    this.#forget();
    this.settings = { ...values, digest: '' };
    this.#promise = values.digest ? { key: this.#key, digest: values.digest } : undefined;
    this.linkProblems = problems;
  }

  close(): void {
    this.run.reset();
    this.#engine.close();
  }

  link(): string {
    const digest = this.digest?.slice(0, 16) ?? this.promisedDigest;
    return `${location.href.replace(/[?#].*$/, '')}${writeHash(fields, { ...this.settings, digest })}`;
  }

  /** Changes what the network depends on: the one that was found goes. */
  change(settings: Partial<Settings>): void {
    this.#forget();
    this.settings = { ...this.settings, penalty: '', ...settings };
  }

  chooseData(data: Settings['data']): void {
    this.change({ data, file: this.own.idFor(data) });
  }

  /** Looks at another penalty of the path. */
  lookAt(penalty: number): void {
    const isChosen = penalty === this.result?.chosen;
    this.settings = { ...this.settings, penalty: isChosen ? '' : String(penalty) };
  }

  /** Hides edges that fewer of the fits have than so many %. */
  demand(share: number): void {
    this.settings = { ...this.settings, share };
  }

  /** Puts a node somewhere else, in units of the picture's sides, within the picture. */
  move(node: number, [x, y]: readonly [number, number]): void {
    const within = (at: number) => Math.max(-0.55, Math.min(0.55, at));
    this.moved = new Map(this.moved).set(node, [within(x), within(y)]);
  }

  rearrange(): void {
    this.moved = new Map();
  }

  /** Reads a file and goes over to it; on a bad one, everything but the message stays as it was. */
  async read(file: File): Promise<void> {
    const reading = this.#engine.with(USUAL_WORKERS).then((engine) => readOwnTable(file, engine));
    try {
      await this.own.read(reading, (isPromised) => {
        // The file of a link is looked at as the link says.
        if (isPromised) this.#forget();
        else this.chooseData('own');
      });
    } catch (error) {
      this.run.report(error);
    }
  }

  start(): Promise<void> {
    // The network that is found is looked at as it was chosen, but for what a link says.
    this.lit = undefined;
    this.moved = new Map();
    return this.run.start(this.#launch());
  }

  continue(): Promise<void> {
    return this.run.continue(this.#launch());
  }

  #launch(): Launch<NetworkProgress, NetworkResult> {
    const { settings } = this;
    return {
      engine: async () => {
        const engine = await this.#engine.with(USUAL_WORKERS);
        await this.#draw(engine);
        return engine;
      },
      job: (engine, options) => {
        // While it starts and runs, the settings cannot be changed, and so neither can the rows.
        const { rows } = this;
        if (!rows) throw new Error('The rows are not here.');
        const { dim, numRows, bits } = rows;
        const data = { kind: 'bits', dim, numRows, bits } as const;
        return engine.network({ data, ...specWithoutData(settings) }, options);
      },
      onProgress: () => {},
    };
  }

  async #draw(engine: Engine): Promise<void> {
    const { example, settings, rows } = this;
    if (!example || rows) return;
    const key = this.#rowsKey;
    this.#drawn = { key, rows: await drawn(engine, example, settings.rows, settings.seed) };
  }

  #forget(): void {
    this.run.reset();
    this.lit = undefined;
    this.moved = new Map();
    this.own.forgetMismatch();
  }
}
