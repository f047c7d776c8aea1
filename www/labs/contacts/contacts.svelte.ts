import { couplingStrengths, type Engine, type FitProgress, type FitResult } from 'unnorm';
import { EngineHolder } from '../../frame/engine-holder.js';
import { OwnFile } from '../../frame/own-file.svelte.js';
import { type Launch, Run } from '../../frame/run.svelte.js';
import { USUAL_WORKERS } from '../../frame/workers.js';
import { readHash, writeHash } from '../../lib/fields.js';
import { corrected, mutualInformation } from '../../lib/mutual-information.js';
import type { Cell } from '../../pictures/cell.js';
import { foldOf } from './folds.js';
import { rankingOf } from './ranking.js';
import { drawn, type OwnSequences, readOwn, type Sequences, truthOf } from './sequences.js';
import { fields, fitSpec, type Settings, settingsOfResult } from './settings.js';

/** The state of the lab and what can be done with it; the only place in it that talks to the engine. */
export class Contacts {
  settings = $state.raw<Settings>(readHash(fields, '').values);
  numWorkers = $state(USUAL_WORKERS);
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  readonly own = new OwnFile<OwnSequences>(() => this.settings);
  /** The pair of sites that is pointed at. */
  cell = $state.raw<Cell>();
  readonly run = new Run<FitProgress<'potts'>, FitResult<'potts'>>();
  /** Sequences drawn, and what they were drawn for. */
  #drawn = $state.raw<{ key: string; sequences: Sequences }>();
  #promise = $state.raw<{ key: string; digest: string }>();
  readonly #engine = new EngineHolder();

  readonly fold = $derived(foldOf(this.settings.data));
  readonly #drawKey = $derived.by(() => {
    const { data, letters, strength, rows, seed } = this.settings;
    return [data, letters, strength, rows, seed].join(' ');
  });
  /** The sequences, once they are here. */
  readonly sequences: Sequences | undefined = $derived.by(() => {
    if (this.settings.data === 'own') return this.own.content;
    return this.#drawn?.key === this.#drawKey ? this.#drawn.sequences : undefined;
  });
  readonly truth = $derived(this.fold && truthOf(this.fold, this.settings));
  readonly numSites = $derived(this.fold?.places.length ?? this.own.content?.numSites ?? 0);
  readonly result = $derived(this.run.result);
  readonly #model = $derived(this.result?.model ?? this.run.progress?.model);
  readonly isCorrected = $derived(this.settings.correction === 'on');
  /** How many pairs are told. */
  readonly numTold = $derived(
    Number(this.settings.told) || (this.truth?.contacts.length ?? this.numSites),
  );
  /** Pairs by their couplings, the strongest first; while it runs those so far. */
  readonly #byCouplings = $derived.by(() => {
    const model = this.#model;
    if (!model?.couplings) return [];
    return couplingStrengths(model, { averageProductCorrection: this.isCorrected });
  });
  readonly #information = $derived.by(() => {
    const { sequences } = this;
    return sequences
      ? mutualInformation(sequences.values, sequences.numSites, sequences.numValues)
      : [];
  });
  readonly #byInformation = $derived(
    this.isCorrected ? corrected(this.#information, this.numSites) : this.#information,
  );
  readonly couplings = $derived(rankingOf(this.#byCouplings, this.truth?.contacts, this.numTold));
  readonly information = $derived(
    rankingOf(this.#byInformation, this.truth?.contacts, this.numTold),
  );
  readonly canStart = $derived(!this.own.reading && (this.fold ?? this.own.content) !== undefined);

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

  /** Changes what the fit depends on: the one that was made goes. */
  change(settings: Partial<Settings>): void {
    this.#forget();
    this.settings = { ...this.settings, ...settings };
  }

  chooseData(data: Settings['data']): void {
    this.change({ data, told: '', file: this.own.idFor(data) });
  }

  /** Changes how many pairs are told; the fit stays. */
  tell(told: number): void {
    const usual = this.truth?.contacts.length ?? this.numSites;
    this.settings = { ...this.settings, told: told === usual ? '' : String(told) };
  }

  /** Ranks with the average product correction or without it; the fit stays. */
  correct(correction: Settings['correction']): void {
    this.settings = { ...this.settings, correction };
  }

  /** Reads a file and goes over to it; on a bad one, everything but the message stays as it was. */
  async read(file: File): Promise<void> {
    try {
      await this.own.read(readOwn(file), (isPromised) => {
        // The file of a link is fitted as the link says.
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

  #launch(): Launch<FitProgress<'potts'>, FitResult<'potts'>> {
    const { settings } = this;
    return {
      engine: async () => {
        const engine = await this.#engine.with(this.numWorkers);
        await this.#draw(engine);
        return engine;
      },
      job: (engine, options) => {
        // While it starts and runs, the settings cannot be changed, and so neither can the sequences.
        const { sequences } = this;
        if (!sequences) throw new Error('The sequences are not here.');
        const { numSites, numValues, rows } = sequences;
        const model = { kind: 'potts', numSites, numValues } as const;
        return engine.fit(
          { model, data: { kind: 'bits', ...rows }, ...fitSpec(settings) },
          options,
        );
      },
      onProgress: () => {},
    };
  }

  async #draw(engine: Engine): Promise<void> {
    const { truth, settings, sequences } = this;
    if (!truth || sequences) return;
    const key = this.#drawKey;
    this.#drawn = { key, sequences: await drawn(engine, truth.model, settings) };
  }

  #forget(): void {
    this.run.reset();
    this.cell = undefined;
    this.own.forgetMismatch();
  }
}
