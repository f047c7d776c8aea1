// Figure 3.7 of Sohl-Dickstein's thesis (2012): which part of m random
// patterns are fixed points of a network of 64 units that outer products (OPR),
// perceptron corrections (PER) and minimum probability flow (MPF) have made of
// them, in the mean over 20 trials; here also Storkey's rule.
//
// The thesis gives the figure as a picture, and in words: 1 up to 1.5 patterns
// a unit and 0 from 1.7 on, of the probability that a set can be stored
// (3.4.2), which is `…Whole`, the part of trials in which every pattern is; the
// perceptron slightly worse near the capacity, for the number of passes that it
// takes. What can be had of the curves of figure 3.7 is therefore that MPF's is
// 1 at m = 64 and at m = 90.
//
// Outer products have a theory: a pattern's bit is wrong where crosstalk, about
// normal with variance (m − 1)(n − 1), is above n − 1, so that a pattern is a
// fixed point with a probability near (1 − Φ(−√((n − 1)/(m − 1))))ⁿ. All m are up to about
// n / (4 ln n) = 3.8 of them.

import { mkdir, writeFile } from 'node:fs/promises';
import { drawCurves } from './curves.mjs';
import { estimate } from './estimates.mjs';
import { COLOURS, eachOf, memorize, RULES, randomRows, shown } from './hopfield.mjs';

export const name = 'hopfield-capacity';
export const about =
  'patterns that 64 units store, by three rules and a fourth (thesis, figure 3.7)';
export const source = 'Sohl-Dickstein 2012, figure 3.7';
export const departures = [
  {
    of: 'passes of PER',
    paper: 'not said',
    ours: '1,000 at most; 10,000 at m = 90 and 96 besides',
  },
];

const UNITS = 64;
/** Patterns of which the report tells. */
const TOLD = [2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 90, 96, 100, 104, 109, 112, 120];
const [PERFECT, GONE] = [1.5 * UNITS, 1.7 * UNITS];

const settings = (quick) => ({
  counts: quick
    ? TOLD.filter((_, at) => at % 2 === 1)
    : Array.from({ length: 120 }, (_, i) => i + 1),
  numTrials: quick ? 3 : 20,
  // What PER is allowed at all m, and where it gets more.
  maxEpochs: quick ? 300 : 1000,
  patience: quick ? null : { counts: [90, 96], maxEpochs: 10_000 },
});

export async function run({ engine, quick, seed, log, out }) {
  const { counts, numTrials, maxEpochs, patience } = settings(quick);
  const numRows = numTrials * counts.reduce((sum, count) => sum + count, 0);
  const next = await randomRows({ engine, dim: UNITS, numRows, seed });
  const sets = counts.flatMap((count) =>
    Array.from({ length: numTrials }, () => ({ count, patterns: next(count) })),
  );
  const digests = [];
  const learn = async (name, rule, chosen) => {
    const results = await eachOf(chosen, ({ patterns }) =>
      memorize({ engine, patterns, rule, seed }),
    );
    digests.push(...results.map(({ digest }) => digest));
    log(`${name}: ${results.length} networks.`);
    return new Map(
      [...new Set(chosen.map(({ count }) => count))].map((count) => {
        const own = results.filter((_, at) => chosen[at].count === count);
        const parts = own.map(({ numStored }) => numStored / count);
        return [
          count,
          {
            part: estimate(parts),
            whole: estimate(parts.map((part) => (part === 1 ? 1 : 0))),
            passes: estimate(own.map(({ numEpochs }) => numEpochs)),
          },
        ];
      }),
    );
  };
  const found = {};
  for (const [name, rule] of Object.entries(RULES)) {
    found[name] = await learn(name, name === 'PER' ? { ...rule, maxEpochs } : rule, sets);
  }
  const patient =
    patience &&
    (await learn(
      'PER, more passes',
      { ...RULES.PER, maxEpochs: patience.maxEpochs },
      sets.filter(({ count }) => patience.counts.includes(count)),
    ));
  await mkdir(out, { recursive: true });
  await writeFile(new URL('hopfield-capacity.png', out), figure(counts, found));
  log(
    'hopfield-capacity.png: part of the patterns that are fixed points by their number; OPR grey, Storkey green, PER blue, MPF red.',
  );
  return { rows: rows(counts, found, patient, patience), checks: checks(counts, found), digests };
}

function rows(counts, found, patient, patience) {
  const told = counts.filter((count) => TOLD.includes(count));
  const paper = (count) => {
    if (count < PERFECT) return { MPF: 1, MPFWhole: 1 };
    return count > GONE ? { MPFWhole: 0 } : {};
  };
  return [
    ...told.map((count) => ({
      label: `m = ${count}`,
      measured: {
        ...shown(
          Object.fromEntries(
            Object.keys(RULES).flatMap((name) => {
              const { part, whole } = found[name].get(count);
              return [
                [name, part],
                [`${name}Whole`, whole],
              ];
            }),
          ),
        ),
        PERPasses: found.PER.get(count).passes.mean,
        MPFEvaluations: found.MPF.get(count).passes.mean,
        OPRTheory: outerProductTheory(count),
      },
      paper: paper(count),
    })),
    ...(patience?.counts ?? []).map((count) => ({
      label: `m = ${count}, PER of up to ${patience.maxEpochs} passes`,
      measured: shown({ PER: patient.get(count).part, PERWhole: patient.get(count).whole }),
      paper: {},
    })),
  ];
}

function figure(counts, found) {
  return drawCurves({
    curves: Object.keys(RULES).map((name) => {
      const points = counts.map((count) => found[name].get(count).part);
      return {
        values: points.map(({ mean }) => mean),
        errors: points.map(({ error }) => error),
        colour: COLOURS[name],
      };
    }),
    x: counts,
    xTicks: [16, 32, 48, 64, 80, 96, 112],
    yTicks: [0, 0.2, 0.4, 0.6, 0.8, 1],
  });
}

/** Φ(−z) for z ≥ 0, by Simpson's rule. */
function tail(z) {
  const steps = 2000;
  const width = 12 / steps;
  const density = (at) => Math.exp(-0.5 * at * at) / Math.sqrt(2 * Math.PI);
  let sum = 0;
  for (let step = 0; step <= steps; step++) {
    const weight = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2;
    sum += weight * density(z + step * width);
  }
  return (sum * width) / 3;
}

/** The part of m patterns that outer products make fixed points, by the normal approximation. */
function outerProductTheory(count) {
  if (count === 1) return 1;
  return (1 - tail(Math.sqrt((UNITS - 1) / (count - 1)))) ** UNITS;
}

function checks(counts, found) {
  const of = (name, count) => found[name].get(count);
  const every = (holds, test) => counts.filter(holds).every(test);
  const asTold = (count) => {
    const { mean, error } = of('MPF', count).part;
    return mean >= 1 - 2 * error;
  };
  return [
    {
      claim: 'MPF stores every pattern of every trial up to 1.25 patterns a unit (m = 80)',
      holds: every(
        (count) => count <= 80,
        (count) => of('MPF', count).whole.mean === 1,
      ),
    },
    {
      claim:
        'MPF stores more than 95 of 100 patterns in the mean, at each m up to 1.5 a unit (m = 96)',
      holds: every(
        (count) => count <= PERFECT,
        (count) => of('MPF', count).part.mean > 0.95,
      ),
    },
    {
      claim:
        'from 1.7 patterns a unit on (m = 109) MPF stores no set as a whole, and fewer than one pattern in ten',
      holds: every(
        (count) => count > GONE,
        (count) => of('MPF', count).whole.mean === 0 && of('MPF', count).part.mean < 0.1,
      ),
    },
    ...[64, 90]
      .filter((count) => counts.includes(count))
      .map((count) => ({
        claim: `m = ${count}: MPF’s part is the paper’s 1, within two standard errors of ours`,
        holds: asTold(count),
      })),
    {
      claim:
        'PER stores no more than MPF at any m, by two standard errors of the difference, and as much up to m = 64',
      holds:
        every(
          () => true,
          (count) => {
            const [per, mpf] = [of('PER', count).part, of('MPF', count).part];
            return per.mean - mpf.mean <= 2 * Math.hypot(per.error, mpf.error) + 0.02;
          },
        ) &&
        every(
          (count) => count <= 64,
          (count) => of('PER', count).whole.mean === 1,
        ),
    },
    {
      claim:
        'outer products store all patterns of all trials up to n/(4 ln n) = 3.8, and fewer than half of the sets as a whole beyond three times that',
      holds:
        every(
          (count) => count <= UNITS / (4 * Math.log(UNITS)),
          (count) => of('OPR', count).whole.mean === 1,
        ) &&
        every(
          (count) => count > (3 * UNITS) / (4 * Math.log(UNITS)),
          (count) => of('OPR', count).whole.mean < 0.5,
        ),
    },
    {
      claim: 'outer products store one pattern in a hundred or fewer from 0.5 patterns a unit on',
      holds: every(
        (count) => count >= 32,
        (count) => of('OPR', count).part.mean <= 0.01,
      ),
    },
    {
      claim: 'Storkey’s rule stores more than outer products at each m from 8 on',
      holds: every(
        (count) => count >= 8,
        (count) => of('Storkey', count).part.mean > of('OPR', count).part.mean,
      ),
    },
  ];
}
