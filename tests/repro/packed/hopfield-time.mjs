// Figure 3.8 of Sohl-Dickstein's thesis (2012): how long it takes to store m
// random patterns in a network of 64 units by outer products (OPR), perceptron
// corrections (PER) and minimum probability flow (MPF), in the mean over 20
// trials; here also by Storkey's rule.
//
// The thesis gives its seconds as a picture, of a desktop computer of 2011; what can be
// compared are ratios. Ours are milliseconds of processor time, the whole of a job from the
// spec to the result, in WebAssembly on this thread, with no worker that would have
// to be told of it; the rules take turns. `passes` do not depend on the machine: over the
// patterns by PER, evaluations of the objective by MPF, which goes over all
// patterns in each. PER gives up after 3,000 passes.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { drawCurves } from './curves.mjs';
import { estimate } from './estimates.mjs';
import { COLOURS, RULES, randomRows } from './hopfield.mjs';

export const name = 'hopfield-time';
export const about =
  'time that three rules and a fourth take to store patterns (thesis, figure 3.8)';
export const source = 'Sohl-Dickstein 2012, figure 3.8';
export const departures = [
  {
    of: 'what is timed',
    paper: 'seconds of a desktop computer of 2011',
    ours: 'milliseconds of processor time in WebAssembly',
  },
  { of: 'passes of PER', paper: 'not said', ours: '3,000 at most' },
  { of: 'patterns', paper: '1 to 120', ours: '2 to 100: beyond, PER uses up its passes' },
];

const UNITS = 64;
/** Past the capacity PER uses up all passes there are; the figure ends before. */
const MAX_EPOCHS = 3000;
const NAMES = Object.keys(RULES);

const settings = (quick) => ({
  counts: quick
    ? [8, 32, 64, 88]
    : [2, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 84, 88, 92, 96, 100],
  numTrials: quick ? 4 : 20,
});

export async function run({ engine, quick, seed, log, out }) {
  const { counts, numTrials } = settings(quick);
  const numRows = counts[0] + numTrials * counts.reduce((sum, count) => sum + count, 0);
  const next = await randomRows({ engine, dim: UNITS, numRows, seed });
  const store = await storage(seed);
  const digests = [];
  // Before it counts, since compilers take their time.
  const first = next(counts[0]);
  for (const rule of Object.values(RULES)) {
    for (let again = 0; again < 20; again++) store(first, rule);
  }
  const points = [];
  for (const count of counts) {
    const times = Object.fromEntries(NAMES.map((name) => [name, []]));
    const passes = { PER: [], MPF: [] };
    const whole = { PER: [], MPF: [] };
    for (let trial = 0; trial < numTrials; trial++) {
      const patterns = next(count);
      for (const [name, rule] of Object.entries(RULES)) {
        const { milliseconds, result } = store(patterns, rule);
        times[name].push(milliseconds);
        passes[name]?.push(result.numEpochs);
        whole[name]?.push(result.numStored === count ? 1 : 0);
        digests.push(result.digest);
      }
    }
    const means = (lists) =>
      Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, estimate(list)]));
    points.push({ count, times: means(times), passes: means(passes), whole: means(whole) });
    log(
      `${count} patterns: ${NAMES.map((name) => `${name} ${points.at(-1).times[name].mean.toFixed(2)} ms`).join(', ')}`,
    );
  }
  await mkdir(out, { recursive: true });
  await writeFile(new URL('hopfield-time.png', out), figure(points));
  log(
    'hopfield-time.png: milliseconds of processor time by the number of patterns; OPR grey, Storkey green, PER blue, MPF red.',
  );
  return { rows: points.map(row), checks: checks(points), digests };
}

/** Stores patterns on this thread, timed by its processor clock. */
async function storage(seed) {
  const dist = new URL('../../../dist/wasm/plain/', import.meta.url);
  const wasm = await import(new URL('unnorm.js', dist));
  await wasm.default({ module_or_path: await readFile(new URL('unnorm_bg.wasm', dist)) });
  return ({ dim, numRows, bits }, chosen) => {
    const rule = chosen.kind === 'perceptron' ? { ...chosen, maxEpochs: MAX_EPOCHS } : chosen;
    const start = process.cpuUsage();
    const spec = { verb: 'memorize', model: { kind: 'ising', dim }, rule, seed };
    const job = wasm.Job.create(spec, wasm.BinaryData.fromBits(dim, numRows, bits));
    while (!job.done) job.advance(1000);
    const result = job.result();
    job.free();
    const { user, system } = process.cpuUsage(start);
    return { milliseconds: (user + system) / 1000, result };
  };
}

function row({ count, times, passes, whole }) {
  return {
    label: `m = ${count}`,
    measured: {
      ...Object.fromEntries(
        NAMES.flatMap((name) => [
          [`${name}Ms`, times[name].mean],
          [`${name}MsError`, times[name].error],
        ]),
      ),
      PERPasses: passes.PER.mean,
      MPFEvaluations: passes.MPF.mean,
      PERWhole: whole.PER.mean,
      MPFWhole: whole.MPF.mean,
      PERTimesMPF: times.PER.mean / times.MPF.mean,
      MPFTimesOPR: times.MPF.mean / times.OPR.mean,
    },
    paper: {},
  };
}

function figure(points) {
  return drawCurves({
    curves: NAMES.map((name) => ({
      values: points.map(({ times }) => times[name].mean),
      errors: points.map(({ times }) => times[name].error),
      colour: COLOURS[name],
    })),
    x: points.map(({ count }) => count),
    xTicks: points.map(({ count }) => count).filter((count) => count % 16 === 0 || count === 100),
    yTicks: [0.1, 1, 10, 100, 1000],
    yLog: true,
  });
}

function checks(points) {
  const at = (count) => points.find((point) => point.count === count);
  const near = points.at(-1);
  const times = (name) => points.map((point) => point.times[name].mean);
  return [
    {
      claim:
        'outer products take the least processor time of the thesis’s rules, at each m from 16 on',
      holds: points.every(
        ({ count, times: { OPR, PER, MPF } }) =>
          count < 16 || OPR.mean <= Math.min(PER.mean, MPF.mean),
      ),
    },
    ...(near.count < 96
      ? []
      : [
          {
            claim: `the processor time of MPF and of PER rises near the capacity: at m = ${near.count} it is more than three times that at m = 64`,
            holds: ['MPF', 'PER'].every(
              (name) => near.times[name].mean > 3 * at(64).times[name].mean,
            ),
          },
        ]),
    {
      claim: 'MPF takes less processor time than PER at each m from 64 on',
      holds: points.every(({ count, times: { PER, MPF } }) => count < 64 || MPF.mean < PER.mean),
    },
    {
      claim: 'MPF takes less processor time than PER at each m',
      holds: times('MPF').every((mean, index) => mean < times('PER')[index]),
    },
    {
      claim:
        'MPF goes over the patterns less often than PER at each m from 16 on, and at m = 64 and 88 less than a tenth as often',
      holds:
        points.every(({ count, passes }) => count < 16 || passes.MPF.mean < passes.PER.mean) &&
        [64, 88].every((count) => at(count).passes.MPF.mean < 0.1 * at(count).passes.PER.mean),
    },
  ];
}
