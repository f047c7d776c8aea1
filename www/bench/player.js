import { leastBulkEss } from './statistics.js';

/**
 * Plays the bench with the package, in Node and on a page alike; what tests/bench/kernels.rs is natively.
 */

/**
 * @param {object} parts
 * @param {typeof import('unnorm').createEngine} parts.createEngine the package's
 * @param {typeof import('../../dist/wasm/plain/unnorm.js')} parts.wasm what the package's workers run, started
 * @param {(file: string) => Promise<Uint8Array>} parts.read reads a file of the repository
 */
export function createPlayer({ createEngine, wasm, read }) {
  const engines = new Map();
  const files = new Map();

  /** The spec without its data, and the bits the data name, if they do not have them along. */
  const open = async ({ data, ...spec }) => {
    if (data.bits) return { spec, data };
    if (!files.has(data.file)) files.set(data.file, await read(data.file));
    const { dim, numRows } = data;
    const bits = files.get(data.file).slice(0, numRows * Math.ceil(dim / 8));
    return { spec, data: { kind: 'bits', dim, numRows, bits } };
  };

  const create = ({ spec, data }) =>
    wasm.Job.create(spec, wasm.BinaryData.fromBits(data.dim, data.numRows, data.bits));

  const jobOf = async (request) => create(await open(request.spec));

  const round = (job) => {
    job.prepare(job.broadcast());
    return Array.from({ length: job.numShards }, (_, shard) => {
      const scattered = job.scatter(shard);
      for (;;) {
        const part = job.work(shard, scattered);
        if (part) return part;
      }
    });
  };

  /** As in kernels.rs: all shards of a round, prepared and worked. */
  const evaluate = async (request) => {
    const job = await jobOf(request);
    let parts = round(job);
    const begin = performance.now();
    const milliseconds = [];
    while (milliseconds.length === 0 || performance.now() - begin < 1000 * request.seconds) {
      const start = performance.now();
      parts = round(job);
      milliseconds.push(performance.now() - start);
    }
    job.gather(parts);
    const { objective } = job.progress();
    job.free();
    return { milliseconds, objective, digest: bitsOf(objective) };
  };

  const engineOf = async ({ numWorkers, threads = false, number = 0 }) => {
    const key = `${numWorkers} ${threads} ${number}`;
    if (!engines.has(key)) engines.set(key, await createEngine({ numWorkers, threads }));
    return engines.get(key);
  };

  /** The job by itself, in this thread. */
  const fitInModule = async (request) => {
    const opened = await open(request.spec);
    const start = performance.now();
    const job = create(opened);
    while (!job.done) job.advance(16);
    const { objective, numEvaluations, digest } = job.result();
    const milliseconds = [performance.now() - start];
    job.free();
    return { milliseconds, objective, numEvaluations, digest };
  };

  /** As a user has it, `numWorkers` at work, on an engine that has started. */
  const fit = async ({ spec, inModule, ...which }) => {
    if (inModule) return fitInModule({ spec });
    const engine = await engineOf(which);
    const {
      spec: { verb: _, ...rest },
      data,
    } = await open(spec);
    const start = performance.now();
    const { objective, numEvaluations, digest } = await engine.fit({ ...rest, data });
    return { milliseconds: [performance.now() - start], objective, numEvaluations, digest };
  };

  /** As a user has it, from the spec's arrival to the draws' summaries. */
  const sample = async ({ spec: { verb: _, ...spec }, ...which }) => {
    const engine = await engineOf(which);
    const start = performance.now();
    const { chains, draws, digest } = await engine.sample(spec);
    const milliseconds = [performance.now() - start];
    if (draws.bits) return { milliseconds, shareOfOnes: shareOfOnes(draws), digest };
    const acceptance = chains.acceptance.reduce((sum, value) => sum + value, 0) / spec.numChains;
    return { milliseconds, acceptance, digest };
  };

  /** The same of a posterior: how much its draws are worth, which is not timed, and what they took. */
  const posterior = async ({ spec: { verb: _, ...spec }, ...which }) => {
    const engine = await engineOf(which);
    const start = performance.now();
    const { chains, draws, digest } = await engine.sample(spec);
    const milliseconds = [performance.now() - start];
    const numGradients = chains.numGradients.reduce((sum, count) => sum + count, 0);
    return { milliseconds, effective: leastBulkEss(draws.values, draws), numGradients, digest };
  };

  /** Energies of states, one after another. */
  const energies = async ({ spec: { model }, states, ...which }) => {
    const engine = await engineOf(which);
    const found = await engine.energies({ model, states });
    return { energies: [...found.energies] };
  };

  /** As a user has it: an estimate of log Z. */
  const logZ = async ({ spec: { verb: _, ...spec }, ...which }) => {
    const engine = await engineOf(which);
    const start = performance.now();
    const result = await engine.logZ(spec);
    const milliseconds = [performance.now() - start];
    const { forward, exactLogZ, digest } = result;
    const { meanLogWeight } = forward;
    return { milliseconds, logZ: forward.logZ.value, meanLogWeight, exactLogZ, digest };
  };

  /** As a user has it, from the patterns' arrival to the network. */
  const memorize = async ({ spec, ...which }) => {
    const engine = await engineOf(which);
    const {
      spec: { verb: _, ...rest },
      data: patterns,
    } = await open(spec);
    const start = performance.now();
    const { numStored, digest } = await engine.memorize({ ...rest, patterns });
    return { milliseconds: [performance.now() - start], numStored, digest };
  };

  /** Steps after which the objective of a fit is at most `target`. */
  const steps = async (request) => {
    const job = await jobOf(request);
    while (!job.done && !(job.progress().objective <= request.target)) job.advance(1);
    const { iteration } = job.progress();
    job.free();
    return { steps: iteration };
  };

  const answers = { evaluate, fit, sample, posterior, energies, logZ, memorize, steps };
  /** The same work by several engines at once: the first one's answer, and what all took together. */
  const atOnce = async ({ numEngines, ...request }) => {
    const start = performance.now();
    const all = Array.from({ length: numEngines }, (_, number) =>
      answers[request.kind]({ ...request, number }),
    );
    const [first] = await Promise.all(all);
    return { ...first, milliseconds: [performance.now() - start] };
  };

  return {
    ask: (request) => (request.numEngines > 1 ? atOnce(request) : answers[request.kind](request)),
    async close() {
      for (const engine of engines.values()) await engine.close();
    },
  };
}

/** The share of ones among all bits of draws. */
function shareOfOnes({ bits, dim, numRows }) {
  let count = 0;
  for (const byte of bits) for (let rest = byte; rest > 0; rest &= rest - 1) count++;
  return count / (dim * numRows);
}

/** A double as its 16 hexadecimal digits. */
function bitsOf(value) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}
