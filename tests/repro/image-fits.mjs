// The models of section 5.3 of the thesis (Sohl-Dickstein 2012) of whitened patches x ∈ ℝᴹ, and how
// each is trained (5.4): generative ones by expectation maximization with Hamiltonian Monte Carlo,
// products of experts and the mcRBM by persistent minimum probability flow, all with L-BFGS over all
// patches. Complete products of experts, whose log Z is known, are trained by maximum likelihood.
//
// All start from noise. Its scales are those at which each model has about the variance of the data.

import { normals } from '../../www/lib/random-models.js';

/**
 * @param {object} set sizes and budgets, as in image-models.mjs
 * @param {number} seed of the noise
 * @returns {{ label: string, size: number, paper?: number[], model: object, objective: object,
 *   optimizer?: object, isGenerative: boolean, filters: (model: object) => ArrayLike<number> }[]}
 *   `paper` is table 5.1's log likelihood with its error; `filters` are what to show of the model
 */
export function imageModels(set, seed) {
  const dim = set.numComponents;
  const normal = normals(seed % 2 ** 32);
  const noise = (count, scale) => Float64Array.from({ length: count }, () => scale * normal());
  /** Ones where row and column are alike, and noise. */
  const nearIdentity = (size, scale) =>
    noise(size * size, scale).map((value, at) => value + (at % (size + 1) === 0 ? 1 : 0));

  const expectationMaximization = (budget) => ({
    kind: 'expectationMaximization',
    numSteps: budget.numSteps,
    numRefreshes: budget.numRefreshes,
    transition: { kind: 'hmc', numLeapfrogSteps: 10 },
  });
  const flow = (budget) => ({
    kind: 'persistentMpf',
    numChains: budget.numChains,
    numSteps: budget.numSteps,
    numRefreshes: budget.numRefreshes,
    transition: { kind: 'hmc', numLeapfrogSteps: 10 },
  });

  // A Laplace prior has the variance 2.
  const linear = (prior, variance) => ({
    label: `linear generative, ${prior}`,
    size: dim,
    model: {
      kind: 'linearGenerative',
      numObserved: dim,
      numLatent: dim,
      prior,
      basis: noise(dim * dim, Math.sqrt(1 / (variance * dim))),
    },
    objective: expectationMaximization(set.linear),
    isGenerative: true,
    filters: ({ basis }) => basis,
  });
  // Where E is least along θ ↦ cθ, Σ E|Φ_l x| = M for Laplace experts.
  const laplaceScale = (numExperts) => (1.25 * Math.sqrt(dim)) / numExperts;
  const experts = (expert, numExperts) => ({
    label: `PoE, ${expert === 'laplace' ? 'Laplace' : "Student's t"}`,
    size: numExperts,
    model: {
      kind: 'productOfExperts',
      dim,
      expert,
      numExperts,
      ...(expert === 'laplace'
        ? { filters: noise(numExperts * dim, laplaceScale(numExperts)) }
        : {
            filters: noise(numExperts * dim, Math.sqrt(1 / dim)),
            // The same for Student's t, as E[u² / (1 + u²)] ≈ 0.35 where u is normal.
            lambda: new Array(numExperts).fill((1.45 * dim) / numExperts),
          }),
    },
    objective: flow(set.experts),
    isGenerative: false,
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
    model: {
      kind: 'mcRbm',
      dim,
      numFactors,
      numCovarianceUnits: numFactors,
      numMeanUnits,
      filters: noise(numFactors * dim, 1),
      weights: noise(numMeanUnits * dim, 0.1 / Math.sqrt(dim)),
      covarianceBias: new Array(numFactors).fill(0),
      // Units that are mostly off bend the energy least.
      meanBias: new Array(numMeanUnits).fill(-2),
    },
    objective: flow(set.mcRbm),
    // With more, parameters go further than the samples, which are those of the model before, can tell.
    optimizer: { kind: 'lbfgs', maxIterations: 3 },
    isGenerative: false,
    filters: ({ filters }) => filters,
  };
  // c has the variance 2 and d the mean square 2.
  const { numFactors: number } = set.bilinear;
  const bilinear = {
    label: 'bilinear generative',
    size: 2 * number,
    model: {
      kind: 'bilinearGenerative',
      numObserved: dim,
      numCoefficients: number,
      numSigned: number,
      numPositive: number,
      basis: noise(dim * number, Math.sqrt(1 / (4 * number))),
      theta: nearIdentity(number, 0.05),
      psi: nearIdentity(number, 0.05),
    },
    objective: expectationMaximization(set.bilinear),
    isGenerative: true,
    filters: ({ basis }) => basis,
  };
  return [
    { ...linear('gaussian', 1), paper: [-49.15, 2.31] },
    { ...linear('laplace', 2), paper: [-42.85, 2.41] },
    { ...experts('laplace', set.experts.numExperts), paper: [-41.54, 2.46] },
    { ...mcRbm, paper: [-36.01, 2.57] },
    { ...experts('studentT', set.experts.numExperts), paper: [-34.01, 2.68] },
    { ...bilinear, paper: [-32.69, 2.56] },
    complete('laplace'),
    complete('studentT'),
  ];
}
