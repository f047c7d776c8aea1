import wasmUrl from '../../dist/wasm/plain/unnorm_bg.wasm?url&no-inline';
import fingerprints from '../data/fingerprints-80.bits?url&no-inline';
import digits from '../data/mnist-binary-9000.bits?url&no-inline';
import glass from '../data/spin-glass-10x10.bits?url&no-inline';
import couplings from '../data/spin-glass-10x10.couplings.npy?url&no-inline';
import type { RunError, RunStatus } from '../frame/run-control.js';
import { download } from '../lib/download.js';
import { initialValues, readHash, writeHash } from '../lib/fields.js';
import type { FromBench, ToBench } from './protocol.js';
import reference from './reference.json';
import { type Crew, crewsOf, fields, roundsOf, type Settings } from './settings.js';
import { quantile } from './statistics.js';
import { workloads } from './workloads.js';

/** Whole addresses: the worker lies elsewhere. */
const whole = (url: string) => new URL(url, location.href).href;

/** What is served of the files that workloads read. */
const FILES: Record<string, string> = {
  'www/data/fingerprints-80.bits': whole(fingerprints),
  'www/data/mnist-binary-9000.bits': whole(digits),
  'www/data/spin-glass-10x10.bits': whole(glass),
  'www/data/spin-glass-10x10.couplings.npy': whole(couplings),
};

/** What a timing takes if nothing is known of it, in milliseconds. */
const UNKNOWN = 1000;

export interface Timing {
  /** In milliseconds. */
  median: number;
  /** From the first quartile to the third. */
  spread: number;
  count: number;
}

export interface Row {
  id: string;
  name: string;
  one: Timing | undefined;
  many: Timing | undefined;
  /** How many times as fast as the project's own machine, on one worker. */
  toReference: number | undefined;
  /** Of the first result. */
  digest: string | undefined;
  /** Whether it is the known one; undefined before there is one. */
  sameBits: boolean | undefined;
}

interface Known {
  digest: string;
  /** If it was measured on that machine. */
  milliseconds?: number;
}

/** The bench on the visitor's machine. */
export class Bench {
  settings = $state<Settings>(initialValues(fields));
  /** What in the address was not understood. */
  linkProblems = $state.raw<string[]>([]);
  status = $state<RunStatus>('idle');
  error = $state.raw<RunError>();
  /** Seconds so far, without pauses. */
  seconds = $state(0);
  /** What is being timed. */
  current = $state.raw<{ id: string; crew: Crew }>();
  /** What the numbers on the page were measured with. */
  measured = $state.raw<Settings>();
  #samples = $state.raw<ReadonlyMap<string, readonly number[]>>(new Map());
  #digests = $state.raw<ReadonlyMap<string, string>>(new Map());
  #worker: Worker | undefined;
  #clock: ReturnType<typeof setInterval> | undefined;
  numDone = $state(0);
  #doneWeight = $state(0);

  readonly busy = $derived(
    this.status === 'starting' || this.status === 'running' || this.status === 'paused',
  );
  readonly hash = $derived(writeHash(fields, this.settings));
  readonly #shown = $derived(this.measured ?? this.settings);
  readonly #known = $derived<Readonly<Record<string, Known>>>(reference[this.#shown.size]);
  readonly #works = $derived(worksOf(this.#shown));
  readonly #turns = $derived(
    this.#works.flatMap((work) => {
      const weight = this.#known[work.id]?.milliseconds ?? UNKNOWN;
      const numTurns = roundsOf(work, numRounds(this.#shown)).length;
      return crewsOf(work, this.#shown.workers).map((crew) => ({
        id: work.id,
        numTurns,
        weight: this.#weightOf(work.kind, weight, crew),
      }));
    }),
  );
  readonly numTurns = $derived(this.#turns.reduce((sum, { numTurns }) => sum + numTurns, 0));
  readonly #weight = $derived(
    this.#turns.reduce((sum, { numTurns, weight }) => sum + numTurns * weight, 0),
  );
  readonly fraction = $derived(this.status === 'done' ? 1 : this.#doneWeight / this.#weight);
  readonly secondsLeft = $derived(
    this.fraction > 0.01 && this.seconds > 0.5
      ? (this.seconds * (1 - this.fraction)) / this.fraction
      : undefined,
  );
  readonly rows = $derived<Row[]>(
    this.#works.map(({ id, name }) => {
      const known = this.#known[id];
      const one = timingOf(this.#samples.get(`${id} one`));
      const digest = this.#digests.get(id);
      return {
        id,
        name,
        one,
        many: timingOf(this.#samples.get(`${id} many`)),
        toReference: one && known?.milliseconds ? known.milliseconds / one.median : undefined,
        digest,
        sameBits: digest === undefined ? undefined : digest === known?.digest,
      };
    }),
  );

  /** Takes over the settings of an address; one that leads to a heading has none. */
  open(hash: string): void {
    if (!hash.includes('=')) return;
    const { values, problems } = readHash(fields, hash);
    this.settings = values;
    this.linkProblems = problems;
  }

  start(): void {
    this.stop();
    const { size, workers } = this.settings;
    this.measured = { ...this.settings };
    this.#samples = new Map();
    this.#digests = new Map();
    this.numDone = 0;
    this.#doneWeight = 0;
    this.seconds = 0;
    this.error = undefined;
    this.status = 'starting';
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromBench>) => this.#hear(data);
    worker.onerror = (event) => this.#fail(event.message || 'the worker could not be loaded');
    this.#tell({
      kind: 'start',
      size,
      numWorkers: workers,
      numRounds: numRounds(this.settings),
      ids: this.#works.map(({ id }) => id),
      files: FILES,
      wasmUrl: whole(wasmUrl),
    });
  }

  stop(): void {
    if (!this.busy) return;
    this.#end();
    this.status = 'stopped';
  }

  pause(): void {
    this.#tell({ kind: 'pause' });
    this.#tick(false);
    this.status = 'paused';
  }

  resume(): void {
    this.#tell({ kind: 'resume' });
    this.#tick(true);
    this.status = 'running';
  }

  save(): void {
    const { userAgent, hardwareConcurrency } = navigator;
    const report = {
      machine: { userAgent, hardwareConcurrency, crossOriginIsolated },
      settings: this.measured,
      reference: reference.machine,
      rows: this.rows,
    };
    download('unnorm-bench.json', JSON.stringify(report, null, 2), 'application/json');
  }

  #tell(message: ToBench): void {
    this.#worker?.postMessage(message);
  }

  #hear(message: FromBench): void {
    if (message.kind === 'failed') return this.#fail(message.message);
    if (message.kind === 'done') {
      this.#end();
      this.status = 'done';
      return;
    }
    if (this.status === 'starting') {
      this.status = 'running';
      this.#tick(true);
    }
    const { id, crew } = message;
    if (message.kind === 'begun') {
      this.current = { id, crew };
      return;
    }
    this.numDone += 1;
    const { kind } = this.#works.find((work) => work.id === id) ?? { kind: 'sample' };
    this.#doneWeight += this.#weightOf(kind, this.#known[id]?.milliseconds ?? UNKNOWN, crew);
    if (message.round < 0) return;
    const key = `${id} ${crew}`;
    const times = [...(this.#samples.get(key) ?? []), ...message.milliseconds];
    this.#samples = new Map(this.#samples).set(key, times);
    // One worker and many have the same, or the visitor is to see that they have not.
    const earlier = this.#digests.get(id);
    if (message.round === 0 && (earlier === undefined || earlier === this.#known[id]?.digest))
      this.#digests = new Map(this.#digests).set(id, message.digest);
  }

  /** How long a turn takes beside the others. */
  #weightOf(kind: string, milliseconds: number, crew: Crew): number {
    // Evaluations are made again and again for a set time, and the data are read before.
    if (kind === 'evaluate') return 2 * milliseconds + (this.#shown.size === 'small' ? 30 : 500);
    return crew === 'one' ? milliseconds : milliseconds / Math.min(2, this.#shown.workers);
  }

  #fail(message: string): void {
    this.#end();
    this.error = { message, code: undefined };
    this.status = 'failed';
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.current = undefined;
    this.#tick(false);
  }

  #tick(runs: boolean): void {
    clearInterval(this.#clock);
    if (!runs) return;
    const start = performance.now() - 1000 * this.seconds;
    this.#clock = setInterval(() => {
      this.seconds = (performance.now() - start) / 1000;
    }, 200);
  }
}

/** Rounds that count. */
function numRounds({ size }: Settings): number {
  return size === 'small' ? 2 : 3;
}

interface Work {
  id: string;
  name: string;
  kind: string;
  engines: string[];
}

/** The workloads whose data are served, and that need no preparation beyond the player's; posteriors are for peers. */
function worksOf({ size }: Settings): Work[] {
  return workloads({ quick: size === 'small', couplings: [] })
    .filter(({ kind }) => kind !== 'posterior')
    .filter(({ spec, gap }) => gap === undefined && (!spec.data || spec.data.file in FILES))
    .map(({ id, name, kind, engines }) => ({ id, name, kind, engines }));
}

function timingOf(samples: readonly number[] | undefined): Timing | undefined {
  if (!samples?.length) return undefined;
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    spread: quantile(sorted, 0.75) - quantile(sorted, 0.25),
    count: sorted.length,
  };
}
