// The models of section 5.3 of the thesis (Sohl-Dickstein 2012) of whitened patches x ∈ ℝᴹ, and how
// each is trained (5.4): generative ones by expectation maximization with Hamiltonian Monte Carlo,
// products of experts by persistent minimum probability flow, all with L-BFGS over all patches.
// Complete products of experts, whose log Z is known, are trained by maximum likelihood. The mcRBM is
// trained by persistent contrastive divergence, by the same gradients of the energy in many small
// steps: by flow, as in the thesis, its parameters go further in a search than the samples of the
// model before can tell (−56.7 nats at the full size where this comes to −38.7).
//
// All start from noise, as `www/lib/image-models.js` says.

import { startingModel } from '../../www/lib/image-models.js';
import { normals } from '../../www/lib/random-models.js';

const transition = { kind: 'hmc', numLeapfrogSteps: 10 };

/** Persistent minimum probability flow, for products of experts. */
export const flow = ({ numChains, numSteps, numRefreshes }) => ({
  objective: { kind: 'persistentMpf', numChains, numSteps, numRefreshes, transition },
});

/** Persistent contrastive divergence in small steps, for the mcRBM. */
export const persistentChains = ({ numEpochs }) => ({
  objective: {
    kind: 'persistentContrastiveDivergence',
    numChains: 100,
    numSteps: 1,
    transition,
  },
  optimizer: {
    kind: 'adam',
    learningRate: { start: 0.003, end: 0.000_075 },
    batchSize: 100,
    numEpochs,
  },
});

/**
 * @param {object} set sizes and budgets, as in image-models.mjs
 * @param {number} seed of the noise
 * @returns {{ label: string, size: number, paper?: number[], model: object, objective: object,
 *   optimizer?: object, isGenerative: boolean, budget: object, filters: (model: object) => ArrayLike<number> }[]}
 *   `paper` is table 5.1's log likelihood with its error; `budget` is that of `logZ`;
 *   `filters` are what to show of the model
 */
export function imageModels(set, seed) {
  const dim = set.numComponents;
  const normal = normals(seed % 2 ** 32);
  /** From noise; each takes the numbers after those of the model before. */
  const start = (kind, size, numMeans) => startingModel(kind, dim, size, normal, numMeans);

  const expectationMaximization = (budget) => ({
    kind: 'expectationMaximization',
    numSteps: budget.numSteps,
    numRefreshes: budget.numRefreshes,
    transition,
  });

  const linear = (prior) => ({
    label: `linear generative, ${prior}`,
    size: dim,
    model: start(prior === 'gaussian' ? 'linearGaussian' : 'linearLaplace', dim),
    objective: expectationMaximization(set.linear),
    isGenerative: true,
    budget: set.generative,
    filters: ({ basis }) => basis,
  });
  const experts = (expert, numExperts) => ({
    label: `PoE, ${expert === 'laplace' ? 'Laplace' : "Student's t"}`,
    size: numExperts,
    model: start(expert, numExperts),
    ...flow(set.experts),
    isGenerative: false,
    budget: set.analysis,
    filters: ({ filters }) => filters,
  });
  const complete = (expert) => ({
    ...experts(expert, dim),
    label: `PoE, ${expert === 'laplace' ? 'Laplace' : "Student's t"}, complete`,
    objective: { kind: 'maximumLikelihood' },
    optimizer: { kind: 'lbfgs', maxIterations: set.complete.maxIterations },
  });
  const { numFactors, numMeanUnits } = set.mcRbm;
  const mcRbm = {
    label: 'mcRBM',
    size: numFactors + numMeanUnits,
    model: start('mcRbm', numFactors, numMeanUnits),
    ...persistentChains(set.mcRbm),
    isGenerative: false,
    budget: set.analysis,
    filters: ({ filters }) => filters,
  };
  const bilinear = {
    label: 'bilinear generative',
    size: 2 * set.bilinear.numFactors,
    model: start('bilinear', set.bilinear.numFactors),
    objective: expectationMaximization(set.bilinear),
    isGenerative: true,
    // A product of two factors has the wrong sign in many chains, which cross over with long trajectories
    // while β is small; and whether they do is what decides all, not the variances by which an adaptive
    // schedule would spread the distributions.
    budget: {
      ...set.bilinear.annealing,
      transition,
      schedule: { kind: 'geometric', first: 1e-6 },
    },
    filters: ({ basis }) => basis,
  };
  return [
    { ...linear('gaussian'), paper: [-49.15, 2.31] },
    { ...linear('laplace'), paper: [-42.85, 2.41] },
    { ...experts('laplace', set.experts.numExperts), paper: [-41.54, 2.46] },
    { ...mcRbm, paper: [-36.01, 2.57] },
    { ...experts('studentT', set.experts.numExperts), paper: [-34.01, 2.68] },
    { ...bilinear, paper: [-32.69, 2.56] },
    complete('laplace'),
    complete('studentT'),
  ];
}
