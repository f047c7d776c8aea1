// @ts-check
/**
 * The Ising model on a square torus without a field, E = −Σ s_i s_j over nearest neighbours at temperature T in units of the
 * coupling, moved site by site and by clusters. Small and plain, for pictures; the engine has the fast ones. Spins are
 * bytes, 1 up and 0 down, row by row. Plain JavaScript: the tests run it in Node.
 */

/**
 * The four neighbours of every site, [side², 4]: below, above, right and left.
 * @param {number} side
 */
export function torusNeighbours(side) {
  const dim = side * side;
  const neighbours = new Int32Array(4 * dim);
  for (let site = 0; site < dim; site++) {
    const column = site % side;
    neighbours.set(
      [
        (site + side) % dim,
        (site - side + dim) % dim,
        site - column + ((column + 1) % side),
        site - column + ((column + side - 1) % side),
      ],
      4 * site,
    );
  }
  return neighbours;
}

/**
 * The probability that a spin is up, given the sum of its neighbours' spins ±1.
 * @param {number} sum
 * @param {number} temperature
 */
export function probabilityUp(sum, temperature) {
  return 1 / (1 + Math.exp((-2 * sum) / temperature));
}

/**
 * Draws every spin in turn given its neighbours.
 * @param {Uint8Array} spins
 * @param {Int32Array} neighbours
 * @param {number} temperature
 * @param {() => number} uniform
 */
export function heatBathSweep(spins, neighbours, temperature, uniform) {
  const table = [0, 1, 2, 3, 4].map((numUp) => probabilityUp(2 * numUp - 4, temperature));
  for (let site = 0; site < spins.length; site++) {
    let numUp = 0;
    for (let n = 4 * site; n < 4 * site + 4; n++) {
      numUp += /** @type {number} */ (spins[/** @type {number} */ (neighbours[n])]);
    }
    spins[site] = uniform() < /** @type {number} */ (table[numUp]) ? 1 : 0;
  }
}

/**
 * The probability that a bond between two spins that agree is active.
 * @param {number} temperature
 */
export function bondProbability(temperature) {
  return -Math.expm1(-2 / temperature);
}

/**
 * Wolff's step: grows a cluster from a site drawn at random, and flips it.
 * @param {Uint8Array} spins
 * @param {Int32Array} neighbours
 * @param {number} bond See `bondProbability`.
 * @param {() => number} uniform
 * @returns {number} The sites of the cluster.
 */
export function wolffStep(spins, neighbours, bond, uniform) {
  const first = Math.floor(uniform() * spins.length);
  const before = /** @type {number} */ (spins[first]);
  spins[first] = 1 - before;
  const open = [first];
  let size = 1;
  for (let site = open.pop(); site !== undefined; site = open.pop()) {
    for (let n = 4 * site; n < 4 * site + 4; n++) {
      const other = /** @type {number} */ (neighbours[n]);
      if (spins[other] === before && uniform() < bond) {
        spins[other] = 1 - before;
        open.push(other);
        size += 1;
      }
    }
  }
  return size;
}

/**
 * The clusters of Swendsen and Wang: the bond below or to the right of a site is active where the spins at its ends agree
 * and its number is below the bond's probability.
 * @param {Uint8Array} spins
 * @param {Int32Array} neighbours
 * @param {number} bond See `bondProbability`.
 * @param {ArrayLike<number>} numbers Uniform in [0, 1), [side², 2]: of the bonds below and to the right.
 * @returns {{ labels: Int32Array, sizes: number[] }} The cluster of every site, counted from 0 in the order of their first
 *   sites, and how many sites each has.
 */
export function clustersOf(spins, neighbours, bond, numbers) {
  const parents = new Int32Array(spins.length);
  for (let site = 0; site < parents.length; site++) parents[site] = site;
  for (let site = 0; site < spins.length; site++) {
    for (let end = 0; end < 2; end++) {
      if (/** @type {number} */ (numbers[2 * site + end]) >= bond) continue;
      const other = /** @type {number} */ (neighbours[4 * site + 2 * end]);
      if (spins[site] === spins[other]) join(parents, site, other);
    }
  }
  const labels = new Int32Array(spins.length);
  const sizes = /** @type {number[]} */ ([]);
  for (let site = 0; site < spins.length; site++) {
    const root = rootOf(parents, site);
    const label = root === site ? sizes.push(0) - 1 : /** @type {number} */ (labels[root]);
    labels[site] = label;
    sizes[label] = /** @type {number} */ (sizes[label]) + 1;
  }
  return { labels, sizes };
}

/**
 * The first site of a site's cluster so far. The way there gets shorter.
 * @param {Int32Array} parents
 * @param {number} site
 */
function rootOf(parents, site) {
  let at = site;
  for (let up = parents[at]; up !== undefined && up !== at; up = parents[at]) {
    parents[at] = /** @type {number} */ (parents[up]);
    at = up;
  }
  return at;
}

/**
 * @param {Int32Array} parents
 * @param {number} a
 * @param {number} b
 */
function join(parents, a, b) {
  const [first, second] = [rootOf(parents, a), rootOf(parents, b)];
  if (first < second) parents[second] = first;
  else parents[first] = second;
}

/**
 * Flips each cluster or leaves it, by the toss of a coin.
 * @param {Uint8Array} spins
 * @param {{ labels: Int32Array, sizes: number[] }} clusters
 * @param {() => number} uniform
 */
export function tossClusters(spins, { labels, sizes }, uniform) {
  const coins = sizes.map(() => (uniform() < 0.5 ? 1 : 0));
  for (let site = 0; site < spins.length; site++) {
    const coin = /** @type {number} */ (coins[/** @type {number} */ (labels[site])]);
    spins[site] = /** @type {number} */ (spins[site]) ^ coin;
  }
}

/**
 * Numbers for all bonds, as `clustersOf` takes them.
 * @param {number} numSites
 * @param {() => number} uniform
 */
export function bondNumbers(numSites, uniform) {
  const numbers = new Float64Array(2 * numSites);
  for (let n = 0; n < numbers.length; n++) numbers[n] = uniform();
  return numbers;
}

/**
 * Σ s / D, from −1 to 1.
 * @param {Uint8Array} spins
 */
export function meanSpinOf(spins) {
  let up = 0;
  for (let n = 0; n < spins.length; n++) up += /** @type {number} */ (spins[n]);
  return (2 * up) / spins.length - 1;
}

/**
 * −Σ s s / D over the bonds, from −2 to 2.
 * @param {Uint8Array} spins
 * @param {Int32Array} neighbours
 */
export function energyPerSiteOf(spins, neighbours) {
  let numAlike = 0;
  for (let site = 0; site < spins.length; site++) {
    for (const direction of [0, 2]) {
      const other = /** @type {number} */ (neighbours[4 * site + direction]);
      numAlike += spins[site] === spins[other] ? 1 : 0;
    }
  }
  return 2 - (2 * numAlike) / spins.length;
}

/**
 * Packed, least significant bit first, as the pictures of spins take them.
 * @param {Uint8Array} spins Their number is a multiple of 8.
 */
export function packedSpins(spins) {
  const bits = new Uint8Array(spins.length / 8);
  spins.forEach((spin, n) => {
    bits[n >> 3] = /** @type {number} */ (bits[n >> 3]) | (spin << (n & 7));
  });
  return bits;
}
