// Section 3.3 and figure 3.4 of the thesis (Sohl-Dickstein 2012): independent component analysis of
// whitened patches of photographs, with a Laplace prior, by maximum likelihood, which is exact here,
// and by persistent minimum probability flow with Hamiltonian Monte Carlo, both from the same noise.
//
// The thesis has 100,000 patches of 10×10 pixels from the van Hateren database, which is not ours to
// give away: these are from seven photographs of the public domain. So the log likelihoods are others
// than the thesis's, −120.33 nats by maximum likelihood and −120.61 by flow; what is compared is the
// distance between the two. Both are of the training patches, as there, and of test patches besides.
//
// Neither method is run to the end of all time: each has its budget, and what is told of the gradient
// says how far from its end a fit is. The flow's estimate keeps the noise of its samples.

import { mkdir, writeFile } from 'node:fs/promises';
import { noiseFilters } from '../../www/lib/random-models.js';
import { filterSheet } from './filter-sheet.mjs';
import { readPhotographs } from './photographs.mjs';

export const name = 'ica';
export const about = 'independent components of photographs, ML and persistent MPF (figure 3.4)';
export const source = 'Sohl-Dickstein 2012, figure 3.4';
export const departures = [
  {
    of: 'patches',
    paper: '100,000 of 10×10 pixels of the van Hateren database',
    ours: 'as many and as large, of seven photographs of the public domain',
  },
  {
    of: 'optimizer of MPF',
    paper: 'not said',
    ours: 'persistent samples, 150 refreshes of 100,000 chains',
  },
];

const settings = (quick) =>
  quick
    ? { size: 6, numPatches: 5000, numTest: 2000, maxIterations: 80, numRefreshes: 30, numSteps: 2 }
    : {
        size: 10,
        numPatches: 100_000,
        numTest: 20_000,
        maxIterations: 300,
        numRefreshes: 150,
        numSteps: 1,
      };

/** The thesis's, in nats a patch. */
const PAPER = { maximumLikelihood: -120.33, persistentMpf: -120.61 };
/** Half a nat, and that is half a nat of 120. */
const CLOSE = 0.5;

export async function run({ unnorm, engine, quick, seed, log, out }) {
  const set = settings(quick);
  const dim = set.size ** 2;
  const patches = await engine.patches({
    pictures: await readPhotographs(),
    patchSize: set.size,
    numComponents: dim,
    numPatches: set.numPatches,
    numTest: set.numTest,
    seed,
  });
  log(`${set.numPatches} patches of ${set.size} × ${set.size} pixels, whitened`);

  // Of about the length that filters of a Laplace prior have on data of variance 1.
  const start = noiseFilters(dim, dim, 1.25 / Math.sqrt(dim), seed % 2 ** 32);
  const objectives = {
    maximumLikelihood: {
      objective: { kind: 'maximumLikelihood' },
      optimizer: { kind: 'lbfgs', maxIterations: set.maxIterations },
    },
    persistentMpf: {
      objective: {
        kind: 'persistentMpf',
        numChains: set.numPatches,
        numSteps: set.numSteps,
        numRefreshes: set.numRefreshes,
        transition: { kind: 'hmc', numLeapfrogSteps: 10 },
      },
    },
  };
  const fits = {};
  for (const [method, spec] of Object.entries(objectives)) {
    const started = performance.now();
    const judge = (model) => likelihoods(engine, model, patches);
    const fit = await engine.fit(
      { model: { kind: 'ica', dim, filters: start }, states: patches.states, ...spec, seed },
      { progressInterval: 20_000, onProgress: (progress) => log(told(method, progress)) },
    );
    const seconds = (performance.now() - started) / 1000;
    fits[method] = { ...fit, ...(await judge(fit.model)), seconds };
    const { training, test } = fits[method];
    log(`${method}: ${training.toFixed(3)} nats, test ${test.toFixed(3)}, ${seconds.toFixed(0)} s`);
  }
  const gaussian = await likelihoods(engine, { kind: 'gaussian', dim }, patches);
  const likeness = likenessOf(fits.maximumLikelihood.model, fits.persistentMpf.model, dim);

  await mkdir(out, { recursive: true });
  const scales = new Float64Array(dim).fill(1);
  const sheets = Object.values(fits).map(({ model }) =>
    unnorm.receptiveFields({ ...patches.transform, scales }, model.filters),
  );
  await writeFile(new URL('ica.png', out), filterSheet(sheets, set.size));
  log('ica.png: filters on whitened pixels, maximum likelihood left, persistent MPF right.');

  return {
    rows: [
      ...Object.entries(fits).map(([method, fit]) => row(method, fit)),
      {
        label: 'both',
        measured: {
          difference: fits.maximumLikelihood.training - fits.persistentMpf.training,
          testDifference: fits.maximumLikelihood.test - fits.persistentMpf.test,
          ...likeness,
        },
        paper: { difference: PAPER.maximumLikelihood - PAPER.persistentMpf },
      },
      {
        label: 'Gaussian',
        measured: { logLikelihood: gaussian.training, testLogLikelihood: gaussian.test },
        paper: {},
      },
    ],
    checks: checks(fits, gaussian, likeness),
    digests: [patches.digest, ...Object.values(fits).map(({ digest }) => digest)],
  };
}

/** Mean log likelihoods of training and test patches, exact, in nats a patch. */
async function likelihoods(engine, model, { states, testStates }) {
  const { logZ } = await engine.exact({ model });
  const mean = async (rows) => {
    const { energies } = await engine.energies({ model, states: rows });
    return -energies.reduce((sum, energy) => sum + energy, 0) / energies.length - logZ;
  };
  return { training: await mean(states), test: await mean(testStates) };
}

/**
 * How alike the filters of two fits are: |cosine| of filters of the same number, which began as the same
 * noise, and of each filter of the second with the one of the first that is most like it.
 */
function likenessOf(a, b, dim) {
  const unit = ({ filters }) =>
    Array.from({ length: dim }, (_, k) => {
      const filter = filters.subarray(k * dim, (k + 1) * dim);
      const length = Math.hypot(...filter);
      return filter.map((value) => value / length);
    });
  const [first, second] = [unit(a), unit(b)];
  const cosine = (u, v) => Math.abs(u.reduce((sum, value, i) => sum + value * v[i], 0));
  const same = second.map((filter, k) => cosine(filter, first[k]));
  const best = second.map((filter) => Math.max(...first.map((other) => cosine(filter, other))));
  return { medianSameCosine: median(same), medianBestCosine: median(best) };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

function told(method, { iteration, numEvaluations, objective, fraction }) {
  const percent = (100 * fraction).toFixed(0);
  return `${method}: ${percent} %, iteration ${iteration}, ${numEvaluations} evaluations, objective ${objective.toFixed(5)}`;
}

function row(method, fit) {
  return {
    label: method,
    measured: {
      logLikelihood: fit.training,
      testLogLikelihood: fit.test,
      gradNorm: fit.gradNorm,
      iterations: fit.numIterations,
      evaluations: fit.numEvaluations,
      seconds: fit.seconds,
      stopReason: fit.stopReason,
    },
    paper: { logLikelihood: PAPER[method] },
  };
}

function checks({ maximumLikelihood: ml, persistentMpf: flow }, gaussian, likeness) {
  return [
    {
      claim: `the log likelihood found by flow is within ${CLOSE} nat of that found by maximum likelihood (the thesis: 0.28)`,
      holds: Math.abs(ml.training - flow.training) <= CLOSE,
    },
    {
      claim: `of test patches, from other parts of the pictures, the log likelihood found by flow is no more than ${CLOSE} nat below that found by maximum likelihood`,
      holds: ml.test - flow.test <= CLOSE,
    },
    {
      claim: 'both models find the patches more probable than a Gaussian does',
      holds: Math.min(ml.training, flow.training) > gaussian.training,
    },
    {
      claim:
        'the receptive fields are alike: half of them have a twin with a cosine above 0.6 (of random directions: 0.3 to 0.45)',
      holds: likeness.medianBestCosine > 0.6,
    },
  ];
}
