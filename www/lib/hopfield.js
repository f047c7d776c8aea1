/**
 * The energy of a Hopfield network by its definition, to check the engine's. Plain JavaScript, so that the tests run it
 * in Node.
 *
 * Parameters are as the engine gives them, E = xᵀAx with A symmetric: the n diagonal entries, then A_ij of all pairs
 * i < j in lexicographic order. A pair counts twice.
 */

import { isSet } from './bit-pictures.js';

/**
 * The energy of a state, in nats, and its margin: how far below its lowest neighbour it lies, above 0 exactly for strict
 * local minima (Sohl-Dickstein 2012, eq. 3.9).
 * @param {ArrayLike<number>} params
 * @param {number} dim
 * @param {Uint8Array} bits
 */
export function lieOf(params, dim, bits) {
  const x = Uint8Array.from({ length: dim }, (_, n) => (isSet(bits, n) ? 1 : 0));
  const { energy, gains } = gainsOf(params, dim, x);
  let margin = Number.POSITIVE_INFINITY;
  gains.forEach((gain, i) => {
    margin = Math.min(margin, x[i] ? -gain : gain);
  });
  return { energy, margin };
}

/**
 * The energy of a state, and what it would gain where each unit is on in place of off.
 * @param {ArrayLike<number>} params
 * @param {number} dim
 * @param {Uint8Array} x Zeros and ones.
 */
function gainsOf(params, dim, x) {
  const gains = new Float64Array(dim);
  let energy = 0;
  let at = dim;
  for (let i = 0; i < dim; i++) {
    let row = 0;
    const isOn = x[i] === 1;
    for (let j = i + 1; j < dim; j++, at++) {
      const coupling = 2 * /** @type {number} */ (params[at]);
      row += coupling * /** @type {number} */ (x[j]);
      if (isOn) gains[j] = /** @type {number} */ (gains[j]) + coupling;
    }
    const bias = /** @type {number} */ (params[i]);
    gains[i] = /** @type {number} */ (gains[i]) + row + bias;
    if (x[i]) energy += bias + row;
  }
  return { energy, gains };
}

/**
 * Where the pairs (i, j > i) begin among the parameters.
 * @param {number} dim
 * @param {number} i
 */
function rowStart(dim, i) {
  return dim + (i * (2 * dim - i - 1)) / 2;
}

/**
 * What flips of units do to the gains of those before them: row by row of the couplings, at the end of an update, because
 * the entries of a column lie far apart.
 * @param {ArrayLike<number>} params
 * @param {number} dim
 * @param {readonly number[]} sites Ascending.
 * @param {Uint8Array} x
 * @param {Float64Array} gains
 */
function addBefore(params, dim, sites, x, gains) {
  let first = 0;
  for (let i = 0; i < dim; i++) {
    const before = rowStart(dim, i) - i - 1;
    while (first < sites.length && /** @type {number} */ (sites[first]) <= i) first += 1;
    let sum = 0;
    for (let n = first; n < sites.length; n++) {
      const site = /** @type {number} */ (sites[n]);
      const coupling = /** @type {number} */ (params[before + site]);
      sum += x[site] ? coupling : -coupling;
    }
    gains[i] = /** @type {number} */ (gains[i]) + 2 * sum;
  }
}

/**
 * Parameters of Hopfield's own rule: J_ij = Σ s_i s_j over the patterns, s = ±1, J_ii = 0, with the thresholds
 * θ_i = ½ Σ_j J_ij that make the network in zeros and ones do what the one in ±1 does.
 * @param {readonly Uint8Array[]} patterns Packed bits.
 * @param {number} dim
 */
export function outerProduct(patterns, dim) {
  const params = new Float64Array(dim + (dim * (dim - 1)) / 2);
  for (const bits of patterns) {
    const signs = Int8Array.from({ length: dim }, (_, n) => (isSet(bits, n) ? 1 : -1));
    const sum = signs.reduce((total, sign) => total + sign, 0);
    let at = dim;
    for (let i = 0; i < dim; i++) {
      const sign = /** @type {number} */ (signs[i]);
      params[i] = /** @type {number} */ (params[i]) + 0.5 * (sign * sum - 1);
      for (let j = i + 1; j < dim; j++, at++) {
        params[at] =
          /** @type {number} */ (params[at]) - 0.5 * sign * /** @type {number} */ (signs[j]);
      }
    }
  }
  return params;
}

/** Updates after which recall is given up, as the engine does. */
const MAX_UPDATES = 1000;

/**
 * Recall: one unit after another, from the first to the last, is set to what makes the energy lower, until none changes
 * any more (eq. 3.7). A unit to which both are the same goes off.
 * @param {ArrayLike<number>} params
 * @param {number} dim
 * @param {Uint8Array} cue
 * @returns {{ start: number, sites: number[], updates: number[], energies: number[] }} The energy of the cue, the units
 *   that were flipped, one by one, the updates of all units they belong to, from 0, and the energies after them.
 */
export function recallInOrder(params, dim, cue) {
  const x = Uint8Array.from({ length: dim }, (_, n) => (isSet(cue, n) ? 1 : 0));
  const { energy: start, gains } = gainsOf(params, dim, x);
  const sites = /** @type {number[]} */ ([]);
  const updates = /** @type {number[]} */ ([]);
  const energies = /** @type {number[]} */ ([]);
  let energy = start;
  let hasFlipped = true;
  for (let update = 0; hasFlipped && update < MAX_UPDATES; update++) {
    const firstFlip = sites.length;
    for (let i = 0; i < dim; i++) {
      const gain = /** @type {number} */ (gains[i]);
      if (gain < 0 === (x[i] === 1)) continue;
      const change = x[i] ? -1 : 1;
      energy += change * gain;
      x[i] = x[i] ? 0 : 1;
      let at = rowStart(dim, i);
      for (let j = i + 1; j < dim; j++, at++) {
        gains[j] =
          /** @type {number} */ (gains[j]) + 2 * change * /** @type {number} */ (params[at]);
      }
      sites.push(i);
      updates.push(update);
      energies.push(energy);
    }
    hasFlipped = sites.length > firstFlip;
    addBefore(params, dim, sites.slice(firstFlip), x, gains);
  }
  return { start, sites, updates, energies };
}
