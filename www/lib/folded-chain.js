import { normals } from './random-models.js';

/**
 * Chains of sites folded on a square grid, Potts models whose couplings follow the fold, and what is read off their sequences.
 * Plain JavaScript: the tests run it in Node, and the lab Contacts shows it as it is.
 */

/**
 * The grid points of a chain that goes up one column, down the next, and so on.
 * @param {number} numColumns
 * @param {number} numRows
 * @returns {[x: number, y: number][]}
 */
export function serpentine(numColumns, numRows) {
  return Array.from({ length: numColumns * numRows }, (_, site) => {
    const [x, y] = [Math.floor(site / numRows), site % numRows];
    return [x, x % 2 === 0 ? y : numRows - 1 - y];
  });
}

/**
 * The grid points of a Hilbert curve through a square of 2^order points a side.
 * @param {number} order
 * @returns {[x: number, y: number][]}
 */
export function hilbert(order) {
  return Array.from({ length: 4 ** order }, (_, site) => {
    let [x, y, rest] = [0, 0, site];
    for (let side = 1; side < 2 ** order; side *= 2) {
      const right = 1 & (rest >> 1);
      const up = 1 & (rest ^ right);
      if (up === 0) {
        if (right === 1) [x, y] = [side - 1 - x, side - 1 - y];
        [x, y] = [y, x];
      }
      [x, y] = [x + side * right, y + side * up];
      rest >>= 2;
    }
    return [x, y];
  });
}

/**
 * Pairs of sites that are neighbours on the grid, three or more apart along the chain.
 * @param {[x: number, y: number][]} places
 * @returns {[i: number, j: number][]}
 */
export function contactsOf(places) {
  return places.flatMap(([x, y], i) =>
    places.flatMap(([u, v], j) =>
      j - i >= 3 && Math.abs(x - u) + Math.abs(y - v) === 1
        ? [/** @type {[number, number]} */ ([i, j])]
        : [],
    ),
  );
}

/**
 * A Potts model in which contacts and neighbours along the chain are coupled, and no others: couplings are normal with this
 * standard deviation, fields with one of 0.5.
 * @param {[x: number, y: number][]} places
 * @param {number} numValues
 * @param {number} strength
 * @param {number} seed
 */
export function foldedPotts(places, numValues, strength, seed) {
  const normal = normals(seed);
  const numSites = places.length;
  const along = places.slice(1).map((_, i) => /** @type {[number, number]} */ ([i, i + 1]));
  const pairs = [...along, ...contactsOf(places)].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const fields = Float64Array.from({ length: numSites * numValues }, () => 0.5 * normal());
  const couplings = Float64Array.from(
    { length: pairs.length * numValues ** 2 },
    () => strength * normal(),
  );
  const pattern = { kind: /** @type {const} */ ('pairs'), pairs };
  return { kind: /** @type {const} */ ('potts'), numSites, numValues, pattern, fields, couplings };
}
