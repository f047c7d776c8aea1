/**
 * What the types of the package allow and forbid. Compiled, never run: a line that should not
 * compile is marked, and compiling it anyway is the failure.
 */
import {
  type ContinuousResult,
  createEngine,
  type DataSpec,
  type Engine,
  type ExactResult,
  type FitProgress,
  type FitResult,
  type FitSpec,
  invertPatches,
  type JobHandle,
  type LatentResult,
  type SampleResult,
  type TablePosterior,
  UnnormError,
  type UnnormErrorCode,
} from 'unnorm';

/** Compiles only if A and B are the same type. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

const bytes = new Uint8Array(8);
const data: DataSpec = { kind: 'bits', dim: 8, numRows: 8, bits: bytes };

export async function engines(): Promise<void> {
  const engine = await createEngine();
  same<typeof engine, Engine>(true);
  await createEngine({
    numWorkers: 2,
    threads: true,
    wasmUrl: '/unnorm.wasm',
    workerUrl: new URL('x:y'),
  });
  // @ts-expect-error numWorkers is a number
  await createEngine({ numWorkers: '2' });
  // @ts-expect-error there is no such option
  await createEngine({ workers: 2 });
  const version: string = engine.version;
  // @ts-expect-error facts about an engine cannot be set
  engine.version = version;
  same<ReturnType<Engine['close']>, Promise<void>>(true);
}

export function specs(engine: Engine): void {
  const fit: FitSpec = { model: { kind: 'ising', dim: 8 }, data };
  engine.fit(fit);
  engine.fit({
    model: {
      kind: 'ising',
      dim: 4,
      pattern: { kind: 'lattice', numRows: 2, numCols: 2, periodic: false },
    },
    data: { kind: 'rows', rows: [[0, 1, 1, 0]] },
    objective: { kind: 'mpf', connectivity: { kind: 'singleFlips' } },
    optimizer: { kind: 'lbfgs', maxIterations: 100 },
    init: { kind: 'normal', scale: 0.1 },
    seed: 1,
  });
  engine.fit({
    model: {
      kind: 'ising',
      dim: 2,
      couplings: new Float64Array(4),
      pattern: { kind: 'pairs', pairs: [[0, 1]] },
    },
    data: { kind: 'values', dim: 2, values: [0, 1] },
  });
  engine.fit({
    model: { kind: 'rbm', numVisible: 8, numHidden: 2 },
    data,
    objective: { kind: 'persistentContrastiveDivergence', numChains: 100, numSteps: 1 },
    optimizer: {
      kind: 'adam',
      learningRate: { start: 0.1, end: 0.01 },
      coordinates: { kind: 'params' },
    },
    regularizer: { kind: 'l1', strength: 0.01 },
  });
  engine.fit({
    ...fit,
    optimizer: {
      kind: 'lbfgs',
      coordinates: {
        kind: 'metric',
        metric: 'energyApproximation',
        form: 'diagonal',
        damping: { kind: 'stochasticRobust', strength: 0.01 },
      },
    },
  });
  // @ts-expect-error a metric is one of some, in a form
  engine.fit({ ...fit, optimizer: { kind: 'sgd', coordinates: { kind: 'metric' } } });
  engine.fit({ ...fit, objective: { kind: 'mpf', excludeData: true } });
  engine.fit({ ...fit, objective: { kind: 'meanField', order: 'tap', strength: 0.1 } });
  engine.fit({ ...fit, objective: { kind: 'contrastiveDivergence' } });
  // @ts-expect-error chains make a number of steps
  engine.fit({ ...fit, objective: { kind: 'contrastiveDivergence', numSteps: 'few' } });
  engine.fit({ ...fit, optimizer: { kind: 'sgd', learningRate: 0.1 } });
  // @ts-expect-error a learning rate that changes starts and ends
  engine.fit({ ...fit, optimizer: { kind: 'sgd', learningRate: { start: 0.1 } } });
  // @ts-expect-error there is no such kind of penalty
  engine.fit({ ...fit, regularizer: { kind: 'l3', strength: 1 } });
  // @ts-expect-error a fit needs data
  engine.fit({ model: { kind: 'ising', dim: 8 } });
  engine.fit({
    model: { kind: 'ica', dim: 2 },
    states: new Float64Array(8),
    objective: { kind: 'maximumLikelihood' },
  });
  engine.fit({
    model: { kind: 'gaussian', dim: 2 },
    states: [0, 1],
    objective: { kind: 'mpf', connectivity: { kind: 'ball', radius: 1, numSamples: 2 } },
  });
  // @ts-expect-error rows of numbers lie one after another
  engine.fit({ model: { kind: 'ica', dim: 2 }, states: [[0, 1]] });
  // @ts-expect-error a model has a kind
  engine.fit({ model: { dim: 8 }, data });
  // @ts-expect-error there is no such kind of model
  engine.fit({ model: { kind: 'heisenberg', dim: 8 }, data });
  engine.chain({
    curieWeiss: { numSpins: 3, beta: 1 },
    transition: { kind: 'singleSite', rule: 'gibbs' },
  });
  engine.mode({ model: { kind: 'ising', dim: 8 }, observed: { sites: [0], values: [1] } });
  // @ts-expect-error observed sites have values
  engine.mode({ model: { kind: 'ising', dim: 8 }, observed: { sites: [0] } });
  // @ts-expect-error dim is required
  engine.fit({ model: { kind: 'ising' }, data });
  // @ts-expect-error unknown fields are refused
  engine.fit({ ...fit, sede: 1 });
  // @ts-expect-error a seed is a number
  engine.fit({ ...fit, seed: '1' });
  // @ts-expect-error bits need to know how many rows there are
  engine.fit({ ...fit, data: { kind: 'bits', dim: 8, bits: bytes } });
  // @ts-expect-error a file comes as a Uint8Array
  engine.fit({ ...fit, data: { kind: 'csv', bytes: '0,1' } });
  engine.exact({ model: fit.model, data, connectivity: { kind: 'singleFlips' } });
  // @ts-expect-error data of fit and exact are rows, not a path
  engine.exact({ model: fit.model, data: 'rows.csv' });
  // @ts-expect-error sampling needs to know how much
  engine.sample({ model: fit.model, transition: { kind: 'gibbs' } });
}

export async function results(engine: Engine, spec: FitSpec): Promise<void> {
  const handle = engine.fit(spec);
  same<typeof handle, JobHandle<FitProgress, FitResult>>(true);
  const result = await handle;
  same<typeof result, FitResult>(true);
  same<FitResult['digest'], string>(true);
  same<FitResult['converged'], boolean>(true);
  for await (const progress of handle) same<typeof progress, FitProgress>(true);
  same<Awaited<ReturnType<Engine['exact']>>, ExactResult>(true);
  const spec2 = { transition: { kind: 'gibbs' }, numChains: 1, numWarmup: 0, numDraws: 1 } as const;
  const bits = await engine.sample({ ...spec2, model: { kind: 'ising', dim: 2 } });
  same<typeof bits, SampleResult>(true);
  const numbers = await engine.sample({ ...spec2, model: { kind: 'ring' } });
  same<typeof numbers, ContinuousResult>(true);
  const formula = { kind: 'formula', expression: 'x*y' } as const;
  const reals = await engine.sample({ ...spec2, model: formula });
  same<typeof reals, ContinuousResult>(true);
  const ofBits = await engine.sample({ ...spec2, model: { ...formula, binary: true } });
  same<typeof ofBits, SampleResult>(true);
  const isBinary: boolean = spec2.numDraws > 0;
  const either = await engine.sample({ ...spec2, model: { ...formula, binary: isBinary } });
  same<typeof either, SampleResult | ContinuousResult>(true);
  const sum = { kind: 'combined', how: 'sum' } as const;
  const ofParts = await engine.sample({
    ...spec2,
    model: {
      ...sum,
      parts: [
        { model: { kind: 'ising', dim: 2 } },
        { model: { kind: 'rbm', numVisible: 2, numHidden: 1 } },
      ],
    },
  });
  same<typeof ofParts, SampleResult>(true);
  const ofReals = await engine.sample({
    ...spec2,
    model: { ...sum, parts: [{ model: { kind: 'ring' } }] },
  });
  same<typeof ofReals, ContinuousResult>(true);
  const ofFormulas = await engine.sample({
    ...spec2,
    model: { ...sum, parts: [{ model: formula }] },
  });
  same<typeof ofFormulas, SampleResult | ContinuousResult>(true);
  const table = { kind: 'lowRank', dim: 2, numFactors: 1, states: new Float64Array(4) } as const;
  const hidden = await engine.sample({ ...spec2, model: table });
  same<typeof hidden, LatentResult>(true);
  same<(typeof hidden)['draws']['hidden'], Float64Array>(true);
  same<ExactResult['table'], TablePosterior | undefined>(true);
  same<ExactResult['logZ'], number>(true);
  same<ExactResult['logLikelihood'], number | undefined>(true);
  // Not every method tells them.
  same<ExactResult['moments'], Float64Array | undefined>(true);
  same<ExactResult['meanEnergy'], number | undefined>(true);
  // The couplings of a fit are there, and typed.
  same<FitResult<'ising'>['model']['couplings'], Float64Array>(true);
  same<FitProgress<'ising'>['model']['couplings'], Float64Array>(true);
  same<FitResult<'rbm'>['model']['visibleBias'], Float64Array>(true);
  // The kind of model that goes in is the kind that comes out.
  const ising = await engine.fit({ model: { kind: 'ising', dim: 8 }, data });
  same<typeof ising, FitResult<'ising'>>(true);
  const rbm = engine.fit({ model: { kind: 'rbm', numVisible: 8, numHidden: 2 }, data });
  for await (const { model } of rbm) same<typeof model.weights, Float64Array>(true);
  const dbn = await engine.fit({ model: { kind: 'dbn', sizes: [8, 4, 2] }, data });
  for (const layer of dbn.model.layers) same<typeof layer.weights, Float64Array>(true);
  same<typeof dbn.model.sizes, number[]>(true);
  // @ts-expect-error an RBM has no couplings
  void (await rbm).model.couplings;

  const { draws } = await engine.sample({
    model: { kind: 'ising', dim: 8 },
    transition: { kind: 'gibbs' },
    numChains: 2,
    numWarmup: 10,
    numDraws: 10,
    start: { kind: 'data', data },
  });
  // What one verb gives is what the next takes.
  engine.fit({ model: result.model, data: { kind: 'bits', ...draws } });
  engine.fit({ model: result.model, data: { kind: 'bits', ...(await engine.readData(data)) } });
}

export async function patches(engine: Engine): Promise<void> {
  const pictures = [{ width: 4, height: 4, channels: 4, pixels: new Uint8ClampedArray(64) }];
  const counts = { patchSize: 2, numComponents: 3, numPatches: 10 };
  const { states, transform } = await engine.patches({ pictures, ...counts });
  same<typeof states, Float64Array>(true);
  same<typeof transform.components, Float64Array>(true);
  const inverted: Float64Array = invertPatches(transform, states);
  // What one run gives is what another takes.
  engine.patches({ pictures, numPatches: inverted.length, transform });
  // @ts-expect-error there is no such field
  engine.patches({ pictures, ...counts, size: 2 });
  // @ts-expect-error a picture has a width
  engine.patches({ ...counts, pictures: [{ height: 4, pixels: [1] }] });
}

export async function handles(engine: Engine, spec: FitSpec): Promise<void> {
  const controller = new AbortController();
  const handle = engine.fit(spec, {
    signal: controller.signal,
    onProgress: (progress) => same<typeof progress, FitProgress>(true),
    resumeFrom: bytes,
    progressInterval: 100,
  });
  // @ts-expect-error there is no such option
  engine.fit(spec, { onprogress: () => undefined });
  // @ts-expect-error a checkpoint is bytes
  engine.fit(spec, { resumeFrom: 'checkpoint' });
  // @ts-expect-error the progress of a fit is not that of sampling
  engine.fit(spec, { onProgress: (progress: { verb: 'sample' }) => progress });
  same<ReturnType<typeof handle.pause>, Promise<void>>(true);
  same<ReturnType<typeof handle.resume>, void>(true);
  const saved: Uint8Array = await handle.checkpoint();
  engine.fit(spec, { resumeFrom: saved });
  const recovered = await handle.catch(() => 'none' as const);
  same<typeof recovered, FitResult | 'none'>(true);
  same<typeof handle.result, Promise<FitResult>>(true);
}

export function errors(error: unknown): UnnormErrorCode | undefined {
  if (!(error instanceof UnnormError)) return undefined;
  const field: string | undefined = error.field;
  const checkpoint: Uint8Array | undefined = error.checkpoint;
  void [field, checkpoint];
  // @ts-expect-error there is no such code
  if (error.code === 'oops') return undefined;
  return error.code;
}
