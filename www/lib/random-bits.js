/**
 * Random bits from a seed, in whole numbers: the same in every browser. Plain JavaScript: the tests run it in Node.
 */

import { flip } from './bit-pictures.js';

/**
 * Mixes 32 bits well: the finalizer of MurmurHash3 (Appleby 2011).
 * @param {number} word
 */
function mix(word) {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}

/**
 * Words of 32 random bits, one a call: those of a counter, mixed with the seed and the number of the stream.
 * @param {number} seed A whole number, 0 to 2⁵³ − 1.
 * @param {number} stream A whole number, 0 to 2³² − 1.
 */
export function words(seed, stream) {
  const first = mix((seed % 2 ** 32) ^ 0x2545f491);
  const second = mix((Math.floor(seed / 2 ** 32) ^ Math.imul(stream, 0x9e3779b1)) + first);
  let counter = 0;
  return () => {
    counter = (counter + 0x9e3779b9) | 0;
    return mix(mix(counter ^ first) + second) >>> 0;
  };
}

/**
 * Numbers in [0, 1), one a call, as `words` gives them.
 * @param {number} seed
 * @param {number} stream
 */
export function uniforms(seed, stream) {
  const next = words(seed, stream);
  return () => next() / 2 ** 32;
}

/**
 * Rows of fair coins, each padded to whole bytes.
 * @param {number} numRows
 * @param {number} dim
 * @param {number} seed
 * @param {number} stream
 */
export function randomRows(numRows, dim, seed, stream) {
  const next = words(seed, stream);
  const rowLength = Math.ceil(dim / 8);
  const last = dim % 8 === 0 ? 255 : (1 << (dim % 8)) - 1;
  return Uint8Array.from({ length: numRows * rowLength }, (_, n) =>
    n % rowLength === rowLength - 1 ? next() & last : next() & 255,
  );
}

/**
 * A copy with so many bits flipped, no fewer: a random set of them.
 * @param {Uint8Array} bits
 * @param {number} dim
 * @param {number} numFlips
 * @param {number} seed
 * @param {number} stream
 */
export function withFlips(bits, dim, numFlips, seed, stream) {
  const next = words(seed, stream);
  const copy = bits.slice();
  const places = Uint32Array.from({ length: dim }, (_, n) => n);
  for (let n = 0; n < numFlips; n++) {
    // So slightly uneven that no one will ever see it.
    const other = n + (next() % (dim - n));
    const place = /** @type {number} */ (places[other]);
    places[other] = /** @type {number} */ (places[n]);
    flip(copy, place);
  }
  return copy;
}
