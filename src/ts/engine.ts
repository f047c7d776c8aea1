/**
 * The engine: the verbs, over a pool of workers.
 */

import { copyBytes, describe, invalidSpec, isObject, refuseUnknown } from './checks.js';
import { prepareData } from './data.js';
import { messageOf, UnnormError } from './errors.js';
import { handleOf, type JobHandle, type RunOptions } from './handle.js';
import { JobTask } from './job-task.js';
import { checkSupport, startAborted } from './loader.js';
import type { Platform } from './platform.js';
import { Pool } from './pool.js';
import { ReadTask } from './read-task.js';
import { PATIENCE_MS } from './silence.js';
import { prepareSpec } from './spec.js';
import type {
  ChainProgress,
  ChainResult,
  ChainSpec,
  DataSpec,
  EnergiesProgress,
  EnergiesResult,
  EnergiesSpec,
  EvidenceProgress,
  EvidenceResult,
  EvidenceSpec,
  ExactProgress,
  ExactResult,
  ExactSpec,
  FitProgress,
  FitResult,
  FitSpec,
  KernelsProgress,
  KernelsResult,
  KernelsSpec,
  LogZProgress,
  LogZResult,
  LogZSpec,
  MemorizeProgress,
  MemorizeResult,
  MemorizeSpec,
  ModelKind,
  ModeProgress,
  ModeResult,
  ModeSpec,
  NetworkProgress,
  NetworkResult,
  NetworkSpec,
  PartOf,
  PatchesProgress,
  PatchesResult,
  PatchesSpec,
  ReadData,
  RecallProgress,
  RecallResult,
  RecallSpec,
  SampleProgress,
  SampleResultOf,
  SampleSpec,
  SplineProgress,
  SplineResult,
  SplineSpec,
  StructureProgress,
  StructureResult,
  StructureSpec,
} from './types.js';
import { type Verb, verbNames } from './verbs.js';

const DEFAULT_PROGRESS_INTERVAL = 50;
const DEFAULT_MAX_WORKERS = 8;
const MAX_WORKERS = 64;

/** How to set up an engine. */
export interface EngineOptions {
  /** Number of workers, from 1 to 64. Default: the number of processors, at most 8. */
  numWorkers?: number | undefined;
  /**
   * Use one worker with `numWorkers` threads over a shared memory instead of that many workers.
   * Needs a cross-origin isolated page. The results are the same. Default false.
   */
  threads?: boolean | undefined;
  /**
   * Compute on a graphics processor, by WebGPU, what can be, if there is one: at present the checkerboard on
   * large uniform tori. The results are the same. Default false.
   */
  gpu?: boolean | undefined;
  /** The URL of the WebAssembly file, for bundlers that do not find it by themselves. */
  wasmUrl?: string | URL | undefined;
  /** The URL of the worker's script, for bundlers that do not find it by themselves. */
  workerUrl?: string | URL | undefined;
  /**
   * Start workers from a blob that imports their script. This is for a package, or a bundle, on
   * another origin than the page's, such as a CDN, from which browsers start no worker. A content
   * security policy must then allow `blob:` in `worker-src`. Not with `threads`; without effect in
   * Node. Default false.
   */
  blobWorker?: boolean | undefined;
  /**
   * Aborting it cancels the start of the engine, which then rejects with code 'aborted'. It has no
   * effect on a started engine.
   */
  signal?: AbortSignal | undefined;
  /**
   * How long, in milliseconds, a server or a worker may be silent before it counts as lost: an
   * engine then does not start, a worker is replaced. Workers answer within some 20 ms while they
   * compute, except while a function of a custom model runs. `Infinity` waits forever. Default
   * 60,000.
   */
  patience?: number | undefined;
}

/**
 * Fits, samples and normalizes energy-based models in workers.
 *
 * Specs are plain data and are copied; the caller's objects are never changed or detached. Verbs
 * never throw: an invalid spec rejects the handle with an `UnnormError`. Results depend on the
 * spec, the data and the seed only, to the last bit.
 */
export interface Engine {
  /** Maximum number of workers, or threads. */
  readonly numWorkers: number;
  /** Whether it uses the build with shared memory. */
  readonly threads: boolean;
  /** The name of the graphics processor that is used; undefined where all is done by the CPU. */
  readonly gpu: string | undefined;
  /** The version of the numerical core. */
  readonly version: string;
  /** Fits a model's parameters to data. The fitted model is of the same kind as the given one. */
  fit<Kind extends ModelKind>(
    spec: FitSpec & { model: { kind: Kind } },
    run?: RunOptions<FitProgress<Kind>>,
  ): JobHandle<FitProgress<Kind>, FitResult<Kind>>;
  /**
   * Draws from a model: bits from a binary one, numbers from one on ℝᴰ, and from one of a table its
   * hidden variables.
   */
  sample<
    Kind extends ModelKind,
    Binary extends boolean = false,
    PartKind extends ModelKind = ModelKind,
  >(
    spec: SampleSpec & {
      model: { kind: Kind; binary?: Binary; parts?: readonly PartOf<PartKind>[] };
    },
    run?: RunOptions<SampleProgress>,
  ): JobHandle<SampleProgress, SampleResultOf<Kind, Binary, PartKind>>;
  /**
   * Estimates a model's log Z by annealed importance sampling, with its error; with exact draws
   * also in reverse, with lower and upper bounds; given rows, their likelihood too.
   */
  logZ(spec: LogZSpec, run?: RunOptions<LogZProgress>): JobHandle<LogZProgress, LogZResult>;
  /** Finds the knots of a moment averages path to a binary model, for `logZ` to anneal along. */
  spline(
    spec: SplineSpec,
    run?: RunOptions<SplineProgress>,
  ): JobHandle<SplineProgress, SplineResult>;
  /**
   * Computes a model's partition function exactly, by the first method that applies, and the other
   * quantities of that method; given data, their likelihood too and, given a connectivity, its
   * lower bound by minimum probability flow.
   */
  exact(spec: ExactSpec, run?: RunOptions<ExactProgress>): JobHandle<ExactProgress, ExactResult>;
  /** Computes the energies of given states and, on ℝᴰ, their gradients. */
  energies(
    spec: EnergiesSpec,
    run?: RunOptions<EnergiesProgress>,
  ): JobHandle<EnergiesProgress, EnergiesResult>;
  /**
   * Estimates the evidence ln p(Y) of a table of numbers under a model with hidden variables for each
   * row: clusters, low rank or binary attributes. Where the table is simulated, annealing in both
   * directions gives certified bounds.
   */
  evidence(
    spec: EvidenceSpec,
    run?: RunOptions<EvidenceProgress>,
  ): JobHandle<EvidenceProgress, EvidenceResult>;
  /**
   * Computes what holds of a finite Markov chain, without random numbers: stationary distribution,
   * detailed balance, spectral gap, mixing time and conductance. The chain is given by its matrix, or
   * is a small binary model's under a transition of the library.
   */
  chain(spec: ChainSpec, run?: RunOptions<ChainProgress>): JobHandle<ChainProgress, ChainResult>;
  /**
   * Finds the most probable state of a binary model, exactly: by a minimum cut if it is an Ising model
   * without a positive coupling, else by enumeration of up to 20 sites.
   */
  mode(spec: ModeSpec, run?: RunOptions<ModeProgress>): JobHandle<ModeProgress, ModeResult>;
  /**
   * Fits a sparse network to rows of zeros and ones: an Ising model with an L1 penalty on its couplings, the
   * penalty chosen by extended BIC, cross-validation or stability, with an interval for every pair.
   */
  network(
    spec: NetworkSpec,
    run?: RunOptions<NetworkProgress>,
  ): JobHandle<NetworkProgress, NetworkResult>;
  /**
   * Finds the kernel of a Gaussian process that explains values at inputs, by a search over sums and products of
   * base kernels, takes the function apart into components, and predicts it elsewhere.
   */
  kernels(
    spec: KernelsSpec,
    run?: RunOptions<KernelsProgress>,
  ): JobHandle<KernelsProgress, KernelsResult>;
  /**
   * Finds the structure of a table, by a search over sums and products of simple random matrices: clusters, factors,
   * attributes, random walks, and combinations of these. Rows and columns that are held out say which is best.
   */
  structure(
    spec: StructureSpec,
    run?: RunOptions<StructureProgress>,
  ): JobHandle<StructureProgress, StructureResult>;
  /** Stores patterns in an Ising model, as strict local minima of its energy, by a learning rule. */
  memorize(
    spec: MemorizeSpec,
    run?: RunOptions<MemorizeProgress>,
  ): JobHandle<MemorizeProgress, MemorizeResult>;
  /**
   * Recalls patterns: sets an Ising model's units, one by one, to the values that lower its energy.
   */
  recall(
    spec: RecallSpec,
    run?: RunOptions<RecallProgress>,
  ): JobHandle<RecallProgress, RecallResult>;
  /**
   * Takes patches from pictures at random positions and makes states of models on ℝᴰ from them:
   * takes logarithms, subtracts the mean, projects onto principal components, and whitens.
   */
  patches(
    spec: PatchesSpec,
    run?: RunOptions<PatchesProgress>,
  ): JobHandle<PatchesProgress, PatchesResult>;
  /**
   * Reads and checks data, such as a file; the result can be passed on as `kind: 'bits'`. It says
   * whether the entries were 0 and 1 or the −1 and 1 of spins.
   */
  readData(data: DataSpec): Promise<ReadData>;
  /** Ends all workers. Running jobs reject with code 'closed', as do all later calls. */
  close(): Promise<void>;
}

/** Creates an engine on a platform. */
export async function createEngineOn(
  platform: Platform,
  options: EngineOptions = {},
): Promise<Engine> {
  checkOptions(options);
  const { threads = false, wasmUrl, workerUrl, blobWorker = false } = options;
  const { signal, patience = PATIENCE_MS, gpu = false } = options;
  if (signal?.aborted) throw startAborted(signal);
  checkSupport(platform, threads);
  const numWorkers = options.numWorkers ?? Math.min(platform.numProcessors(), DEFAULT_MAX_WORKERS);
  const pool = new Pool({
    platform,
    module: await platform.compile(threads, wasmUrl, { signal, patience }),
    numSlots: threads ? 1 : numWorkers,
    numThreads: threads ? numWorkers : 0,
    script: { url: workerUrl, blob: blobWorker },
    patience,
    gpu,
  });
  try {
    return engineOver(pool, { numWorkers, threads, version: await pool.start(signal) });
  } catch (error) {
    await pool.close();
    throw error;
  }
}

function engineOver(
  pool: Pool,
  facts: { numWorkers: number; threads: boolean; version: string },
): Engine {
  let numTasks = 0;
  const begin = <P, R>(verb: Verb, spec: unknown, run: RunOptions<P> = {}): JobHandle<P, R> => {
    const task = new JobTask<P, R>(numTasks++);
    try {
      checkRun(run);
      const { resumeFrom, streamDraws = false } = run;
      const { progressInterval = DEFAULT_PROGRESS_INTERVAL } = run;
      const checkpoint = resumeFrom && copyBytes(resumeFrom, 'resumeFrom', 'bad-checkpoint');
      const request = {
        ...prepareSpec(verb, spec),
        checkpoint,
        progressInterval,
        streamDraws,
        run,
      };
      task.begin(request, pool);
    } catch (error) {
      task.fail(asUnnormError(error));
    }
    return handleOf(task);
  };
  const verbs = verbNames.map((verb) => [
    verb,
    (spec: unknown, run?: RunOptions<never>) => begin(verb, spec, run),
  ]);
  return {
    ...facts,
    get gpu() {
      return pool.gpu;
    },
    ...(Object.fromEntries(verbs) as Pick<Engine, Verb>),
    readData: (data) => {
      const task = new ReadTask(numTasks++);
      try {
        task.begin(prepareData(data, 'data'), pool);
      } catch (error) {
        task.fail(asUnnormError(error));
      }
      return task.result;
    },
    close: () => pool.close(),
  };
}

function checkOptions(options: unknown): void {
  if (!isObject(options)) throw invalidSpec('options', `must be an object`);
  const known = 'numWorkers threads gpu wasmUrl workerUrl blobWorker signal patience'.split(' ');
  refuseUnknown(options, known, '', 'invalid-spec');
  const { numWorkers, threads, gpu, blobWorker, signal, patience } = options;
  const isCount = Number.isInteger(numWorkers) && (numWorkers as number) >= 1;
  if (numWorkers !== undefined && !(isCount && (numWorkers as number) <= MAX_WORKERS)) {
    const words = `must be a whole number from 1 to ${MAX_WORKERS}`;
    throw invalidSpec('numWorkers', `${words}, got ${describe(numWorkers)}`);
  }
  for (const [field, value] of Object.entries({ threads, gpu, blobWorker })) {
    if (value !== undefined && typeof value !== 'boolean') {
      throw invalidSpec(field, `must be true or false, got ${describe(value)}`);
    }
  }
  if (threads && blobWorker) {
    throw invalidSpec('blobWorker', 'cannot be had with threads: leave out one of them');
  }
  checkSignal(signal);
  if (patience !== undefined && !(typeof patience === 'number' && patience > 0)) {
    const words = 'must be a number of milliseconds above 0';
    throw invalidSpec('patience', `${words}, got ${describe(patience)}`);
  }
  for (const field of ['wasmUrl', 'workerUrl']) {
    const value = options[field];
    const isUrl = Object.prototype.toString.call(value) === '[object URL]';
    if (value !== undefined && typeof value !== 'string' && !isUrl) {
      throw invalidSpec(field, `must be an address, as a text or a URL, got ${describe(value)}`);
    }
  }
}

function checkRun(run: unknown): void {
  if (!isObject(run)) throw invalidSpec('run', `must be an object, got ${describe(run)}`);
  const known = ['signal', 'onProgress', 'resumeFrom', 'progressInterval', 'streamDraws'];
  refuseUnknown(run, known, '', 'invalid-spec');
  const { signal, onProgress, progressInterval, streamDraws } = run;
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw invalidSpec('onProgress', `must be a function, got ${describe(onProgress)}`);
  }
  if (streamDraws !== undefined && typeof streamDraws !== 'boolean') {
    throw invalidSpec('streamDraws', `must be true or false, got ${describe(streamDraws)}`);
  }
  checkSignal(signal);
  if (progressInterval !== undefined && !((progressInterval as number) >= 0)) {
    throw invalidSpec(
      'progressInterval',
      `must be a number of milliseconds, got ${describe(progressInterval)}`,
    );
  }
}

function checkSignal(signal: unknown): void {
  if (signal !== undefined && typeof (signal as AbortSignal)?.addEventListener !== 'function') {
    throw invalidSpec('signal', `must be an AbortSignal, got ${describe(signal)}`);
  }
}

/** Converts anything that was thrown while a spec was prepared, such as by a getter in it. */
function asUnnormError(error: unknown): UnnormError {
  if (error instanceof UnnormError) return error;
  return new UnnormError('invalid-spec', messageOf(error), { cause: error });
}
