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
    for (let j = i + 1; j < dim; j++, at++) {
      const coupling = 2 * /** @type {number} */ (params[at]);
      if (x[j]) row += coupling;
      if (x[i]) gains[j] = /** @type {number} */ (gains[j]) + coupling;
    }
    const bias = /** @type {number} */ (params[i]);
    gains[i] = /** @type {number} */ (gains[i]) + row + bias;
    if (x[i]) energy += bias + row;
  }
  return { energy, gains };
}

/**
 * gains_j += factor · A_ij of all j but i.
 * @param {ArrayLike<number>} params
 * @param {number} dim
 * @param {number} i
 * @param {number} factor
 * @param {Float64Array} gains
 */
function addRow(params, dim, i, factor, gains) {
  // Down the column to the diagonal, each step one pair shorter, then along the row.
  let at = dim + i - 1;
  for (let j = 0; j < i; j++) {
    gains[j] = /** @type {number} */ (gains[j]) + factor * /** @type {number} */ (params[at]);
    at += dim - j - 2;
  }
  at = dim + (i * (2 * dim - i - 1)) / 2;
  for (let j = i + 1; j < dim; j++, at++) {
    gains[j] = /** @type {number} */ (gains[j]) + factor * /** @type {number} */ (params[at]);
  }
}

/** Updates after which recall is given up, as the engine does. */
const MOST_UPDATES = 1000;

/**
 * Recall: one unit after another, from the first to the last, is set to what makes the energy lower, until none changes
 * any more (eq. 3.7). A unit to which both are the same goes off.
 * @param {ArrayLike<number>} params
 * @param {number} dim
 * @param {Uint8Array} cue
 * @returns {{ sites: number[], updates: number[], energies: number[] }} The units that were flipped, one by one, the
 *   updates of all units they belong to, from 0, and the energies after them.
 */
export function recallInOrder(params, dim, cue) {
  const x = Uint8Array.from({ length: dim }, (_, n) => (isSet(cue, n) ? 1 : 0));
  const { energy: start, gains } = gainsOf(params, dim, x);
  const sites = /** @type {number[]} */ ([]);
  const updates = /** @type {number[]} */ ([]);
  const energies = /** @type {number[]} */ ([]);
  let energy = start;
  let hasFlipped = true;
  for (let update = 0; hasFlipped && update < MOST_UPDATES; update++) {
    hasFlipped = false;
    for (let i = 0; i < dim; i++) {
      const gain = /** @type {number} */ (gains[i]);
      if (gain < 0 === (x[i] === 1)) continue;
      const change = x[i] ? -1 : 1;
      energy += change * gain;
      addRow(params, dim, i, 2 * change, gains);
      x[i] = x[i] ? 0 : 1;
      hasFlipped = true;
      sites.push(i);
      updates.push(update);
      energies.push(energy);
    }
  }
  return { sites, updates, energies };
}
