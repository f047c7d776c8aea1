// Section 7.2 of Grosse's thesis (2014), on undirected models, where the thesis has
// marginal likelihoods: runs from the reference to the model bound log Z from below, runs from
// exact draws of the model back to the reference bound it from above, and both
// close in on it as the number K of distributions grows. Here the truth is
// known: a spin glass of 10 × 10 sites, a restricted Boltzmann machine and a
// product of experts, each with exact draws.
//
// The forward estimate of Z is unbiased, and so is the reverse one of 1/Z. By
// Markov's inequality the one is above Z by a factor e^b, or the other below
// it, with a probability of at most e^−b each. `insideK…` is the part of runs,
// over seeds, in which log Z lies between the two estimates as they are, which
// may be less often, and falls to a quarter where both have converged and err
// either way; `insideBoundsK…` that in which it lies between the bounds
// that are told with a probability of failure of 1 in 20 each; `coveredK…` that
// in which the 95 % interval of the two together (Bennett's acceptance ratio)
// holds it.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { drawCurves } from './curves.mjs';
import { mean } from './estimates.mjs';

export const name = 'bounds';
export const about = 'forward and reverse annealing close in on log Z (Grosse 2014, section 7.2)';
export const source = 'Grosse 2014, section 7.2';

export const departures = [
  {
    of: 'what is estimated',
    paper: 'marginal likelihoods of matrix factorizations, by eleven estimators (figure 7-1)',
    ours: 'log Z of a spin glass, a restricted Boltzmann machine and a product of experts, by annealing both ways',
  },
];

const NUM_CHAINS = 20;

const settings = (quick) => ({
  sizes: quick ? [4, 16, 64, 256] : [4, 8, 16, 32, 64, 128, 256, 512, 1024],
  numSeeds: quick ? 10 : 40,
});

export async function run({ engine, unnorm, quick, seed, log, out }) {
  const { sizes, numSeeds } = settings(quick);
  const rows = [];
  const digests = [];
  const found = [];
  await mkdir(out, { recursive: true });
  for (const { label, file, spec, yTicks } of await modelsOf(engine, unnorm, seed)) {
    const { logZ: truth } = await engine.exact({ model: spec.model });
    const points = [];
    for (const numDistributions of sizes) {
      const runs = [];
      for (let again = 0; again < numSeeds; again++) {
        const result = await engine.logZ({
          ...spec,
          schedule: { kind: 'linear' },
          numChains: NUM_CHAINS,
          numDistributions,
          reverse: { start: { kind: 'exact' } },
          seed: seed + again,
        });
        runs.push(result);
        digests.push(result.digest);
      }
      points.push(pointOf(numDistributions, runs, truth));
    }
    found.push({ label, points });
    rows.push({
      label: `${label}, log Z = ${truth.toFixed(4)}`,
      measured: shown(points),
      paper: {},
    });
    await writeFile(new URL(file, out), figure(points, yTicks));
    log(`${label}: ${points.map(({ inside }) => inside)}`);
    log(
      `${file}: estimates less log Z by K, mean and range over seeds; forward in blue, reverse in red.`,
    );
  }
  return { rows, checks: checks(found, numSeeds), digests };
}

async function modelsOf(engine, unnorm, seed) {
  const couplings = unnorm.readNpy(
    await readFile(new URL('../../../www/data/spin-glass-10x10.couplings.npy', import.meta.url)),
  ).values;
  const glass = {
    kind: 'ising',
    dim: 100,
    pattern: { kind: 'lattice', numRows: 10, numCols: 10, periodic: false },
    couplings,
  };
  const [numVisible, numHidden, dim] = [30, 12, 10];
  const normals = await normalsOf(engine, 30, seed);
  const rbm = {
    kind: 'rbm',
    numVisible,
    numHidden,
    weights: normals.slice(0, numVisible * numHidden),
    visibleBias: normals.slice(400, 400 + numVisible),
    hiddenBias: normals.slice(500, 500 + numHidden),
  };
  const filters = normals
    .slice(600, 600 + dim * dim)
    .map((value, at) => 0.2 * value + (Math.floor(at / dim) === at % dim ? 1 : 0));
  const experts = { kind: 'productOfExperts', dim, expert: 'laplace', filters };
  const hais = {
    kind: 'hmc',
    numLeapfrogSteps: 1,
    stepSize: 0.2,
    momentumRefresh: 1 - 2 ** -0.2,
  };
  return [
    {
      label: 'spin glass, 10 × 10',
      file: 'bounds-glass.png',
      spec: { model: glass, transition: { kind: 'gibbs' } },
      yTicks: [-12, -8, -4, 0, 4, 8, 12],
    },
    {
      label: `RBM, ${numVisible} × ${numHidden}`,
      file: 'bounds-rbm.png',
      spec: { model: rbm, transition: { kind: 'blockGibbs' } },
      yTicks: [-6, -4, -2, 0, 2, 4, 6],
    },
    {
      label: `product of ${dim} Laplace experts`,
      file: 'bounds-experts.png',
      spec: { model: experts, transition: hais },
      yTicks: [-4, -2, 0, 2, 4],
    },
  ];
}

/** dim² standard normal numbers, the same on all machines. */
async function normalsOf(engine, dim, seed) {
  const { draws } = await engine.sample({
    model: { kind: 'gaussian', dim },
    transition: { kind: 'hmc', numLeapfrogSteps: 10, stepSize: 0.15 },
    numChains: dim,
    numWarmup: 0,
    numDraws: 1,
    start: { kind: 'exact' },
    seed,
  });
  return Array.from(draws.values);
}

const part = (runs, holds) => mean(runs.map((run) => (holds(run) ? 1 : 0)));
const spread = (values) => ({
  mean: mean(values),
  least: Math.min(...values),
  most: Math.max(...values),
});

function pointOf(numDistributions, runs, truth) {
  return {
    numDistributions,
    forward: spread(runs.map(({ forward }) => forward.logZ.value - truth)),
    reverse: spread(runs.map(({ reverse }) => reverse.logZ.value - truth)),
    inside: part(
      runs,
      ({ forward, reverse }) => forward.logZ.value <= truth && truth <= reverse.logZ.value,
    ),
    lowerHolds: part(runs, ({ bounds }) => bounds.lower <= truth),
    upperHolds: part(runs, ({ bounds }) => truth <= bounds.upper),
    insideBounds: part(
      runs,
      ({ bounds }) => bounds.lower <= truth && truth <= bounds.upper && bounds.boundIsCertified,
    ),
    covered: part(
      runs,
      ({ bridge }) => bridge.interval.lower <= truth && truth <= bridge.interval.upper,
    ),
    failureProbability: runs[0].bounds.failureProbability,
    gap: mean(runs.map(({ forward, reverse }) => reverse.logZ.value - forward.logZ.value)),
  };
}

function shown(points) {
  return Object.fromEntries(
    points.flatMap((point) => [
      [`forwardK${point.numDistributions}`, point.forward.mean],
      [`reverseK${point.numDistributions}`, point.reverse.mean],
      [`insideK${point.numDistributions}`, point.inside],
      [`insideBoundsK${point.numDistributions}`, point.insideBounds],
      [`coveredK${point.numDistributions}`, point.covered],
    ]),
  );
}

function figure(points, yTicks) {
  const curve = (direction, colour) => ({
    values: points.map((point) => point[direction].mean),
    lower: points.map((point) => point[direction].least),
    upper: points.map((point) => point[direction].most),
    colour,
  });
  const x = points.map(({ numDistributions }) => numDistributions);
  return drawCurves({
    curves: [curve('forward', [30, 70, 200]), curve('reverse', [200, 30, 30])],
    x,
    xLog: true,
    xTicks: x.filter((_, at) => at % 2 === 0 || x.length < 6),
    yTicks,
  });
}

/** The probability that of `count` events of probability `p` there are `least` or more. */
function atLeast(count, p, least) {
  let [term, sum] = [(1 - p) ** count, 0];
  for (let k = 0; k <= count; k++) {
    if (k >= least) sum += term;
    term *= ((count - k) / (k + 1)) * (p / (1 - p));
  }
  return sum;
}

function checks(found, numSeeds) {
  const points = found.flatMap((model) => model.points);
  const asPromised = (point, holds) => {
    const failures = Math.round((1 - point[holds]) * numSeeds);
    return atLeast(numSeeds, point.failureProbability, failures) > 1e-8;
  };
  return [
    {
      claim:
        'lower and upper bounds hold as often as Markov’s inequality says: no more failures, for any model and K, than chance allows once in a hundred million',
      holds: points.every(
        (point) => asPromised(point, 'lowerHolds') && asPromised(point, 'upperHolds'),
      ),
    },
    {
      claim:
        'forward runs estimate too little in the mean and reverse ones too much, at the least K',
      holds: found.every(({ points: [first] }) => first.forward.mean < 0 && first.reverse.mean > 0),
    },
    {
      claim: 'the two close in: at the greatest K they are less than a third as far apart',
      holds: found.every(({ points: all }) => all.at(-1).gap < all[0].gap / 3),
    },
  ];
}
