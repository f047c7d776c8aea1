// Figure 5.5 of the thesis (Sohl-Dickstein 2012): models of patches of photographs with more and more experts or hidden
// units. Products of Laplace experts saturate; products of Student's t experts, as the thesis has it, rise quickly and
// then overfit; the mcRBM does worse with as many units, and does not overfit.
//
// Each model is trained as in image-models.mjs, each size from its own start. The likelihood of the patches that it was
// trained on is beside that of the test patches: a model overfits where one rises and the other falls. All sizes judge the
// same patches, so that differences are known better than either likelihood: `belowBest` with its own error.

import { mkdir, writeFile } from 'node:fs/promises';
import { startingModel } from '../../www/lib/image-models.js';
import { normals } from '../../www/lib/random-models.js';
import { flow, persistentChains } from './image-fits.mjs';
import { drawCurves } from './packed/curves.mjs';
import { estimate } from './packed/estimates.mjs';
import { readPhotographs } from './photographs.mjs';

export const name = 'image-sizes';
export const about = 'models of photographs by their size: saturated, or overfitted (thesis, 5.5)';
export const source = 'Sohl-Dickstein 2012, figure 5.5 and section 5.5.3';
export const departures = [
  { of: 'photographs', paper: 'van Hateren’s', ours: 'seven of the public domain' },
  { of: 'test patches', paper: '100', ours: '1,000' },
  { of: 'annealing', paper: '100,000 distributions', ours: '40,000' },
  { of: 'training of the mcRBM', paper: 'flow', ours: 'persistent contrastive divergence' },
  { of: 'models', paper: 'the bilinear model too', ours: 'those whose log Z is one number' },
];

const settings = (quick) =>
  quick
    ? {
        patchSize: 8,
        numComponents: 8,
        numPatches: 400,
        numTest: 100,
        sizes: [8, 16, 32],
        mcRbmSizes: [16, 32],
        numChains: 400,
        numSteps: 1,
        numRefreshes: 25,
        numEpochs: 100,
        numParticles: 100,
        numDistributions: 4000,
      }
    : {
        patchSize: 16,
        numComponents: 36,
        numPatches: 10_000,
        numTest: 1000,
        sizes: [36, 54, 72, 108, 144, 216, 288],
        mcRbmSizes: [72, 144, 288, 432],
        numChains: 10_000,
        numSteps: 1,
        numRefreshes: 100,
        numEpochs: 40,
        numParticles: 200,
        numDistributions: 40_000,
      };

const LAPLACE = 'PoE, Laplace';
const STUDENT = "PoE, Student's t";
const MC_RBM = 'mcRBM';

const modelsOf = (set) => [
  { label: LAPLACE, kind: 'laplace', sizes: set.sizes, training: flow(set), paperBest: 144 },
  { label: STUDENT, kind: 'studentT', sizes: set.sizes, training: flow(set), paperBest: 144 },
  {
    label: MC_RBM,
    kind: 'mcRbm',
    sizes: set.mcRbmSizes,
    training: persistentChains(set),
    paperBest: 432,
  },
];

export async function run({ engine, quick, seed, log, out }) {
  const set = settings(quick);
  const { patchSize, numComponents, numPatches, numTest } = set;
  const patches = await engine.patches({
    pictures: await readPhotographs(),
    patchSize,
    numComponents,
    numPatches,
    numTest,
    seed,
  });
  const context = { engine, set, patches, seed, log, digests: [patches.digest] };
  const found = {};
  for (const model of modelsOf(set)) {
    found[model.label] = [];
    for (const size of model.sizes) {
      found[model.label].push(await judge(context, model, size));
    }
  }
  await mkdir(out, { recursive: true });
  await writeFile(new URL('image-sizes.png', out), picture(found));
  log(
    'image-sizes.png: log likelihood by the number of experts or hidden units, test patches solid, training patches dotted; Laplace blue, Student’s t red, mcRBM orange.',
  );
  return {
    settings: plain(set),
    rows: modelsOf(set).flatMap((model) => rowsOf(model, found[model.label])),
    checks: checks(found, quick),
    digests: context.digests,
  };
}

const plain = ({ sizes: _, mcRbmSizes: __, ...set }) => set;

/** Trains one model of one size, and has it judge test and training patches. */
async function judge(
  { engine, set, patches, seed, log, digests },
  { label, kind, training },
  size,
) {
  const { numComponents, numParticles, numDistributions } = set;
  const normal = normals((seed * 1000 + size) % 2 ** 32);
  // Of the mcRBM's units half are of the covariance and half of the mean.
  const start = startingModel(kind, numComponents, kind === 'mcRbm' ? size / 2 : size, normal);
  const fit = await engine.fit({ model: start, states: patches.states, ...training, seed });
  const model = { ...start, ...fit.model };
  const annealing = await engine.logZ({
    model,
    numChains: numParticles,
    numDistributions,
    seed,
  });
  digests.push(fit.digest, annealing.digest);
  const { value: logZ, standardError: logZError } = annealing.forward.logZ;
  const likelihoods = async (states) => {
    const { energies } = await engine.energies({ model, states });
    return Array.from(energies, (energy) => -energy - logZ);
  };
  const test = await likelihoods(patches.testStates);
  const train = await likelihoods(patches.states);
  const judged = {
    size,
    test,
    logLikelihood: estimate(test),
    training: estimate(train),
    logZError,
    ...(annealing.exactLogZ !== undefined && { error: logZ - annealing.exactLogZ }),
    numWarnings: fit.warnings.length + annealing.warnings.length,
  };
  log(
    `${label}, ${size}: test ${judged.logLikelihood.mean.toFixed(2)} ± ${judged.logLikelihood.error.toFixed(2)}, training ${judged.training.mean.toFixed(2)}, log Z ± ${logZError.toFixed(3)}`,
  );
  return judged;
}

const bestOf = (sizes) =>
  sizes.reduce((best, each) => (each.logLikelihood.mean > best.logLikelihood.mean ? each : best));

/** How far one size is below another on the test patches, patch by patch, and the error of log Z too. */
function belowOf(low, high) {
  const { mean, error } = estimate(high.test.map((value, row) => value - low.test[row]));
  return { mean, error: Math.hypot(error, low.logZError, high.logZError) };
}

function rowsOf({ label, paperBest }, sizes) {
  const best = bestOf(sizes);
  const each = sizes.map((judged) => {
    const below = belowOf(judged, best);
    return {
      label: `${label}, ${judged.size}`,
      measured: {
        size: judged.size,
        logLikelihood: judged.logLikelihood.mean,
        logLikelihoodError: judged.logLikelihood.error,
        training: judged.training.mean,
        trainingError: judged.training.error,
        ...(judged !== best && { belowBest: below.mean, belowBestError: below.error }),
        logZError: judged.logZError,
        ...(judged.error !== undefined && { errorOfLogZ: judged.error }),
        numWarnings: judged.numWarnings,
      },
      paper: {},
    };
  });
  const summary = {
    label: `${label}, best`,
    measured: { size: best.size, logLikelihood: best.logLikelihood.mean },
    paper: { size: paperBest },
  };
  return [...each, summary];
}

function checks(found, quick) {
  const normalizes = (label) => ({
    claim: `${label}: HAIS finds the exact log Z with as many experts as pixels, to half a nat`,
    source: 'Sohl-Dickstein 2012, section 5.5.1',
    holds: Math.abs(found[label][0].error) < 0.5,
  });
  if (quick) return [normalizes(LAPLACE)];
  /** Whether `large` finds the test patches less probable than `small` does, and the training patches more probable. */
  const overfits = (large, small) => {
    const { mean, error } = belowOf(large, small);
    return mean > Math.max(1, 2 * error) && large.training.mean > small.training.mean;
  };
  const isOverfitted = (sizes) =>
    sizes.some((small, at) => sizes.slice(at).some((large) => overfits(large, small)));
  const student = found[STUDENT];
  const best = bestOf(student);
  const [first] = student;
  const twice = student.find(({ size }) => size === 2 * first.size);
  const rise = belowOf(first, best).mean;
  const alike = found[MC_RBM].find(({ size }) => size >= best.size);
  const beyond = belowOf(alike, best);
  return [
    normalizes(LAPLACE),
    normalizes(STUDENT),
    {
      claim:
        'Laplace experts show no sign of overfitting: no size is more than a nat below a smaller one on test patches, and above it on training patches',
      holds: !isOverfitted(found[LAPLACE]),
    },
    {
      claim:
        'Student’s t experts rise quickly: twice as many experts as pixels have gained half of what the best size gains',
      holds: rise > 0 && belowOf(first, twice).mean > rise / 2,
    },
    {
      claim:
        'Student’s t experts then overfit: the most experts are more than a nat below the best size on test patches, and above it on training patches',
      holds: overfits(student.at(-1), best),
    },
    {
      claim:
        'the mcRBM with as many units as the best product of Student’s t experts finds test patches less probable than that does',
      holds: beyond.mean > 2 * beyond.error,
    },
    {
      claim:
        'the mcRBM shows no sign of overfitting: no size is more than a nat below a smaller one on test patches, and above it on training patches',
      holds: !isOverfitted(found[MC_RBM]),
    },
  ];
}

const COLOURS = { [LAPLACE]: [30, 70, 200], [STUDENT]: [200, 30, 30], [MC_RBM]: [240, 150, 60] };

/** Test likelihoods with their errors, and dotted those of training patches. */
function picture(found) {
  const x = [...new Set(Object.values(found).flatMap((sizes) => sizes.map(({ size }) => size)))];
  x.sort((a, b) => a - b);
  /** Of a model that lacks a size the straight line between its neighbours; nothing beyond its own. */
  const along = (sizes, of) =>
    x.map((size) => {
      const after = sizes.findIndex((judged) => judged.size >= size);
      if (after < 0 || sizes[0].size > size) return Number.NaN;
      if (sizes[after].size === size) return of(sizes[after]);
      const [low, high] = [sizes[after - 1], sizes[after]];
      const part = (size - low.size) / (high.size - low.size);
      return of(low) * (1 - part) + of(high) * part;
    });
  const curves = Object.entries(found).flatMap(([label, sizes]) => [
    {
      values: along(sizes, ({ logLikelihood }) => logLikelihood.mean),
      errors: along(sizes, ({ logLikelihood }) => logLikelihood.error),
      colour: COLOURS[label],
    },
    {
      values: along(sizes, ({ training }) => training.mean),
      errors: along(sizes, ({ training }) => training.error),
      colour: COLOURS[label],
      dotted: true,
    },
  ]);
  const ends = curves.flatMap(({ values }) => values).filter((value) => !Number.isNaN(value));
  const low = 5 * Math.floor(Math.min(...ends) / 5);
  const high = 5 * Math.ceil(Math.max(...ends) / 5);
  const yTicks = Array.from({ length: (high - low) / 5 + 1 }, (_, at) => low + 5 * at);
  return drawCurves({ curves, x, xTicks: x, yTicks });
}
