/**
 * Rows drawn with replacement from rows, for a bootstrap (Efron 1979): from a seed, in whole numbers, the same in every
 * browser. Plain JavaScript: the tests run it in Node, and a lab shows it as it is.
 */

import { words } from './random-bits.js';

/**
 * Which rows: as many as there are, each any of them.
 * @param {number} numRows At most 2²¹.
 * @param {number} seed A whole number, 0 to 2⁵³ − 1.
 * @param {number} stream A whole number, 0 to 2³² − 1.
 */
export function drawnRows(numRows, seed, stream) {
  const next = words(seed, stream);
  // A product of a word and so many rows is exact.
  return Uint32Array.from({ length: numRows }, () => Math.floor((next() * numRows) / 2 ** 32));
}

/**
 * Copies of some rows, one after another.
 * @template {Float64Array | Uint8Array} T
 * @param {T} values `[.., width]`
 * @param {number} width Entries of a row.
 * @param {Uint32Array} rows
 * @returns {T}
 */
export function rowsAt(values, width, rows) {
  const copy = /** @type {T} */ (values.slice(0, rows.length * width));
  rows.forEach((row, n) => {
    copy.set(values.subarray(row * width, (row + 1) * width), n * width);
  });
  return copy;
}
