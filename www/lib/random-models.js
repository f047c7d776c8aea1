/**
 * Parameters of random models, from a seed. Only sums, products and square roots are taken, so that they are the same
 * to the last bit in every browser. Plain JavaScript: the tests run it in Node, and labs show it as it is.
 */

/**
 * Nearly normal numbers, one a call: the sum of twelve uniform ones less six has mean 0 and variance 1. The uniform ones
 * are those of a 32-bit xorshift generator (Marsaglia 2003).
 * @param {number} seed A whole number, 0 to 2³² − 1.
 */
export function normals(seed) {
  let word = Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995 || 1;
  const uniform = () => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    return (word >>> 0) / 2 ** 32;
  };
  // The first few of similar seeds are alike.
  for (let n = 0; n < 20; n++) uniform();
  return () => {
    let sum = -6;
    for (let n = 0; n < 12; n++) sum += uniform();
    return sum;
  };
}

/**
 * Couplings J, row-major `[dim, dim]`, of a spin glass in which all spins s = ±1 are coupled, −Σ K_ij s_i s_j with K_ij
 * normal of variance strength² / dim (Sherrington and Kirkpatrick 1975), as E = xᵀJx with x = (1 + s) / 2, without the
 * constant.
 * @param {number} dim
 * @param {number} strength
 * @param {number} seed
 */
export function spinGlassCouplings(dim, strength, seed) {
  const normal = normals(seed);
  const couplings = new Float64Array(dim * dim);
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j < i; j++) {
      const coupling = (strength / Math.sqrt(dim)) * normal();
      couplings[i * dim + j] = -2 * coupling;
      couplings[j * dim + i] = -2 * coupling;
      couplings[i * dim + i] += 2 * coupling;
      couplings[j * dim + j] += 2 * coupling;
    }
  }
  return couplings;
}

/**
 * A restricted Boltzmann machine with normal weights of a standard deviation of `scale` and biases that put the middle of
 * every unit's input at 0.
 * @param {number} numVisible
 * @param {number} numHidden
 * @param {number} scale
 * @param {number} seed
 */
export function randomRbm(numVisible, numHidden, scale, seed) {
  const normal = normals(seed);
  const weights = new Float64Array(numHidden * numVisible);
  const visibleBias = new Float64Array(numVisible);
  const hiddenBias = new Float64Array(numHidden);
  for (let j = 0; j < numHidden; j++) {
    for (let i = 0; i < numVisible; i++) {
      const weight = scale * normal();
      weights[j * numVisible + i] = weight;
      visibleBias[i] -= 0.5 * weight;
      hiddenBias[j] -= 0.5 * weight;
    }
  }
  return { weights, visibleBias, hiddenBias };
}

/**
 * Filters Φ of a product of experts, row-major `[numExperts, dim]`: unit vectors in turn, each with normal numbers of
 * variance ¼ / dim added to its entries.
 * @param {number} numExperts
 * @param {number} dim
 * @param {number} seed
 */
export function randomFilters(numExperts, dim, seed) {
  const normal = normals(seed);
  return Float64Array.from({ length: numExperts * dim }, (_, n) => {
    const isOwn = Math.floor(n / dim) % dim === n % dim;
    return (isOwn ? 1 : 0) + (0.5 / Math.sqrt(dim)) * normal();
  });
}

/**
 * Filters of nothing but noise, row-major `[numFilters, dim]`: normal numbers of a standard deviation of `scale`.
 * @param {number} numFilters
 * @param {number} dim
 * @param {number} scale
 * @param {number} seed
 */
export function noiseFilters(numFilters, dim, scale, seed) {
  const normal = normals(seed);
  return Float64Array.from({ length: numFilters * dim }, () => scale * normal());
}
