// Figures 5.2 to 5.4 of Sohl-Dickstein's thesis (2012), figures 2 to 4 of
// Sohl-Dickstein and Culpepper (2011): how many distributions Hamiltonian
// annealed importance sampling (HAIS) takes, beside annealing with one leapfrog
// step and new momenta each time, and with Gaussian proposals. As there, 36
// dimensions, as many experts or coefficients, 200 particles, a linear schedule
// from the standard normal distribution.
//
// HAIS takes a leapfrog step of ε = 0.2 a distribution and replaces half the
// momentum's power in unit time, γ = 1 − 2^(−ε); new momenta each time are
// γ = 1. Gaussian proposals have the paper's σ = 0.1, and a standard deviation
// tuned along the path by a pilot run, whose cost is not counted.
//
// The paper's models were trained on photographs: for those see hais-trained.mjs. Ours have random filters,
// normal with variance 1/36; Student's t experts have λ = 3/2, infinite
// variances. Such filters leave some directions very wide, so that at these
// sizes no method comes near log Z of the products of experts; the linear
// generative model, of which log p(x) of one x is estimated, is easy.
//
// Compared is the gap: log Z less the mean of log Z + log weights. It is what
// the estimate loses on the way, falls to 0 as N grows, and is known to a few
// tenths where the estimate itself is not known to a nat. `timesHais…` is
// how many times as many distributions a method needs for the gap that HAIS has
// at that N, between measured sizes by a straight line in logarithms.

import { mkdir, writeFile } from 'node:fs/promises';
import { drawCurves } from './curves.mjs';
import { mean } from './estimates.mjs';

export const name = 'hais-convergence';
export const about = 'distributions that HAIS needs, and other annealing (thesis, figures 5.2–5.4)';
export const source = 'Sohl-Dickstein 2012, figures 5.2 to 5.4';
export const departures = [
  {
    of: 'models',
    paper: 'trained on patches of photographs',
    ours: 'random filters, normal with variance 1/36; of experts λ = 3/2',
  },
  { of: 'noise of the linear generative model', paper: '0.1', ours: '0.5' },
  { of: 'its test patches', paper: '100', ours: '1' },
];

const DIM = 36;
export const NUM_PARTICLES = 200;
const STEP_SIZE = 0.2;
const leapfrog = (momentumRefresh) => ({
  kind: 'hmc',
  numLeapfrogSteps: 1,
  stepSize: STEP_SIZE,
  momentumRefresh,
});
export const METHODS = {
  hais: { transition: leapfrog(1 - 2 ** -STEP_SIZE), colour: [30, 70, 200] },
  'leapfrog, new momenta': { transition: leapfrog(1), colour: [30, 150, 60] },
  'Gaussian, 0.1': { transition: { kind: 'metropolis', stepSize: 0.1 }, colour: [200, 30, 30] },
  'Gaussian, tuned': { transition: { kind: 'metropolis' }, colour: [240, 150, 60] },
};

const settings = (quick) => ({
  sizes: quick ? [100, 316, 1000] : [100, 316, 1000, 3162, 10_000],
  numSeeds: quick ? 1 : 3,
  // HAIS is compared with others of this many times its distributions, by the steps in `sizes`.
  times: quick ? { words: 'three', steps: 1 } : { words: 'ten', steps: 2 },
});

export async function run({ engine, quick, seed, log, out }) {
  const set = settings(quick);
  const rows = [];
  const digests = [];
  const found = {};
  await mkdir(out, { recursive: true });
  for (const [label, { model, yTicks }] of Object.entries(await modelsOf(engine, seed))) {
    found[label] = {};
    for (const [method, { transition }] of Object.entries(METHODS)) {
      const points = [];
      for (const numDistributions of set.sizes) {
        points.push(
          await measure({ engine, model, transition, numDistributions, set, seed, digests }),
        );
      }
      found[label][method] = points;
      log(`${label}, ${method}: gaps ${points.map(({ gap }) => gap.toFixed(2)).join(' ')}`);
      rows.push({
        label: `${label}, ${method}`,
        measured: shown(points, found[label].hais),
        paper: {},
      });
    }
    const file = `hais-convergence-${label.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}.png`;
    await writeFile(new URL(file, out), figure(found[label], yTicks));
    log(
      `${file}: error of log Z by N, mean and range over seeds; HAIS in blue, leapfrog with new momenta in green, Gaussian proposals of 0.1 in red, tuned in orange.`,
    );
  }
  return { rows, checks: checks(found, set), digests };
}

/** Random models of known log Z, made of normal numbers that are the same on all machines. */
async function modelsOf(engine, seed) {
  const { draws } = await engine.sample({
    model: { kind: 'gaussian', dim: DIM },
    transition: { kind: 'hmc', numLeapfrogSteps: 10, stepSize: 0.15 },
    numChains: DIM + 1,
    numWarmup: 0,
    numDraws: 1,
    start: { kind: 'exact' },
    seed,
  });
  const numbers = Array.from(draws.values);
  const filters = numbers.slice(0, DIM * DIM).map((value) => value / Math.sqrt(DIM));
  const experts = { kind: 'productOfExperts', dim: DIM, filters };
  return {
    "Student's t": {
      model: { ...experts, expert: 'studentT', lambda: new Array(DIM).fill(1.5) },
      yTicks: [-20, -15, -10, -5, 0],
    },
    Laplace: { model: { ...experts, expert: 'laplace' }, yTicks: [-20, -15, -10, -5, 0] },
    'linear generative': {
      model: {
        kind: 'linearGenerative',
        numObserved: DIM,
        numLatent: DIM,
        prior: 'gaussian',
        basis: filters,
        noise: 0.5,
        observed: numbers.slice(DIM * DIM),
      },
      yTicks: [-20, -15, -10, -5, 0, 5],
    },
  };
}

export async function measure({ engine, model, transition, numDistributions, set, seed, digests }) {
  const errors = [];
  const gaps = [];
  let weightEss = 0;
  for (let run = 0; run < set.numSeeds; run++) {
    const { forward, exactLogZ, digest } = await engine.logZ({
      model,
      transition,
      schedule: { kind: 'linear' },
      numChains: NUM_PARTICLES,
      numDistributions,
      pilot: { numRuns: 1 },
      seed: seed + run,
    });
    errors.push(forward.logZ.value - exactLogZ);
    gaps.push(exactLogZ - forward.meanLogWeight);
    weightEss += forward.weightEss / set.numSeeds;
    digests.push(digest);
  }
  const gap = mean(gaps);
  const squares = gaps.reduce((sum, each) => sum + (each - gap) ** 2, 0);
  const gapError = Math.sqrt(squares / (gaps.length - 1) / gaps.length);
  return { numDistributions, errors, gap, gapError, weightEss };
}

const rootMeanSquare = (values) => Math.sqrt(mean(values.map((value) => value ** 2)));
export const at = (points, size) =>
  points.find(({ numDistributions }) => numDistributions === size);

function shown(points, hais) {
  const last = points.at(-1);
  const entries = points.flatMap(({ numDistributions, errors, gap }) => [
    [`errorN${numDistributions}`, rootMeanSquare(errors)],
    [`gapN${numDistributions}`, gap],
  ]);
  const times =
    hais === points
      ? []
      : hais.map(({ numDistributions, gap }) => [
          `timesHaisN${numDistributions}`,
          timesOf(points, gap, numDistributions),
        ]);
  return {
    ...Object.fromEntries([...entries, ...times.filter(([, value]) => value !== null)]),
    weightEssOfMost: last.weightEss,
  };
}

/** How many times `base` distributions take the gap to `gap`; null if it was not seen. */
export function timesOf(points, gap, base) {
  const right = points.findIndex((point) => point.gap <= gap);
  if (right <= 0) return null;
  const [before, after] = [points[right - 1], points[right]];
  const part = Math.log(before.gap / gap) / Math.log(before.gap / after.gap);
  const ratio = after.numDistributions / before.numDistributions;
  return (before.numDistributions / base) * ratio ** part;
}

function figure(methods, yTicks) {
  const x = methods.hais.map(({ numDistributions }) => numDistributions);
  return drawCurves({
    curves: Object.entries(METHODS).map(([method, { colour }]) => ({
      values: methods[method].map(({ errors }) => mean(errors)),
      lower: methods[method].map(({ errors }) => Math.min(...errors)),
      upper: methods[method].map(({ errors }) => Math.max(...errors)),
      colour,
    })),
    x,
    xLog: true,
    xTicks: [100, 1000, 10_000].filter((tick) => tick <= x.at(-1)),
    yTicks,
  });
}

function checks(found, { times, sizes }) {
  const [few, many] = [sizes.at(-1 - times.steps), sizes.at(-1)];
  const needsMore = (label, method, least) =>
    at(found[label].hais, few).gap < at(found[label][method], least).gap;
  const experts = ["Student's t", 'Laplace'];
  const last = found['linear generative'].hais.at(-1);
  return [
    ...experts.flatMap((label) =>
      ['leapfrog, new momenta', 'Gaussian, 0.1'].map((method) => ({
        claim: `${label}: HAIS with ${few} distributions has a smaller gap than "${method}" with ${times.words} times as many`,
        holds: needsMore(label, method, many),
      })),
    ),
    {
      claim: `Student's t and Laplace: HAIS with ${few} distributions has a smaller gap than tuned Gaussian proposals with three times as many`,
      holds: experts.every((label) =>
        needsMore(label, 'Gaussian, tuned', sizes[sizes.indexOf(few) + 1]),
      ),
    },
    {
      claim: `HAIS converges to log p(x) of the linear generative model: errors below 0.5 with ${last.numDistributions} distributions`,
      holds: last.errors.every((error) => Math.abs(error) < 0.5),
    },
  ];
}
