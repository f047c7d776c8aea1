// Times the same work natively, in vectors of 128 and, where there is AVX2, of 256 bits, in Node and in headless Chromium, and by the
// peers, NumPy and SciPy for fits, BlackJAX, NumPyro, nutpie, dwave-samplers and mcising for sampling, in one run.
//
//   npm run bench [-- --json] [--quick] [--engines native,node,...] [--only hmc] [--keep]
//
// The engines take turns, so that what else the machine does falls on all
// alike; what counts are medians and ratios within a run. With --json standard
// output is exactly one object,
//   { machine, rows: [{ name, engine, median, spread, unit, rate, ratioToPeer, ratioToLimit, limitToPeer, error, effective, gradientsEach,
//     peakMiB, digest }],
//     bars: [{ name, met, ratio, limit, ceiling, ceilingOf }] }
// and everything else goes to standard error. Spread is from the first quartile
// to the third; rate is leapfrog steps, updates of sites, or effective draws, a second. Ratios are of speed: medians to
// those of the fastest peer, on one thread, and the least time to the bound that
// the counts in workloads.js and the rates of limits.rs give, in 128 bits; `limitToPeer` is what would be left at that
// bound. A number that is
// not known is null. `error` is the root mean square of estimates of log Z less log Z, over the rounds,
// each of which has another seed; `effective` the least effective number of draws of an entry, for all by the same
// estimator, and `gradientsEach` the gradients that each took, warm-up's among them; `peakMiB` the most memory that the engine's process had, where that is told. `digest` is that of our
// first result, of an evaluation the objective's bits. `limit` is what is asked, and `ceiling` the most there could be, which `ceilingOf` explains: of two workers
// against one, two engines with a worker each that do the same at once; of annealing, our own bound. --only takes the workloads whose id begins so. --keep writes
// Chromium's medians and the digests to www/bench/reference.json, which the site's own bench is held against.
//
// An evaluation is timed from the parameters' arrival to the parts of all
// shards; adding those up, the optimizer and the coordinates are in the fits,
// which also read and prepare the data. Sampling is timed from the spec's arrival
// to the draws, their summaries among them; the peers' is the compiled loop alone.
// Engines have started before.
//
// BlackJAX and NumPyro keep to one core; on a busy machine, `taskset -c 0 npm run
// bench` has all engines compete for that same one.

import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, output, root } from '../../src/tools/run.mjs';
import { statesOf } from '../../www/bench/posteriors.js';
import { leastBulkEss } from '../../www/bench/statistics.js';
import { PEERS, workloads } from '../../www/bench/workloads.js';
import { makers } from './players.mjs';
import { barsOf, boundOf, rounded, rowsOf, tableOf } from './report.mjs';

const note = (sentence) => console.error(`• ${sentence}`);
const fail = (sentence) => {
  console.error(sentence);
  process.exit(2);
};

const options = {
  json: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  engines: { type: 'string', default: Object.keys(makers).join(',') },
  only: { type: 'string', default: '' },
  keep: { type: 'boolean', default: false },
};
let values;
try {
  ({ values } = parseArgs({ options }));
} catch (error) {
  fail(
    `${error.message}. Usage: npm run bench [-- --json] [--quick] [--engines NAME,...] [--only ID] [--keep]`,
  );
}
const chosen = values.engines.split(',');
const unknown = chosen.filter((name) => !(name in makers));
if (unknown.length > 0) {
  fail(`--engines ${unknown.join(',')}: choose among ${Object.keys(makers).join(', ')}.`);
}

if (values.keep && !chosen.includes('chromium')) fail('--keep: needs the times of chromium.');

// The builds may have much to say; standard output is for the report.
for (const args of [['build.mjs', '--no-site'], ['pack.mjs']]) {
  const script = join(root, 'src/tools', args[0]);
  const { status } = spawnSync(process.execPath, [script, ...args.slice(1)], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(1);
}

const { quick } = values;
const players = {};
const skipped = [];
// Node's player is always there: it finds the minima that others are timed to.
for (const name of new Set(['node', ...chosen])) {
  try {
    note(`Starting ${name}.`);
    players[name] = await makers[name]();
  } catch (error) {
    if (!(error instanceof Failure) || name === 'node') throw error;
    skipped.push(`${name}: ${error.message}`);
    note(`Going on without ${name}: ${error.message}`);
  }
}
try {
  const report = await measure();
  if (values.keep) await keep(report);
  const { byId: _, ...shown } = report;
  console.log(values.json ? JSON.stringify(shown) : tableOf(shown));
} catch (error) {
  console.error(error instanceof Failure ? `✗ ${error.message}` : error);
  process.exitCode = 1;
} finally {
  await Promise.all(Object.values(players).map((player) => player.close()));
}

async function measure() {
  const { readNpy } = await import('../../out/pack/unnorm.mjs');
  const truth = await readFile(join(root, 'www/data/spin-glass-10x10.couplings.npy'));
  const all = workloads({ quick, couplings: readNpy(truth).values });
  const rates = players.native ? await players.native.ask({ kind: 'limits' }) : null;
  const groups = players.native
    ? await players.native.ask({ kind: 'groups', spec: all[0].spec })
    : null;
  const rows = {};
  for (const workload of all.filter(({ id }) => id.startsWith(values.only))) {
    note(workload.name);
    const bound = rates && workload.counts ? boundOf(workload.counts(groups), rates) : null;
    const { samples, ...known } = await samplesOf(workload);
    rows[workload.id] = rowsOf(workload, samples, bound, known);
  }
  const shown = Object.entries(rates ?? {}).map(([name, rate]) => [name, rounded(rate)]);
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    system: `${process.platform} ${release()}`,
    node: process.versions.node,
    chromium: players.chromium?.version ?? null,
    rust: output('rustc', ['--version'])?.trim() ?? null,
    peers: Object.assign({}, ...PEERS.map((name) => players[name]?.version)),
    // More than one for each core, of which this run is one itself, and medians are of a busy machine.
    load: rounded(loadavg()[1]),
    perNanosecond: Object.fromEntries(shown),
    quick,
    skipped,
  };
  return { machine, rows: Object.values(rows).flat(), bars: barsOf(rows), byId: rows };
}

/** Writes what the site's own bench compares itself with, of the workloads that were measured. */
async function keep({ machine: { processor, cores, system, chromium }, byId }) {
  const file = join(root, 'www/bench/reference.json');
  const reference = JSON.parse(await readFile(file, 'utf8'));
  reference.machine = { processor, cores, system, chromium };
  for (const [id, rows] of Object.entries(byId)) {
    if (id.startsWith('nuts-')) continue;
    const { median, digest } = rows.find(({ engine }) => engine === 'chromium');
    reference[quick ? 'small' : 'full'][id] = { digest, milliseconds: median };
  }
  await writeFile(file, `${JSON.stringify(reference, null, 2)}\n`);
  note(`Written: ${file}`);
}

/** Milliseconds by engine, in rounds in which the engines take turns. */
async function samplesOf(workload) {
  const turns = workload.engines
    .map((engine) => ({ engine, player: players[engine.split('-')[0]] }))
    .filter(({ engine, player }) => player && chosen.includes(engine.split('-')[0]));
  const samples = new Map(turns.map(({ engine }) => [engine, []]));
  const requests = await requestsOf(workload);
  const answers = new Map();
  const estimates = [];
  const worths = [];
  if (workload.kind === 'posterior') await agreeOnEnergies(workload, turns);
  const peaks = new Map();
  const digests = new Map();
  // A round that does not count compiles and fills caches; fits by SciPy and memories take minutes,
  // and have one.
  const isMemory = workload.kind === 'memorize';
  const [first, numRounds] = isMemory ? [0, 1] : [-1, workload.numRounds ?? (quick ? 2 : 7)];
  for (let round = first; round < numRounds; round++) {
    for (const { engine, player } of turns) {
      const isSlow = workload.kind === 'fit' && engine === 'numpy';
      if (isSlow && round !== 0) continue;
      if (isMemory) await player.memory.forget();
      const answer = await player.ask(requests(engine, round));
      if (isMemory) peaks.set(engine, await player.memory.peakMiB());
      if (round >= 0) samples.get(engine).push(...answer.milliseconds);
      answers.set(engine, answer);
      if (round === 0 && answer.digest) digests.set(engine, answer.digest);
      if (workload.kind === 'logZ' && round >= 0) estimates.push({ engine, round, ...answer });
      if (workload.kind === 'posterior' && round >= 0) {
        worths.push(worthOf(workload, { engine, round, ...answer }));
      }
    }
  }
  if (workload.kind === 'evaluate') agree(workload, answers);
  if (workload.numUpdates) agreeOnBits(workload, answers);
  else if (workload.kind === 'sample') agreeOnChains(workload, answers);
  if (isMemory) agreeOnMemories(workload, answers);
  if (worths.length > 0) agreeOnDigests(workload, worths);
  const errors = workload.kind === 'logZ' ? errorsOf(workload, estimates) : new Map();
  return { samples, errors, worths, peaks, digests };
}

/** What the engines are asked: fits to a gap are cut off after the step that first gets there. */
async function requestsOf({ kind, spec, gap, posterior }) {
  const seconds = quick ? 0.02 : 0.3;
  if (kind === 'evaluate') return () => ({ kind, spec, seconds });
  const crew = (engine) => ({
    numWorkers: /-2-(workers|threads)$/.test(engine) ? 2 : 1,
    threads: engine.endsWith('-2-threads'),
    numEngines: engine.endsWith('-2-engines') ? 2 : 1,
    inModule: engine.endsWith('-module'),
  });
  if (kind === 'sample' || kind === 'memorize') {
    return (engine) => ({ kind, spec, ...crew(engine) });
  }
  if (kind === 'posterior') {
    const { numChains, model } = spec;
    return (engine, round) => {
      const states = statesOf(numChains, model.variables.length, round + 2);
      const start = { kind: 'states', states };
      return { kind, posterior, spec: { ...spec, start, seed: round + 2 }, ...crew(engine) };
    };
  }
  if (kind === 'logZ') {
    return (engine, round) => ({
      kind,
      spec: { ...spec, seed: round + 2 },
      ...crew(engine),
    });
  }
  if (gap === undefined) return (engine) => ({ kind, spec, ...crew(engine) });
  const closely = { ...spec, optimizer: { kind: 'lbfgs', tolerance: 1e-12 } };
  const minimum = await players.node.ask({ kind, spec: closely, numWorkers: 1 });
  const target = minimum.objective * (1 + gap);
  const { steps } = await players.node.ask({ kind: 'steps', spec, target });
  const cut = { ...spec, optimizer: { kind: 'lbfgs', maxIterations: steps } };
  return (engine) => ({ kind, spec: cut, target, ...crew(engine) });
}

/** All engines have computed the same thing: ours to the bit, the peer as far as rounding goes. */
function agree({ name }, answers) {
  const [[, { objective: expected }]] = answers;
  for (const [engine, { objective: value }] of answers) {
    const apart = Math.abs(value / expected - 1);
    if (engine === 'numpy' ? !(apart < 1e-10) : value !== expected) {
      throw new Failure(`${name}: ${engine} has ${value}, not ${expected}`);
    }
  }
}

/** A peer's energies are ours, but for a constant and rounding. */
async function agreeOnEnergies({ name, spec, posterior }, turns) {
  const states = statesOf(10, spec.model.variables.length, 1);
  const ask = (player) => player.ask({ kind: 'energies', posterior, spec, states, numWorkers: 1 });
  const { energies: expected } = await ask(players.node);
  for (const { engine, player } of turns) {
    const { energies } = await ask(player);
    const apart = energies.map((energy, at) => energy - expected[at]);
    const largest = Math.max(1, ...expected.map(Math.abs));
    if (!(Math.max(...apart) - Math.min(...apart) < 1e-10 * largest)) {
      throw new Failure(`${name}: the energies of ${engine} are others, by ${apart}`);
    }
  }
}

/** What a run of one posterior is worth; the draws of a peer come as the bytes of doubles. */
function worthOf({ spec }, { engine, round, milliseconds, draws, numGradients, digest, ...known }) {
  let { effective } = known;
  if (draws) {
    const { buffer } = Uint8Array.from(Buffer.from(draws, 'base64'));
    const shape = { numChains: spec.numChains, dim: spec.model.variables.length };
    effective = leastBulkEss(new Float64Array(buffer), shape);
  }
  return { engine, round, milliseconds: milliseconds[0], effective, numGradients, digest };
}

/** Our draws of a round are the same to the bit. */
function agreeOnDigests({ name }, worths) {
  const ours = worths.filter(({ engine }) => !PEERS.includes(engine));
  for (const { engine, round, digest } of ours) {
    const first = ours.find((other) => other.round === round);
    if (digest !== first.digest) {
      throw new Failure(`${name}: the digest of ${engine} is ${digest}, not ${first.digest}`);
    }
  }
}

/** Our draws are the same to the bit; the peers' have as many ones, but for some six standard errors of 100 chains. */
function agreeOnBits({ name }, answers) {
  const [[, first]] = answers;
  for (const [engine, { shareOfOnes, digest }] of answers) {
    if (!PEERS.includes(engine) && digest !== first.digest) {
      throw new Failure(`${name}: the digest of ${engine} is ${digest}, not ${first.digest}`);
    }
    if (!(Math.abs(shareOfOnes - first.shareOfOnes) < 0.02)) {
      throw new Failure(`${name}: ${engine} has ${shareOfOnes} ones, not ${first.shareOfOnes}`);
    }
  }
}

/** Our chains are the same to the bit; the peers' are accepted as often. */
function agreeOnChains({ name, numLeapfrogSteps, spec }, answers) {
  const [[, first]] = answers;
  // Two means of so many chances, whose standard deviation is a quarter or so.
  const numProposals = numLeapfrogSteps / spec.transition.numLeapfrogSteps;
  const tolerance = Math.max(0.01, 1.5 / Math.sqrt(numProposals));
  for (const [engine, { acceptance, digest }] of answers) {
    if (!PEERS.includes(engine) && digest !== first.digest) {
      throw new Failure(`${name}: the digest of ${engine} is ${digest}, not ${first.digest}`);
    }
    if (!(Math.abs(acceptance - first.acceptance) < tolerance)) {
      throw new Failure(`${name}: ${engine} accepts ${acceptance}, not ${first.acceptance}`);
    }
  }
}

/** All networks are the same to the bit, and store what they should. */
function agreeOnMemories({ name, numStored: expected }, answers) {
  const [[, first]] = answers;
  for (const [engine, { numStored, digest }] of answers) {
    if (digest !== first.digest) {
      throw new Failure(`${name}: the digest of ${engine} is ${digest}, not ${first.digest}`);
    }
    if (numStored < expected) {
      throw new Failure(`${name}: ${engine} stores ${numStored} patterns of ${expected}`);
    }
  }
}

/**
 * Root mean square errors of log Z by engine. Ours are the same to the bit; the peer loses as much
 * of the mean log weight on the way.
 */
function errorsOf({ name }, estimates) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const ours = estimates.filter(({ engine }) => !PEERS.includes(engine));
  const [{ exactLogZ }] = ours;
  const lost = (some) => mean(some.map(({ meanLogWeight }) => exactLogZ - meanLogWeight));
  const errors = new Map();
  for (const engine of new Set(estimates.map((each) => each.engine))) {
    const own = estimates.filter((each) => each.engine === engine);
    if (!PEERS.includes(engine)) {
      const different = own.find(
        ({ round, digest }) => digest !== ours.find((other) => other.round === round).digest,
      );
      if (different) throw new Failure(`${name}: the digest of ${engine} is another`);
    } else if (!(Math.abs(lost(own) - lost(ours)) < 0.5)) {
      throw new Failure(`${name}: ${engine} loses ${lost(own)} nats, not ${lost(ours)}`);
    }
    errors.set(engine, Math.sqrt(mean(own.map(({ logZ }) => (logZ - exactLogZ) ** 2))));
  }
  return errors;
}
