/**
 * The models of section 5.3 of the thesis (Sohl-Dickstein 2012) of whitened patches x ∈ ℝᴹ, as their training starts:
 * from noise of a scale at which each has about the variance of the data, 1 in every direction. Plain JavaScript: the
 * reproduction of table 5.1 runs it in Node, and the lab Model contest shows it as it is.
 */

/**
 * @param {'gaussian' | 'ica' | 'laplace' | 'studentT' | 'linearGaussian' | 'linearLaplace' | 'bilinear' | 'mcRbm' |
 *   'gaussianRbm' | 'neural'} kind
 * @param {number} dim M
 * @param {number} size Experts, coefficients, factors or hidden units; not of the Gaussian and of ICA.
 * @param {() => number} normal Gives normal numbers, one a call.
 * @param {number} [numMeans] Mean units of the mcRBM.
 * @returns {import('unnorm').ModelSpec}
 */
export function startingModel(kind, dim, size, normal, numMeans = size) {
  /** @param {number} count @param {number} scale */
  const noise = (count, scale) => Float64Array.from({ length: count }, () => scale * normal());
  /** @param {number} count @param {number} value */
  const fill = (count, value) => new Array(count).fill(value);
  /** Ones where row and column are alike, and a little noise. */
  const nearIdentity = () =>
    noise(size * size, 0.05).map((value, at) => value + (at % (size + 1) === 0 ? 1 : 0));
  const latent = { numObserved: dim, numLatent: size };
  const experts = { dim, numExperts: size };
  switch (kind) {
    case 'gaussian':
      return { kind: 'gaussian', dim };
    case 'ica':
      return { kind: 'ica', dim, filters: noise(dim * dim, 1.25 / Math.sqrt(dim)) };
    case 'laplace': {
      // Where E is least along θ ↦ cθ, Σ E|Φ_l x| = M for Laplace experts.
      const filters = noise(size * dim, (1.25 * Math.sqrt(dim)) / size);
      return { kind: 'productOfExperts', expert: 'laplace', ...experts, filters };
    }
    case 'studentT': {
      // The same for Student's t, as E[u² / (1 + u²)] ≈ 0.35 where u is normal.
      const lambda = fill(size, (1.45 * dim) / size);
      const filters = noise(size * dim, Math.sqrt(1 / dim));
      return { kind: 'productOfExperts', expert: 'studentT', ...experts, filters, lambda };
    }
    case 'linearGaussian': {
      const basis = noise(dim * size, Math.sqrt(1 / size));
      return { kind: 'linearGenerative', ...latent, prior: 'gaussian', basis };
    }
    case 'linearLaplace': {
      // A Laplace prior has the variance 2.
      const basis = noise(dim * size, Math.sqrt(1 / (2 * size)));
      return { kind: 'linearGenerative', ...latent, prior: 'laplace', basis };
    }
    case 'bilinear':
      return {
        kind: 'bilinearGenerative',
        numObserved: dim,
        numCoefficients: size,
        numSigned: size,
        numPositive: size,
        // c has the variance 2 and d the mean square 2.
        basis: noise(dim * size, Math.sqrt(1 / (4 * size))),
        theta: nearIdentity(),
        psi: nearIdentity(),
      };
    case 'mcRbm':
      return {
        kind: 'mcRbm',
        dim,
        numFactors: size,
        numCovarianceUnits: size,
        numMeanUnits: numMeans,
        filters: noise(size * dim, 1),
        weights: noise(numMeans * dim, 0.1 / Math.sqrt(dim)),
        covarianceBias: fill(size, 0),
        // Units that are mostly off bend the energy least.
        meanBias: fill(numMeans, -2),
      };
    case 'gaussianRbm': {
      const weights = noise(size * dim, 0.3 / Math.sqrt(dim));
      const hiddenBias = fill(size, -1);
      return { kind: 'gaussianRbm', numVisible: dim, numHidden: size, weights, hiddenBias };
    }
    case 'neural': {
      const weights = noise(size * dim, 1 / Math.sqrt(dim));
      return { kind: 'neural', dim, numHidden: [size], weights, output: noise(size, 0.3) };
    }
  }
}
