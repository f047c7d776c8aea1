// Chapter 5 of the thesis (Sohl-Dickstein 2012), table 5.1, and Sohl-Dickstein and Culpepper (2011):
// models of patches of photographs compared by the log likelihood of test patches, which Hamiltonian
// annealed importance sampling (HAIS) makes known for models whose normalizer is not.
//
// As there, 10,000 patches of 16 × 16 pixels, logged, whitened, 36 principal components, and 100 test
// patches. The thesis has van Hateren's photographs, which are not ours to give away: these are from
// seven photographs of the public domain, so the log likelihoods are others, and what is compared is
// their order and their distances. It anneals with 200 chains through 100,000 distributions; sizes
// here are told in the row "settings". `logWeightSd` says what they are worth: the standard deviation
// of the log weights of a log Z, in generative models the median over the test patches.
//
// `logLikelihoodError` is table 5.1's ±: that of 100 patches among others. As all models judge the same
// patches, their differences are known better, `overGaussian` with its own error; `logZError` is what
// annealing adds. One patch that annealing fails on can spoil a mean: the median is told too.
// With few, uneven weights annealing errs downward, and the likelihood of an analysis
// model upward. The first model and complete products of experts are known exactly.

import { mkdir, writeFile } from 'node:fs/promises';
import { gaussianLogLikelihoods, noiseLogLikelihoods } from '../../www/lib/gaussian-likelihoods.js';
import { bars, basesAndFilters } from './image-figures.mjs';
import { imageModels } from './image-fits.mjs';
import { annealed } from './image-likelihoods.mjs';
import { estimate, mean } from './packed/estimates.mjs';
import { readPhotographs } from './photographs.mjs';

export const name = 'image-models';
export const about = 'models of photographs by the likelihood of test patches (thesis, table 5.1)';
export const source = 'Sohl-Dickstein 2012, table 5.1';
export const departures = [
  {
    of: 'patches',
    paper: 'of 4,112 pictures of the van Hateren database',
    ours: 'of seven photographs of the public domain, as many and as large',
  },
  { of: 'annealing', paper: '100,000 distributions, 200 chains', ours: 'see the row "settings"' },
];

const NOISE = 0.1;

const settings = (quick) =>
  quick
    ? {
        size: 8,
        numComponents: 8,
        numPatches: 400,
        numTest: 20,
        linear: { numSteps: 2, numRefreshes: 60 },
        experts: { numExperts: 16, numChains: 400, numSteps: 1, numRefreshes: 25 },
        mcRbm: { numFactors: 8, numMeanUnits: 8, numEpochs: 400 },
        bilinear: {
          numFactors: 10,
          numSteps: 2,
          numRefreshes: 60,
          annealing: {
            numChains: 20,
            numDistributions: 200,
            pilot: { numChains: 20, numDistributions: 50, numRuns: 3 },
          },
        },
        complete: { maxIterations: 200 },
        analysis: {
          numChains: 100,
          numDistributions: 1000,
          pilot: { numChains: 32, numDistributions: 200, numRuns: 2 },
        },
        generative: {
          numChains: 20,
          numDistributions: 1000,
          pilot: { numChains: 20, numDistributions: 200, numRuns: 2 },
        },
      }
    : {
        size: 16,
        numComponents: 36,
        numPatches: 10_000,
        numTest: 100,
        linear: { numSteps: 2, numRefreshes: 300 },
        experts: { numExperts: 144, numChains: 10_000, numSteps: 1, numRefreshes: 100 },
        mcRbm: { numFactors: 72, numMeanUnits: 72, numEpochs: 40 },
        bilinear: {
          numFactors: 49,
          numSteps: 2,
          numRefreshes: 150,
          annealing: {
            numChains: 20,
            numDistributions: 2000,
            pilot: { numChains: 16, numDistributions: 100, numRuns: 3 },
          },
        },
        complete: { maxIterations: 300 },
        analysis: {
          numChains: 200,
          numDistributions: 40_000,
          pilot: { numChains: 64, numDistributions: 1000, numRuns: 2 },
        },
        generative: {
          numChains: 20,
          numDistributions: 10_000,
          pilot: { numChains: 16, numDistributions: 500, numRuns: 1 },
        },
      };

export async function run({ unnorm, engine, quick, seed, log, out }) {
  const set = settings(quick);
  const patches = await engine.patches({
    pictures: await readPhotographs(),
    patchSize: set.size,
    numComponents: set.numComponents,
    numPatches: set.numPatches,
    numTest: set.numTest,
    seed,
  });
  const context = { engine, patches, set, seed, log, digests: [patches.digest] };
  const found = [];
  for (const model of imageModels(set, seed)) found.push(await judge(context, model));
  const zeros = await withoutBasis(context);

  await mkdir(out, { recursive: true });
  await writeFile(new URL('image-models.png', out), bars(found));
  log(
    `image-models.png: mean log likelihoods with the error of so many test patches, from left to right ${found.map(({ label }) => label).join(', ')}.`,
  );
  await writeFile(
    new URL('image-models-filters.png', out),
    basesAndFilters(unnorm, patches, set, found),
  );
  log('image-models-filters.png: bases and filters of the same, on whitened pixels.');
  const rows = [
    { label: 'settings', measured: sizesOf(set), paper: PAPER_SIZES },
    ...found.map((each) => rowOf(each, found[0])),
    ...zeros.map(({ label, ...measured }) => ({ label, measured, paper: {} })),
  ];
  return { rows, checks: checks(found, zeros, quick), digests: context.digests };
}

const PAPER_SIZES = {
  numPatches: 10_000,
  numTest: 100,
  analysisChains: 200,
  analysisDistributions: 100_000,
};

const sizesOf = ({ numPatches, numTest, analysis, generative }) => ({
  numPatches,
  numTest,
  analysisChains: analysis.numChains,
  analysisDistributions: analysis.numDistributions,
  generativeChains: generative.numChains,
  generativeDistributions: generative.numDistributions,
});

/** Trains a model and has it judge the test patches. */
async function judge({ engine, patches, set, seed, log, digests }, described) {
  const { label, objective, optimizer, isGenerative } = described;
  const { states, testStates } = patches;
  const started = performance.now();
  const fit = await engine.fit(
    { model: described.model, states, objective, ...(optimizer && { optimizer }), seed },
    { progressInterval: 20_000, onProgress: teller(log, `${label}, training`) },
  );
  const trained = performance.now();
  const model = { ...described.model, ...fit.model };
  const test = await annealed({
    engine,
    model,
    states: testStates,
    budget: described.budget,
    seed,
    onProgress: teller(log, `${label}, annealing`),
  });
  const energies = async (rows) => (await engine.energies({ model, states: rows })).energies;
  const rows = isGenerative ? test.rows : (await energies(testStates)).map((e) => -e - test.logZ);
  digests.push(fit.digest, test.digest);
  const exact = exactOf(described, model, test, set, testStates);
  const seconds = (performance.now() - started) / 1000;
  log(
    `${label}: ${test.mean.toFixed(2)} ± ${test.rowError.toFixed(2)} nats, ${exact === null ? '' : `exactly ${exact.toFixed(2)}, `}log Z ± ${test.logZError.toFixed(3)}, sd of log weights ${test.logWeightSd.toFixed(2)}, ESS ${test.worstWeightEss.toFixed(1)} to ${test.weightEss.toFixed(1)}; trained in ${((trained - started) / 1000).toFixed(1)} s, ${seconds.toFixed(1)} s in all. ${[...fit.warnings, ...test.warnings].join(' ')}`,
  );
  return { ...described, model, fit, test, rows, exact };
}

/** The exact mean log likelihood of the test patches, where it is known. */
function exactOf({ model: { kind, prior } }, model, test, set, states) {
  if (kind === 'linearGenerative' && prior === 'gaussian') {
    return mean(gaussianLogLikelihoods(model, set.numComponents, states));
  }
  return kind === 'productOfExperts' && test.exactLogZ !== undefined
    ? test.mean + test.logZ - test.exactLogZ
    : null;
}

/** Generative models without basis functions, p(x) = N(0, σ² I) (5.25), of a few test patches. */
async function withoutBasis({ engine, patches, set, seed, digests }) {
  const dim = set.numComponents;
  const states = patches.testStates.subarray(0, 5 * dim);
  const exact = mean(noiseLogLikelihoods(NOISE, dim, states));
  const found = [];
  for (const { label, model, isGenerative, budget } of imageModels(set, seed)) {
    if (!isGenerative) continue;
    const basis = new Float64Array(model.basis.length);
    const test = await annealed({
      engine,
      model: { ...model, basis },
      states,
      budget,
      seed,
    });
    digests.push(test.digest);
    const { logZError } = test;
    found.push({
      label: `${label}, Φ = 0`,
      logLikelihood: test.mean,
      error: test.mean - exact,
      logZError,
    });
  }
  return found;
}

/** Tells of a job's progress, and how long it will take. */
function teller(log, label) {
  const started = performance.now();
  return ({ fraction, done }) => {
    const seconds = (performance.now() - started) / 1000;
    if (done || seconds < 5) return;
    const left =
      fraction > 0 ? `, ${((seconds * (1 - fraction)) / fraction).toFixed(0)} s left` : '';
    log(`${label}: ${(100 * fraction).toFixed(0)} %${left}`);
  };
}

function rowOf({ label, size, paper, fit, test, rows, exact }, gaussian) {
  const over = estimate(Array.from(rows, (value, row) => value - gaussian.rows[row]));
  return {
    label,
    measured: {
      size,
      logLikelihood: test.mean,
      logLikelihoodError: test.rowError,
      medianLogLikelihood: Float64Array.from(rows).sort()[rows.length >> 1],
      logZError: test.logZError,
      ...(exact !== null && { exactLogLikelihood: exact }),
      ...(gaussian.label !== label && { overGaussian: over.mean, overGaussianError: over.error }),
      logWeightSd: test.logWeightSd,
      worstLogWeightSd: test.worstLogWeightSd,
      weightEss: test.weightEss,
      worstWeightEss: test.worstWeightEss,
      refreshesOrSteps: fit.numIterations,
      numWarnings: fit.warnings.length + test.warnings.length,
    },
    paper: paper
      ? {
          size: PAPER_UNITS[label],
          logLikelihood: paper[0],
          logLikelihoodError: paper[1],
          ...(gaussian.label !== label && { overGaussian: paper[0] - gaussian.paper[0] }),
        }
      : {},
  };
}

const PAPER_UNITS = {
  'linear generative, gaussian': 36,
  'linear generative, laplace': 36,
  'PoE, Laplace': 144,
  mcRBM: 432,
  "PoE, Student's t": 144,
  'bilinear generative': 98,
};

const of = (found, label) => found.find((each) => each.label === label).test;

function checks(found, zeros, quick) {
  const [gaussian] = found;
  const known = found.filter(({ exact }) => exact !== null);
  const ordered = found.filter(({ paper }) => paper);
  const within = ({ test, exact }, nats) => Math.abs(test.mean - exact) < nats;
  const validation = [
    {
      claim: 'without basis functions HAIS finds ln N(x; 0, σ²), to 0.2 nat in the mean (5.25)',
      holds: zeros.every(({ error }) => Math.abs(error) < 0.2),
    },
    {
      claim: 'HAIS finds the exact likelihood of the linear generative Gaussian, to 0.2 nat',
      holds: within(gaussian, 0.2),
    },
    {
      claim: 'HAIS finds the exact likelihoods of complete products of experts, to half a nat',
      holds: known.every((each) => within(each, 0.5)),
    },
  ];
  if (quick) return validation;
  return [
    ...validation,
    ...ordered.slice(1).map(({ label, test }, before) => ({
      claim: `table 5.1: "${label}" finds the patches more probable than "${ordered[before].label}" does`,
      holds: test.mean > ordered[before].test.mean,
    })),
    {
      claim: 'linear models: sparse priors or experts win more than 6 nats over a Gaussian',
      holds: ['linear generative, laplace', 'PoE, Laplace'].every(
        (label) => of(found, label).mean > gaussian.test.mean + 6,
      ),
    },
    {
      claim: "Student's t experts win more than 7 nats over Laplace experts",
      holds: of(found, "PoE, Student's t").mean > of(found, 'PoE, Laplace').mean + 7,
    },
    {
      claim:
        "Student's t experts and the bilinear model differ by no more than their ± (table 5.1)",
      holds:
        Math.abs(of(found, "PoE, Student's t").mean - of(found, 'bilinear generative').mean) <
        of(found, "PoE, Student's t").rowError + of(found, 'bilinear generative').rowError,
    },
  ];
}
