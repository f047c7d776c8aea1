// Figure 3.6 of Sohl-Dickstein's thesis (2012): 80 fingerprints of 64 × 64
// bits stored in a network of 4,096 units by minimum probability flow, learned
// from copies alone in each of which 1,228 bits (30 %) are flipped; all 80
// become fixed points, and are recalled from copies with 40 % flipped.
//
// The prints are synthetic (`src/memory/fingerprints.rs`). Each is shown in 400
// copies, all different, 800 copies a step of gradient descent, 40 steps. The
// small run stores 16 prints of 32 × 32 bits, the middles of the first.
//
// `peakMiB` is the most memory that the whole Node process had while it learned,
// with its workers, `networkMiB` what the network's parameters take.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { bitSheet } from './bit-sheet.mjs';
import { mean } from './estimates.mjs';

export const name = 'fingerprints';
export const about = 'fingerprints learned from noisy copies by 4,096 units (thesis, figure 3.6)';
export const source = 'Sohl-Dickstein 2012, figure 3.6';
export const departures = [
  { of: 'fingerprints', paper: '80, binary', ours: '80, synthetic (`src/memory/fingerprints.rs`)' },
  { of: 'copies', paper: '"a large set"', ours: '400 of each print, all different' },
  { of: 'optimizer', paper: 'L-BFGS', ours: '40 steps of gradient descent, 800 copies each' },
];

const SIDE = 64;
/** Prints that the picture shows. */
const SHOWN = 6;

const settings = (quick) => ({
  side: quick ? SIDE / 2 : SIDE,
  numPrints: quick ? 16 : 80,
  numCopies: quick ? 50 : 10,
  numSteps: 40,
});

export async function run({ engine, quick, seed, log, out }) {
  const { side, numPrints, numCopies, numSteps } = settings(quick);
  const file = new URL('../../../www/data/fingerprints-80.bits', import.meta.url);
  const dim = side ** 2;
  const bits = middles(await readFile(file), side, numPrints);
  const patterns = { kind: 'bits', dim, numRows: numPrints, bits };
  const flipped = (part) => Math.floor(part * dim);
  const started = performance.now();
  const usage = process.cpuUsage();
  const job = engine.memorize(
    {
      model: { kind: 'ising', dim },
      patterns,
      rule: { kind: 'mpf', optimizer: { kind: 'sgd', batchSize: 800, numEpochs: numSteps } },
      noise: { numFlips: flipped(0.3), numCopies },
      seed,
    },
    { progressInterval: 5000 },
  );
  for await (const { numUpdates, numStored, objective } of job) {
    log(`step ${numUpdates}: ${numStored} fixed points, flow ${objective.toFixed(1)}`);
  }
  const memory = await job;
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(usage);
  const peakMiB = peak();

  const recall = async (part, more) => {
    const noise = { numFlips: flipped(part) };
    const began = performance.now();
    const recalled = await engine.recall({
      model: memory.model,
      cues: patterns,
      noise,
      seed,
      ...more,
    });
    return { ...recalled, seconds: (performance.now() - began) / 1000 };
  };
  const once = await recall(0.4, { maxUpdates: 1 });
  const recalled = await recall(0.4);
  const most = await recall(0.45);

  await mkdir(out, { recursive: true });
  const row = (all, at) => all.subarray((at * dim) / 8, ((at + 1) * dim) / 8);
  // Prints spread over all of them; a column each.
  const chosen = Array.from({ length: SHOWN }, (_, at) => Math.floor((at * numPrints) / SHOWN));
  const lines = [bits, recalled.starts.bits, once.states.bits, recalled.states.bits];
  const sheet = Buffer.concat(lines.flatMap((all) => chosen.map((at) => row(all, at))));
  const scale = quick ? 4 : 2;
  await writeFile(
    new URL('fingerprints.png', out),
    bitSheet(sheet, { side, numColumns: SHOWN, scale, gap: 10 }),
  );
  log(
    'fingerprints.png: from above, fingerprints, copies with 40 % of the bits flipped, after one update, at rest.',
  );

  const rows = [
    {
      label: `${numPrints} fingerprints in ${dim} units, from copies with 30 % flipped`,
      measured: {
        fixedPoints: memory.numStored,
        leastMargin: Math.min(...memory.margins),
        steps: memory.numUpdates,
        copies: numPrints * numCopies * memory.numEpochs,
        seconds,
        processorSeconds: (user + system) / 1e6,
        peakMiB,
        networkMiB: (4 * dim * (dim + 1)) / 2 ** 20,
      },
      paper: quick ? {} : { fixedPoints: 80 },
    },
    {
      label: 'recalled from 40 % flipped',
      measured: {
        recalled: recalled.numRecovered,
        mostUpdates: Math.max(...recalled.numUpdates),
        // Bits of a print that are not its own any more.
        wrongAfterOne: mean(once.distances),
        wrongAtRest: mean(recalled.distances),
        seconds: recalled.seconds,
      },
      paper: quick ? {} : { recalled: 80 },
    },
    {
      label: 'recalled from 45 % flipped',
      measured: { recalled: most.numRecovered, wrongAtRest: mean(most.distances) },
      paper: {},
    },
  ];
  const digests = [memory.digest, once.digest, recalled.digest, most.digest];
  return { rows, checks: checks(numPrints, memory, recalled), digests };
}

/** The middles of the first prints, `side` bits each way. */
function middles(bits, side, numPrints) {
  const first = (SIDE - side) / 2;
  const found = new Uint8Array((numPrints * side ** 2) / 8);
  for (let at = 0; at < numPrints * side ** 2; at++) {
    const [print, pixel] = [Math.floor(at / side ** 2), at % side ** 2];
    const [y, x] = [first + Math.floor(pixel / side), first + (pixel % side)];
    const source = print * SIDE ** 2 + y * SIDE + x;
    found[at >> 3] |= ((bits[source >> 3] >> (source & 7)) & 1) << (at & 7);
  }
  return found;
}

/** MiB; Node gives kilobytes. */
const peak = () => process.resourceUsage().maxRSS / 1024;

function checks(numPrints, memory, recalled) {
  return [
    {
      claim: `all ${numPrints} fingerprints are fixed points, learned from copies with 30 % of their bits flipped`,
      holds: memory.numStored === numPrints,
    },
    {
      claim: 'all fingerprints are recalled, to the last bit, from copies with 40 % flipped',
      holds: recalled.numRecovered === numPrints,
    },
  ];
}
