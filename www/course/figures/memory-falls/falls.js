/** Letters stored by Hopfield's rule, and where a damaged one comes to rest. Plain JavaScript: the tests run it in Node. */

import { distance, flip, inverted } from '../../../lib/bit-pictures.js';
import { lieOf, outerProduct, recallInOrder } from '../../../lib/hopfield.js';
import { letterPicture } from '../../../lib/letters.js';
import { withFlips } from '../../../lib/random-bits.js';

/** Pixels along a side of a letter, and in all of it. */
export const SIDE = 8;
export const DIM = SIDE * SIDE;

/** Letters that outer products store, all three of them. */
export const STORED = /** @type {const} */ (['A', 'T', 'X']);

const patterns = STORED.map((letter) => letterPicture(letter, SIDE));
const params = outerProduct(patterns, DIM);

/**
 * A letter with so many of its bits flipped: the more are flipped, the same and others.
 * @param {(typeof STORED)[number]} letter
 * @param {number} numFlips
 */
export function damaged(letter, numFlips) {
  return withFlips(letterPicture(letter, SIDE), DIM, numFlips, 3, STORED.indexOf(letter));
}

/**
 * The way down from a state: the energies from the state itself on, and the bits that flip.
 * @param {Uint8Array} cue
 */
export function fallFrom(cue) {
  const { start, sites, energies } = recallInOrder(params, DIM, cue);
  return { sites, energies: [start, ...energies] };
}

/**
 * The state after so many flips of a way down.
 * @param {Uint8Array} cue
 * @param {readonly number[]} sites
 * @param {number} numFlips
 */
export function stateAfter(cue, sites, numFlips) {
  const bits = cue.slice();
  for (const site of sites.slice(0, numFlips)) flip(bits, site);
  return bits;
}

/**
 * What a state at rest is.
 * @param {Uint8Array} bits
 */
export function nameOf(bits) {
  const found = patterns.findIndex((pattern) => distance(pattern, bits) === 0);
  if (found >= 0) return { text: 'the letter {letter}', letter: STORED[found] };
  const negative = patterns.findIndex((pattern) => distance(inverted(pattern), bits) === 0);
  if (negative >= 0)
    return { text: 'the negative of {letter}, which nobody stored', letter: STORED[negative] };
  return { text: 'a state that nobody stored' };
}

/**
 * How far a state lies below its lowest neighbour.
 * @param {Uint8Array} bits
 */
export function marginOf(bits) {
  return lieOf(params, DIM, bits).margin;
}
