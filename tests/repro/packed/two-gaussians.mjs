// Section 5.1 and figure 2 of Grosse, Maddison and Salakhutdinov (2013),
// "Annealing between distributions by averaging moments": from one Gaussian to
// another far away, by geometric averages and by averages of the moments, with
// exact draws from every distribution on the way ("perfect") and with Gibbs
// sampling, on linear schedules and on optimal binned ones of ten segments.
//
// Both Gaussians are normalized in the paper, so that its log Z is 0. Ours have
// log Z = log 2π + ½ log det Σ; told are differences from that.
//
// By theory, with perfect transitions and a linear schedule, the mean log
// weight is −F/K on both paths, F being half the symmetric divergence of the
// two Gaussians (Theorem 2; by the symmetry of these two it is exact at every
// K). The paper's averages "with K = 25", −27.15 and −28.04, are those of 26
// factors, with 25 distributions strictly between the ends. Of the estimates
// there it says that averaged moments come within one nat and that geometric
// averages are 27 nats off, without saying with which transitions. One estimate
// from so few weights that matter says little, so K = 25 is run again with
// other seeds, and medians are told. The 27 nats are those of Gibbs sampling.

import { mkdir, writeFile } from 'node:fs/promises';
import { drawCurves } from './curves.mjs';

export const name = 'two-gaussians';
export const about = 'annealing between distant Gaussians, two paths (moment averaging, figure 2)';
const section = 'Grosse, Maddison and Salakhutdinov 2013';
export const source = `${section}, figure 2`;

export const departures = [
  {
    of: 'estimates at K = 25',
    paper: 'one of each',
    ours: 'medians over seeds: single ones scatter by more than a nat',
  },
];

const CORRELATION = 0.85;
const MEAN = 10;
const gaussian = (mean, correlation) => ({
  kind: 'gaussian',
  dim: 2,
  mean: [mean, 0],
  covariance: [1, correlation, correlation, 1],
});
const initial = gaussian(-MEAN, -CORRELATION);
const target = gaussian(MEAN, CORRELATION);
const LOG_Z = Math.log(2 * Math.PI) + Math.log(1 - CORRELATION ** 2) / 2;

/** Half of KL(a, b) + KL(b, a), which are the same: 725.93. */
const HALF_DIVERGENCE =
  ((2 * (1 + CORRELATION ** 2) + (2 * MEAN) ** 2) / (1 - CORRELATION ** 2) - 2) / 2;

const PATHS = ['geometric', 'momentAverages'];
const TRANSITIONS = ['perfect', 'gibbs'];
const SCHEDULES = ['linear', 'optimalBinned'];
const COLOURS = {
  'geometric linear': [200, 30, 30],
  'geometric optimalBinned': [240, 150, 60],
  'momentAverages linear': [30, 70, 200],
  'momentAverages optimalBinned': [60, 180, 190],
};
/** The paper's, at K = 25. */
const PAPER = {
  'perfect, geometric, linear': { meanLogWeightK25: -28.04 },
  'perfect, momentAverages, linear': { meanLogWeightK25: -27.15 },
  'gibbs, geometric, linear': { errorK25: -27 },
};
/** Log weights of 5,000 chains have nearly normal means: false alarms less than once in 10 million. */
const EQUAL = 6;

const settings = (quick) => ({
  numChains: quick ? 2000 : 5000,
  numRepeats: quick ? 3 : 20,
  sizes: quick ? [10, 25, 26, 100] : [10, 18, 25, 26, 32, 56, 100, 178, 316, 562, 1000],
});

export async function run({ engine, quick, seed, log, out }) {
  const set = settings(quick);
  const cases = [];
  const digests = [];
  for (const transition of TRANSITIONS) {
    for (const path of PATHS) {
      for (const schedule of SCHEDULES) {
        const at = { path, transition, schedule };
        const estimate = async (numDistributions, runSeed) => {
          const found = await estimateOf({ engine, set, at, numDistributions, seed: runSeed });
          digests.push(found.digest);
          return found;
        };
        const points = [];
        for (const size of set.sizes) points.push(await estimate(size, seed));
        const repeats = [];
        for (let again = 1; again <= set.numRepeats; again++) {
          repeats.push(await estimate(25, seed + again));
        }
        cases.push({ ...at, points, repeats });
        log(`${transition}, ${path}, ${schedule}: ${points.map(({ error }) => error.toFixed(2))}`);
      }
    }
  }
  await mkdir(out, { recursive: true });
  for (const transition of TRANSITIONS) {
    const shown = cases.filter((each) => each.transition === transition);
    const file = `two-gaussians-${transition}.png`;
    await writeFile(new URL(file, out), figure(shown));
    log(
      `${file}: error of log Z by K; geometric in red (linear) and orange (binned), moment averages in blue and turquoise.`,
    );
  }
  return { settings: set, rows: cases.map(row), checks: checks(cases), digests };
}

async function estimateOf({ engine, set, at, numDistributions, seed }) {
  const { forward, digest } = await engine.logZ({
    model: target,
    reference: { kind: 'model', model: initial },
    path: { kind: at.path },
    schedule: at.schedule === 'linear' ? { kind: 'linear' } : { kind: at.schedule, numBins: 10 },
    transition: { kind: at.transition },
    numChains: set.numChains,
    numDistributions,
    seed,
  });
  return {
    numDistributions,
    error: forward.logZ.value - LOG_Z,
    lower: forward.bootstrap.lower - LOG_Z,
    upper: forward.bootstrap.upper - LOG_Z,
    meanLogWeight: forward.meanLogWeight - LOG_Z,
    meanLogWeightError: forward.meanLogWeightError,
    weightEss: forward.weightEss,
    digest,
  };
}

const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};
const medianError = ({ repeats }) => median(repeats.map(({ error }) => error));

function row(each) {
  const { path, transition, schedule, points, repeats } = each;
  const at = (size) => points.find(({ numDistributions }) => numDistributions === size);
  const at25 = at(25);
  const errors = repeats.map(({ error }) => error);
  const label = `${transition}, ${path}, ${schedule}`;
  return {
    label,
    measured: {
      ...Object.fromEntries(
        points.map((point) => [`errorK${point.numDistributions}`, point.error]),
      ),
      medianErrorK25: medianError(each),
      leastErrorK25: Math.min(...errors),
      greatestErrorK25: Math.max(...errors),
      meanLogWeightK25: at25.meanLogWeight,
      meanLogWeightErrorK25: at25.meanLogWeightError,
      meanLogWeightK26: at(26).meanLogWeight,
      meanLogWeightErrorK26: at(26).meanLogWeightError,
      weightEssK25: at25.weightEss,
    },
    paper: PAPER[label] ?? {},
  };
}

function figure(cases) {
  return drawCurves({
    curves: cases.map(({ path, schedule, points }) => ({
      values: points.map(({ error }) => error),
      lower: points.map(({ lower }) => lower),
      upper: points.map(({ upper }) => upper),
      colour: COLOURS[`${path} ${schedule}`],
    })),
    x: cases[0].points.map(({ numDistributions }) => numDistributions),
    xLog: true,
    xTicks: [10, 25, 100, 1000].filter((tick) => tick <= cases[0].points.at(-1).numDistributions),
    yTicks: [-60, -50, -40, -30, -20, -10, 0, 10],
  });
}

function checks(cases) {
  const find = (transition, path, schedule) =>
    cases.find(
      (each) => each.transition === transition && each.path === path && each.schedule === schedule,
    );
  const theory = PATHS.flatMap((path) => find('perfect', path, 'linear').points);
  const last = cases.map(({ points }) => points.at(-1));
  const ofPaper = (numDistributions) =>
    PATHS.every((path) => {
      const one = find('perfect', path, 'linear').points.find(
        (point) => point.numDistributions === numDistributions,
      );
      const paper = PAPER[`perfect, ${path}, linear`].meanLogWeightK25;
      // The paper's has an error like ours.
      return Math.abs(one.meanLogWeight - paper) < 4 * Math.SQRT2 * one.meanLogWeightError;
    });
  const [geometric, averages] = PATHS.map((path) => find('perfect', path, 'linear').points);
  return [
    {
      claim: `with perfect transitions and linear schedules the mean log weight is −${HALF_DIVERGENCE.toFixed(2)}/K on both paths, for each K within ${EQUAL} standard errors`,
      holds: theory.every(
        ({ numDistributions, meanLogWeight, meanLogWeightError }) =>
          Math.abs(meanLogWeight + HALF_DIVERGENCE / numDistributions) < EQUAL * meanLogWeightError,
      ),
    },
    {
      claim: `the mean log weight is the same along both paths, for each K within ${EQUAL} standard errors`,
      source: `${section}, section 5.1`,
      holds: geometric.every((one, at) => {
        const other = averages[at];
        const error = Math.hypot(one.meanLogWeightError, other.meanLogWeightError);
        return Math.abs(one.meanLogWeight - other.meanLogWeight) < EQUAL * error;
      }),
    },
    {
      claim:
        'with K = 25 factors the mean log weight is −28.04 and −27.15, within four standard errors of the difference',
      source: `${section}, section 5.1`,
      holds: ofPaper(25),
    },
    {
      claim:
        'with 25 distributions between the ends, 26 factors, the mean log weight is −28.04 and −27.15, within four standard errors of the difference',
      source: `${section}, section 5.1`,
      holds: ofPaper(26),
    },
    {
      claim:
        'at K = 25 averages of moments come within 1 nat of log Z, with either transition on optimal binned schedules',
      holds: TRANSITIONS.every(
        (transition) =>
          Math.abs(medianError(find(transition, 'momentAverages', 'optimalBinned'))) < 1,
      ),
    },
    {
      claim:
        'at K = 25 averages of moments come within 1.5 nats of log Z, with either transition on linear schedules',
      holds: TRANSITIONS.every(
        (transition) => Math.abs(medianError(find(transition, 'momentAverages', 'linear'))) < 1.5,
      ),
    },
    {
      claim: 'at K = 25 geometric averages with Gibbs sampling are more than ten nats off',
      holds: SCHEDULES.every((schedule) => medianError(find('gibbs', 'geometric', schedule)) < -10),
    },
    {
      claim:
        'at K = 25 geometric averages with perfect transitions on a linear schedule are more than five nats off',
      holds: medianError(find('perfect', 'geometric', 'linear')) < -5,
    },
    ...(last[0].numDistributions < 1000
      ? []
      : [
          {
            claim: 'with K = 1,000 all come within half a nat of log Z',
            holds: last.every(({ error }) => Math.abs(error) < 0.5),
          },
        ]),
  ];
}
