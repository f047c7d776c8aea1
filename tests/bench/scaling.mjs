// How time grows with size: sites, dimensions, rows, chains and annealing distributions, each over two
// decades, by one worker in Node.
//
//   npm run scaling [-- --json] [--quick]
//
// The exponent is the slope of a line through the logarithms of size and time. What it should be is the
// slope of a line through the logarithms of what the algorithm has to do: of a flow, look-ups in tables, whose
// own making counts where rows are few, and so do whitened coordinates; of a leapfrog step under a product of experts,
// two products with its filters and some passes over vectors; of annealing, steps, and the rounds they are cut into. So
// it is no whole number where terms of several orders count. With --json standard output is one object,
//   { machine, rows: [{ name, sizes, milliseconds, exponent, expected, met }] }
// in which `met` is that both agree to a tenth. A time is the least of several, which is what other
// work on the machine disturbs least.

import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../src/tools/run.mjs';
import { normals } from '../../www/lib/random-models.js';
import { node } from './players.mjs';

/**
 * What others take of a number looked up, multiplied on and added back, or of a multiplication and addition in a
 * product: measured, roughly.
 */
const DIVISION = 3;
const EXP = 24;
const PRODUCT = 0.5;
const NORMAL = 8;
/** What all else that a step of a group of chains does takes of them: calls, and the ends of loops. */
const STEP = 400;
/** A number from a worker to its coordinator and back, each time written and read. */
const MOVE = 40;
/** Chains of a group, at most, of 64 in 16. */
const GROUP = 4;

/** Most sites of an Ising model that is fitted in whitened coordinates. */
const MAX_WHITENED = 256;

/** Apart from the counts by less than this, as a part of them. */
export const TOLERANCE = 0.1;

/** Five sizes over two decades up to `most`, or over one of a quick run. */
const sizesTo = (most, quick) =>
  [-2, -1.5, -1, -0.5, 0].map((power) => Math.round(most * 10 ** (quick ? power / 2 - 1 : power)));

/** Rows of bits, even odds. */
function randomData(dim, numRows) {
  const normal = normals(dim);
  const width = Math.ceil(dim / 8);
  const bits = new Uint8Array(numRows * width);
  for (let row = 0; row < numRows; row++) {
    for (let site = 0; site < dim; site++) {
      if (normal() < 0) bits[row * width + (site >> 3)] |= 1 << (site & 7);
    }
  }
  return { kind: 'bits', dim, numRows, bits };
}

const flow = (dim, numRows) => ({
  kind: 'evaluate',
  seconds: 0.2,
  spec: {
    verb: 'fit',
    model: { kind: 'ising', dim },
    objective: { kind: 'mpf' },
    data: randomData(dim, numRows),
    seed: 1,
  },
});
/**
 * Of the rows as words of groups of k columns, 8 sites at a time (`workloads.js`): look-ups and additions to memory a
 * group, the tables of all 2^k patterns, which k random columns show, and an exponential a coupling; and before,
 * the parameters from whitened coordinates by two products of matrices.
 */
function flowWork(dim, numRows) {
  const numColumns = Math.floor(Math.log2(Math.min(Math.max(numRows / 16, 16), 512)));
  const numGroups = Math.ceil(dim / numColumns);
  const ofRow = 16 * numGroups + 8 * DIVISION;
  const ofTile = numRows * ofRow + 16 * numGroups * 2 ** (numColumns + 1) + 8 * EXP * dim;
  const whitening = dim <= MAX_WHITENED ? 2 * PRODUCT * dim ** 3 : 0;
  return Math.ceil(dim / 8) * ofTile + whitening;
}

/** As many Student's t experts as dimensions, whose responses are independent. */
const experts = (dim) => ({
  kind: 'productOfExperts',
  dim,
  expert: 'studentT',
  lambda: new Array(dim).fill(2),
});
/** One more than dimensions: no matrix is inverted. */
function overcomplete(dim) {
  const filters = new Float64Array((dim + 1) * dim).fill(1 / dim);
  for (let site = 0; site < dim; site++) filters[site * (dim + 1)] += 1;
  return { ...experts(dim + 1), dim, numExperts: dim + 1, filters };
}
/** Of a gradient the two products, of each entry a division and some passes, and a logarithm. */
const expertsWork = (dim) => dim * (2 * PRODUCT * dim + DIVISION + 18) + EXP;

/** A given step, so that nothing is searched for. */
const chains = (dim, numChains, numStepsPerDraw) => ({
  kind: 'sample',
  numWorkers: 1,
  spec: {
    verb: 'sample',
    model: overcomplete(dim),
    transition: { kind: 'hmc', numLeapfrogSteps: 10, stepSize: 0.1 },
    numChains,
    numWarmup: 0,
    numDraws: 2,
    numStepsPerDraw,
    seed: 1,
  },
});
const chainsWork = (dim, numChains) =>
  numChains * (10 * (expertsWork(dim) + STEP / GROUP) + NORMAL * dim);

const annealing = (numDistributions) => ({
  kind: 'logZ',
  numWorkers: 1,
  spec: {
    verb: 'logZ',
    model: experts(36),
    transition: { kind: 'hmc', numLeapfrogSteps: 1, stepSize: 0.2, momentumRefresh: 0.13 },
    schedule: { kind: 'linear' },
    numChains: 200,
    numDistributions,
    seed: 1,
  },
});

/**
 * Of a step a gradient, and of each entry a normal number. Of a round, of which there are forty at least so that it can
 * be watched, the five numbers an entry that are handed out and back.
 */
function annealingWork(numDistributions) {
  const [dim, numChains, numRounds] = [36, 200, 40];
  const ofStep = expertsWork(dim) + NORMAL * dim;
  return numChains * (numDistributions * ofStep + numRounds * dim * 5 * MOVE);
}

/** @returns {{ name: string, most: number, ask: (size: number) => object, work: (size: number) => number }[]} */
export const axes = () => [
  {
    name: 'flow and gradient, all pairs, 100 sites, against rows',
    most: 20_000,
    ask: (numRows) => flow(100, numRows),
    work: (numRows) => flowWork(100, numRows),
  },
  {
    name: 'flow and gradient, all pairs, 1000 rows, against sites',
    most: 1000,
    ask: (dim) => flow(dim, 1000),
    work: (dim) => flowWork(dim, 1000),
  },
  {
    name: "HMC, Student's t experts, 64 chains, against dimensions",
    most: 1000,
    ask: (dim) => chains(dim, 64, Math.ceil(8000 / dim)),
    work: (dim) => Math.ceil(8000 / dim) * chainsWork(dim, 64),
  },
  {
    name: "HMC, 50 Student's t experts, against chains",
    most: 5000,
    ask: (numChains) => chains(50, numChains, 100),
    work: (numChains) => chainsWork(50, numChains),
  },
  {
    name: 'HAIS, M = 36, 200 particles, against distributions',
    most: 10_000,
    ask: annealing,
    work: annealingWork,
  },
];

/** The slope of a line through the logarithms. */
function exponentOf(sizes, values) {
  const [x, y] = [sizes, values].map((each) => Array.from(each, Math.log));
  const mean = (each) => each.reduce((sum, value) => sum + value, 0) / each.length;
  const [middle, height] = [mean(x), mean(y)];
  const product = mean(x.map((value, at) => (value - middle) * (y[at] - height)));
  return product / mean(x.map((value) => (value - middle) ** 2));
}

/** What is told of an axis whose sizes took so long. */
export function rowOf({ name, work }, sizes, milliseconds) {
  const exponent = exponentOf(sizes, milliseconds);
  const expected = exponentOf(sizes, sizes.map(work));
  const met = Math.abs(exponent / expected - 1) < TOLERANCE;
  return { name, sizes, milliseconds, exponent, expected, met };
}

/** Measures all axes. */
export async function measure({ quick, note }) {
  const player = await node();
  const rows = [];
  try {
    for (const axis of axes()) {
      note(axis.name);
      const sizes = sizesTo(axis.most, quick);
      const requests = sizes.map(axis.ask);
      const least = sizes.map(() => Number.POSITIVE_INFINITY);
      // Sizes take turns, and the first round compiles.
      for (let round = 0; round <= (quick ? 1 : 3); round++) {
        for (const [at, request] of requests.entries()) {
          const { milliseconds } = await player.ask(request);
          if (round > 0) least[at] = Math.min(least[at], ...milliseconds);
        }
      }
      rows.push(rowOf(axis, sizes, least));
    }
  } finally {
    await player.close();
  }
  return rows;
}

function tableOf(rows) {
  const lines = rows.map(({ name, sizes, milliseconds, exponent, expected, met }) => {
    const times = milliseconds.map((time) => time.toPrecision(3)).join(', ');
    return `${met ? 'met   ' : 'MISSED'}  ${name}: exponent ${exponent.toFixed(2)}, by count ${expected.toFixed(2)}\n        ${sizes.join(', ')}: ${times} ms`;
  });
  return lines.join('\n');
}

async function main() {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
    },
  });
  for (const args of [['build.mjs', '--no-site'], ['pack.mjs']]) {
    const script = join(root, 'src/tools', args[0]);
    const { status } = spawnSync(process.execPath, [script, ...args.slice(1)], {
      stdio: ['ignore', 2, 2],
    });
    if (status !== 0) process.exit(1);
  }
  const note = (sentence) => console.error(`• ${sentence}`);
  const rows = await measure({ quick: values.quick, note });
  const machine = { processor: cpus()[0]?.model ?? 'unknown', load: loadavg()[1] };
  console.log(values.json ? JSON.stringify({ machine, rows }) : tableOf(rows));
}

if (process.argv[1] === import.meta.filename) await main();
