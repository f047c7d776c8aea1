// Figures 5.2 and 5.3 of Sohl-Dickstein's thesis (2012), figures 2 and 3 and section 4 of Sohl-Dickstein and Culpepper
// (2011), on models as they have them: complete products of experts trained on whitened patches of photographs. How many
// distributions Hamiltonian annealed importance sampling (HAIS) takes, beside one leapfrog step with new momenta and
// Gaussian proposals; and how far training without log Z falls short of maximum likelihood, which complete products allow.
//
// Methods, gaps and `timesHais…` are those of hais-convergence.mjs, which has random filters: a random product is wide in some
// directions, and what it compares is how fast chains diffuse there. Gains there are larger.

import { flow as byFlow, imageModels } from './image-fits.mjs';
import { at, METHODS, measure, NUM_PARTICLES, timesOf } from './packed/hais-convergence.mjs';
import { readPhotographs } from './photographs.mjs';

export const name = 'hais-trained';
export const about =
  'distributions that HAIS needs on trained products of experts (thesis, 5.2 and 5.3)';
export const source = 'Sohl-Dickstein 2012, figures 5.2 and 5.3';
const report = 'Sohl-Dickstein and Culpepper 2011, section 4';

export const departures = [
  { of: 'photographs', paper: 'van Hateren’s', ours: 'seven of the public domain' },
  {
    of: 'training of the products',
    paper: 'minimum probability flow',
    ours: 'maximum likelihood for the comparison of methods',
  },
  { of: 'most distributions', paper: '100,000', ours: '10,000' },
];

const settings = (quick) =>
  quick
    ? {
        size: 8,
        numComponents: 8,
        numPatches: 400,
        maxIterations: 60,
        sizes: [32, 100, 320],
        judged: 32,
        numSeeds: 2,
        flow: null,
      }
    : {
        size: 16,
        numComponents: 36,
        numPatches: 5000,
        maxIterations: 300,
        sizes: [100, 316, 1000, 3162, 10_000],
        judged: 316,
        numSeeds: 6,
        flow: { numChains: 5000, numSteps: 1, numRefreshes: 100 },
      };

const TIMES = 10;

export async function run({ engine, quick, seed, log }) {
  const set = settings(quick);
  const patches = await engine.patches({
    pictures: await readPhotographs(),
    patchSize: set.size,
    numComponents: set.numComponents,
    numPatches: set.numPatches,
    numTest: 1,
    seed,
  });
  const context = { engine, set, seed, log, states: patches.states, digests: [patches.digest] };
  const rows = [];
  const found = {};
  for (const [label, start] of Object.entries(startsOf(set, seed))) {
    const best = await fit(context, start, {
      objective: { kind: 'maximumLikelihood' },
      optimizer: { kind: 'lbfgs', maxIterations: set.maxIterations },
    });
    log(`${label}: maximum likelihood ${best.logLikelihood.toFixed(2)} nats a patch`);
    found[label] = { gaps: await gapsOf(context, label, best.model, rows) };
    const measured = { maximumLikelihood: best.logLikelihood };
    for (const [key, spec] of Object.entries(rivals(set))) {
      const rival = await fit(context, start, spec);
      found[label][key] = best.logLikelihood - rival.logLikelihood;
      measured[key] = rival.logLikelihood;
      measured[`${key}Warnings`] = rival.numWarnings;
      log(`${label}, ${key}: ${found[label][key].toFixed(2)} nats below`);
    }
    rows.push({ label: `${label}, training`, measured, paper: {} });
  }
  return { settings: plain(set), rows, checks: checks(found, set), digests: context.digests };
}

const plain = ({ flow, sizes: _, ...set }) => ({ ...set, ...flow, numParticles: NUM_PARTICLES });

/** Complete products, from noise. */
function startsOf(set, seed) {
  const all = imageModels(
    { ...set, ...BUDGETS, complete: { maxIterations: set.maxIterations } },
    seed,
  );
  const of = (label) => all.find((each) => each.label === label).model;
  return { Laplace: of('PoE, Laplace, complete'), "Student's t": of("PoE, Student's t, complete") };
}

/** Of the models that are not wanted here. */
const BUDGETS = {
  linear: {},
  experts: { numExperts: 1 },
  mcRbm: { numFactors: 1, numMeanUnits: 1, numEpochs: 1 },
  bilinear: { numFactors: 1, annealing: {} },
};

/** Training without log Z. */
function rivals({ flow }) {
  if (!flow) return {};
  const transition = { kind: 'hmc', numLeapfrogSteps: 10 };
  return {
    flow: byFlow(flow),
    contrastiveDivergence: {
      objective: { kind: 'contrastiveDivergence', numSteps: 1, transition },
      optimizer: {
        kind: 'adam',
        learningRate: { start: 0.01, end: 0.0003 },
        batchSize: 100,
        numEpochs: 60,
      },
    },
  };
}

async function fit({ engine, states, seed, digests }, model, spec) {
  const fitted = await engine.fit({ model, states, seed, ...spec });
  digests.push(fitted.digest);
  const trained = { ...model, ...fitted.model };
  const { energies } = await engine.energies({ model: trained, states });
  const meanEnergy = energies.reduce((sum, energy) => sum + energy, 0) / energies.length;
  const { logZ } = await engine.exact({ model: trained });
  return {
    model: trained,
    logLikelihood: -meanEnergy - logZ,
    numWarnings: fitted.warnings.length,
  };
}

/** Gaps of each method, and rows with how many times HAIS's distributions it needs. */
async function gapsOf({ engine, set, seed, log, digests }, label, model, rows) {
  const gaps = {};
  for (const [method, { transition }] of Object.entries(METHODS)) {
    if (method === 'Gaussian, tuned') continue;
    const points = [];
    for (const numDistributions of set.sizes) {
      points.push(
        await measure({ engine, model, transition, numDistributions, set, seed, digests }),
      );
    }
    gaps[method] = points;
    const measured = Object.fromEntries(
      points.flatMap(({ numDistributions: size, gap, gapError }) => [
        [`gapN${size}`, gap],
        [`gapN${size}Error`, gapError],
      ]),
    );
    for (const size of method === 'hais' ? [] : set.sizes) {
      const times = timesHais(gaps, method, size);
      if (times !== null) measured[`timesHaisN${size}`] = times;
    }
    rows.push({ label: `${label}, ${method}`, measured, paper: {} });
    log(`${label}, ${method}: gaps ${points.map(({ gap }) => gap.toFixed(2)).join(' ')}`);
  }
  return gaps;
}

/** How many times `size` distributions the method takes until its gap is that of HAIS with `size`. */
const timesHais = (gaps, method, size) => timesOf(gaps[method], at(gaps.hais, size).gap, size);

function checks(found, set) {
  const isTenTimes = (gaps, method) => {
    const times = timesHais(gaps, method, set.judged);
    const most = gaps[method].at(-1);
    // Not seen where even the most distributions, ten times as many or more, leave a wider gap.
    return times === null
      ? most.gap > at(gaps.hais, set.judged).gap && most.numDistributions >= TIMES * set.judged
      : times >= TIMES;
  };
  const isSmaller = (label) =>
    set.sizes.every((size) => {
      const [hais, other] = ['hais', 'leapfrog, new momenta'].map((method) =>
        at(found[label].gaps[method], size),
      );
      const error = Math.hypot(hais.gapError, other.gapError);
      return other.gap - hais.gap > 2 * error;
    });
  const all = [];
  for (const label of Object.keys(found)) {
    for (const method of ['leapfrog, new momenta', 'Gaussian, 0.1']) {
      all.push({
        claim: `${label}: "${method}" takes ten times the distributions, or more, for the gap that HAIS leaves with ${set.judged}`,
        holds: isTenTimes(found[label].gaps, method),
      });
    }
    all.push({
      claim: `${label}: HAIS leaves smaller gaps than new momenta with as many distributions, by two standard errors at each size`,
      holds: isSmaller(label),
    });
  }
  if (!set.flow) return all;
  const { Laplace: laplace, "Student's t": student } = found;
  return [
    ...all,
    {
      claim:
        'Laplace experts: minimum probability flow comes within 0.2 nat a patch of maximum likelihood',
      source: report,
      holds: laplace.flow < 0.2,
    },
    {
      claim: 'Student’s t experts: flow stays more than a nat below maximum likelihood',
      source: report,
      holds: student.flow > 1,
    },
    {
      claim:
        'Student’s t experts: contrastive divergence stays more than a nat below maximum likelihood',
      source: report,
      holds: student.contrastiveDivergence > 1,
    },
  ];
}
