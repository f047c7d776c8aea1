import type { StructureProgress, StructureResult } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { OwnFile } from '../../frame/own-file.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { rowsOfText } from '../../lib/own-table.js';
import { noisyRows } from '../../lib/structured-tables.js';
import { fetchText } from '../../lib/text-files.js';
import { parse } from './expression.js';
import { arrange } from './order.js';
import { type OwnTable, readOwnTable } from './own-table.js';
import { fields, type Settings, searchSpec, settingsOfResult, type Table } from './settings.js';
import { rowsTaken, sourceOf } from './sources.js';
import { treeOf } from './tree.js';

/** Milliseconds between reports. */
const REPORT_INTERVAL = 50;

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class StructureSearch {
  settings = $state.raw<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly own = new OwnFile<OwnTable>(() => this.settings);
  readonly run = new Run<StructureProgress, StructureResult>();
  /** The rows that were fetched and are searched, by the addresses of their files. */
  #fetched = $state.raw<ReadonlyMap<string, number[][]>>(new Map());
  /** What was found in the table of this name and seed with so much noise. */
  #earlier = $state.raw<ReadonlyMap<string, ReadonlyMap<number, string>>>(new Map());
  #promise = $state.raw<{ key: string; digest: string }>();
  readonly #engine = new EngineHolder();

  readonly source = $derived(sourceOf(this.settings.data));
  /** The table that is searched, once it is here. */
  readonly table: Table | undefined = $derived.by(() => {
    const { source, settings } = this;
    if (!source) return this.own.content;
    const { noise, seed } = settings;
    if (source.made) return source.made.make(noise, seed);
    const rows = this.#fetched.get(source.file?.url ?? '');
    return rows && noisyRows(rows, source.standardize, noise, seed);
  });
  readonly numRows = $derived(this.table ? this.table.states.length / this.table.dim : 0);
  readonly result = $derived(this.run.result);
  readonly tree = $derived(treeOf(this.result?.levels ?? this.run.progress?.levels ?? []));
  /** The matrices found, and the order of rows and columns that shows them. */
  readonly arranged = $derived.by(() => {
    const { result, table, numRows } = this;
    return result && table && arrange(parse(result.text), result.matrices, numRows, table.dim);
  });
  readonly numTried = $derived(this.tree.levels.reduce((sum, level) => sum + level.length, 0));
  readonly canStart = $derived(!this.own.reading && this.table !== undefined);

  readonly #key = $derived(writeHash(fields, settingsOfResult(this.settings)));
  readonly digest = $derived(this.result?.digest);
  readonly promisedDigest = $derived(this.#promise?.key === this.#key ? this.#promise.digest : '');
  readonly hash = $derived(writeHash(fields, { ...this.settings, digest: this.promisedDigest }));
  /** What was found in this table with each variance of the noise that was tried, the least first. */
  readonly found: readonly { noise: number; text: string }[] = $derived(
    [...(this.#earlier.get(this.#tableKey()) ?? [])]
      .map(([noise, text]) => ({ noise, text }))
      .sort((a, b) => a.noise - b.noise),
  );

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash && this.table) return;
    const { values, problems } = readHash(fields, hash);
    this.own.keepFor(values);
    this.#forget();
    this.settings = { ...values, digest: '' };
    this.#promise = values.digest ? { key: this.#key, digest: values.digest } : undefined;
    this.linkProblems = problems;
    void this.#fetch();
  }

  close(): void {
    this.run.reset();
    this.#engine.close();
  }

  link(): string {
    const digest = this.digest?.slice(0, 16) ?? this.promisedDigest;
    return `${location.href.replace(/[?#].*$/, '')}${writeHash(fields, { ...this.settings, digest })}`;
  }

  /** Changes what the search depends on: the one that was made goes. */
  change(settings: Partial<Settings>): void {
    this.#forget();
    this.settings = { ...this.settings, ...settings };
    void this.#fetch();
  }

  /** Goes over to another table. Columns of a visitor's table may have different units. */
  chooseData(data: Settings['data']): void {
    const file = this.own.idFor(data);
    this.change({ data, file, standardize: sourceOf(data)?.standardize ?? 'columns' });
  }

  /** Shows rows and columns in another order. */
  sort(order: Settings['order']): void {
    this.settings = { ...this.settings, order };
  }

  /** Reads a file, or text that was pasted, and goes over to it; on a bad one, everything but the message stays as it was. */
  async read(file: File): Promise<void> {
    try {
      await this.own.read(readOwnTable(file), (isPromised) => {
        // The file of a link is searched as the link says.
        if (isPromised) this.#forget();
        else this.chooseData('own');
      });
    } catch (error) {
      this.run.report(error);
    }
  }

  async start(): Promise<void> {
    await this.run.start(this.#launch());
    this.#note();
  }

  async continue(): Promise<void> {
    await this.run.continue(this.#launch());
    this.#note();
  }

  #launch(): Launch<StructureProgress, StructureResult> {
    const { settings, table } = this;
    return {
      engine: () => this.#engine.with(this.numWorkers),
      job: (engine, options) => {
        if (!table) throw new Error('The table is not here.');
        const { states, dim } = table;
        // The engine takes the array over.
        return engine.structure({ states: states.slice(), dim, ...searchSpec(settings) }, options);
      },
      progressInterval: REPORT_INTERVAL,
      onProgress: () => {},
    };
  }

  /** Keeps what was found in a table of the lab's, beside what was with other noise. */
  #note(): void {
    const { result, source, settings } = this;
    if (!result || !source) return;
    const key = this.#tableKey();
    const texts = new Map(this.#earlier.get(key)).set(settings.noise, result.text);
    this.#earlier = new Map(this.#earlier).set(key, texts);
  }

  #tableKey(): string {
    return writeHash(fields, { ...settingsOfResult(this.settings), noise: fields.noise.initial });
  }

  /** Fetches the rows of the settings, once. */
  async #fetch(): Promise<void> {
    const { source } = this;
    if (!source?.file || this.#fetched.has(source.file.url)) return;
    const { url } = source.file;
    try {
      const rows = rowsTaken(rowsOfText(await fetchText(url)), source.file);
      this.#fetched = new Map(this.#fetched).set(url, rows);
    } catch (error) {
      if (this.source === source) this.run.report(error);
    }
  }

  #forget(): void {
    this.run.reset();
    this.own.forgetMismatch();
  }
}
