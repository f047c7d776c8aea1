/** How many random patterns stay put in a network of 64 units. Plain JavaScript: the tests run it in Node. */

import { lieOf, outerProduct } from '../../../lib/hopfield.js';
import { randomRows } from '../../../lib/random-bits.js';

export const UNITS = 64;
/** Sets of patterns of each size. */
export const NUM_SETS = 5;
/** Sizes of the sets. */
export const NUMBERS = Array.from({ length: 28 }, (_, n) => 4 * (n + 1));

const WIDTH = UNITS / 8;

/**
 * A set of random patterns, packed row after row.
 * @param {number} numPatterns
 * @param {number} set From 0.
 */
export function patternsOf(numPatterns, set) {
  return randomRows(numPatterns, UNITS, 1, set);
}

/**
 * The part of the patterns that are strict local minima.
 * @param {ArrayLike<number>} params
 * @param {Uint8Array} rows
 */
export function partStored(params, rows) {
  const patterns = split(rows);
  return patterns.filter((bits) => lieOf(params, UNITS, bits).margin > 0).length / patterns.length;
}

/**
 * The same of outer products, as a mean over the sets.
 * @param {number} numPatterns
 */
export function partOfOuterProducts(numPatterns) {
  let sum = 0;
  for (let set = 0; set < NUM_SETS; set++) {
    const rows = patternsOf(numPatterns, set);
    sum += partStored(outerProduct(split(rows), UNITS), rows);
  }
  return sum / NUM_SETS;
}

/** @param {Uint8Array} rows */
function split(rows) {
  return Array.from({ length: rows.length / WIDTH }, (_, n) =>
    rows.subarray(n * WIDTH, (n + 1) * WIDTH),
  );
}
