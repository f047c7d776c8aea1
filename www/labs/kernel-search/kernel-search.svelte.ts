import type { KernelsProgress, KernelsResult } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { OwnFile } from '../../frame/own-file.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { fetchText } from '../../lib/text-files.js';
import { meansOver, seriesOfText } from '../../lib/time-series.js';
import { levelsOf } from './levels.js';
import { type OwnSeries, readOwnSeries } from './own-series.js';
import {
  fields,
  kernelsSpec,
  numSeen,
  type Series,
  type Settings,
  settingsOfResult,
  timesPredicted,
} from './settings.js';
import { STEPS, sourceOf } from './sources.js';
import type { Span } from './words.js';

/** Milliseconds between reports; levels take longer. */
const REPORT_INTERVAL = 100;

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class KernelSearch {
  settings = $state.raw<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly own = new OwnFile<OwnSeries>(() => this.settings);
  readonly run = new Run<KernelsProgress, KernelsResult>();
  /** The series that were fetched, by their addresses. */
  #fetched = $state.raw<ReadonlyMap<string, Series>>(new Map());
  #promise = $state.raw<{ key: string; digest: string }>();
  readonly #engine = new EngineHolder();

  readonly source = $derived(sourceOf(this.settings.data));
  readonly #whole: Series | undefined = $derived.by(() => {
    const { source, settings } = this;
    if (!source) return this.own.content;
    return source.made ? source.made.make(settings.seed) : this.#fetched.get(source.url ?? '');
  });
  /** The series that is searched, once it is here: means of neighbours, if they are asked for. */
  readonly series: Series | undefined = $derived.by(() => {
    const size = this.settings.meansOver;
    return this.#whole && size > 1 ? meansOver(this.#whole, size) : this.#whole;
  });
  readonly unit = $derived(this.source?.unit ?? this.own.content?.unit ?? STEPS);
  readonly timeName = $derived(this.source ? this.unit.one : this.own.content?.timeName || 'time');
  readonly valueName = $derived(
    this.source?.valueName ?? (this.own.content?.valueName || 'values'),
  );
  readonly numSeen = $derived(this.series ? numSeen(this.series, this.settings) : 0);
  /** The values that the search does not see. */
  readonly hidden: readonly number[] = $derived(this.series?.values.slice(this.numSeen) ?? []);
  /** Where the function is predicted: seen times first. */
  readonly times: readonly number[] = $derived(
    this.series ? timesPredicted(this.series, this.settings) : [],
  );
  readonly span: Span = $derived.by(() => {
    const [first, last] = [this.times[0] ?? 0, this.times[this.numSeen - 1] ?? 1];
    return { first, last, step: (last - first) / Math.max(1, this.numSeen - 1), unit: this.unit };
  });
  readonly result = $derived(this.run.result);
  readonly levels = $derived(
    levelsOf(this.result?.levels ?? this.run.progress?.levels ?? [], this.numSeen, this.hidden),
  );
  readonly best = $derived(this.levels.find(({ isBest }) => isBest));
  /** The level that is looked at: while it runs the best so far, then the best or another that was chosen. */
  readonly shown = $derived(
    (this.run.busy ? undefined : this.levels[Number(this.settings.level) - 1]) ?? this.best,
  );
  readonly numTried = $derived.by(() => {
    const complete = this.levels.reduce((sum, { level }) => sum + level.candidates.length, 0);
    const { progress } = this.run;
    const isBetween = !this.result && progress && progress.level > progress.levels.length;
    return complete + (isBetween ? progress.numDone : 0);
  });
  readonly canStart = $derived(!this.own.reading && this.series !== undefined);

  readonly #key = $derived(writeHash(fields, settingsOfResult(this.settings)));
  readonly digest = $derived(this.result?.digest);
  readonly promisedDigest = $derived(this.#promise?.key === this.#key ? this.#promise.digest : '');
  readonly hash = $derived(writeHash(fields, { ...this.settings, digest: this.promisedDigest }));

  /** Takes over the settings of an address. */
  open(hash: string): void {
    if (hash === this.hash && this.series) return;
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
    this.settings = { ...this.settings, level: '', ...settings };
    void this.#fetch();
  }

  chooseData(data: Settings['data']): void {
    const file = this.own.idFor(data);
    this.change({ data, file, meansOver: sourceOf(data)?.meansOver ?? 1 });
  }

  /** Looks at another level. */
  lookAt(level: number): void {
    this.settings = { ...this.settings, level: level === this.best?.number ? '' : String(level) };
  }

  /** Reads a file, or text that was pasted, and goes over to it; on a bad one, everything but the message stays as it was. */
  async read(file: File): Promise<void> {
    try {
      await this.own.read(readOwnSeries(file), (isPromised) => {
        // The file of a link is searched as the link says.
        if (isPromised) this.#forget();
        else this.chooseData('own');
      });
    } catch (error) {
      this.run.report(error);
    }
  }

  start(): Promise<void> {
    return this.run.start(this.#launch());
  }

  continue(): Promise<void> {
    return this.run.continue(this.#launch());
  }

  #launch(): Launch<KernelsProgress, KernelsResult> {
    const { settings, series } = this;
    return {
      engine: () => this.#engine.with(this.numWorkers),
      job: (engine, options) => {
        if (!series) throw new Error('The series is not here.');
        return engine.kernels(kernelsSpec(series, settings), options);
      },
      progressInterval: REPORT_INTERVAL,
      onProgress: () => {},
    };
  }

  /** Fetches the series of the settings, once. */
  async #fetch(): Promise<void> {
    const url = this.source?.url;
    if (!url || this.#fetched.has(url)) return;
    try {
      const series = seriesOfText(await fetchText(url));
      this.#fetched = new Map(this.#fetched).set(url, series);
    } catch (error) {
      if (this.source?.url === url) this.run.report(error);
    }
  }

  #forget(): void {
    this.run.reset();
    this.own.forgetMismatch();
  }
}
