/**
 * Packed rows of zeros and ones: each row is padded with zeros to whole bytes, least significant
 * bit first, as in draws and data. This is NumPy's `packbits(rows, axis=1, bitorder='little')`.
 */

import { describe, invalidData } from '../checks.js';
import type { PackedData } from '../types.js';

/**
 * Unpacks the entries, `[numRows, dim]` row-major, 0 and 1. Throws an `UnnormError` of code
 * 'invalid-data' if the length does not match that many rows.
 */
export function unpackBits({ dim, numRows, bits }: PackedData): Uint8Array<ArrayBuffer> {
  const width = Math.ceil(dim / 8);
  if (!Number.isSafeInteger(dim) || dim < 1) {
    throw invalidData('dim', `must be a whole number, 1 or more, got ${describe(dim)}`);
  }
  if (!Number.isSafeInteger(numRows) || numRows < 0) {
    throw invalidData('numRows', `must be a whole number, 0 or more, got ${describe(numRows)}`);
  }
  if (bits.length !== numRows * width) {
    const words = `has ${bits.length} bytes, and ${numRows} rows of ${dim} bits take ${numRows * width}`;
    throw invalidData('bits', words);
  }
  const values = new Uint8Array(numRows * dim);
  for (let row = 0; row < numRows; row++) {
    const [from, to] = [row * width, row * dim];
    for (let n = 0; n < dim; n++) {
      values[to + n] = ((bits[from + (n >> 3)] as number) >> (n & 7)) & 1;
    }
  }
  return values;
}

/** Packs entries of exactly 0 or 1, `[numRows, dim]` row-major. */
export function packBits(values: ArrayLike<number>, dim: number): PackedData {
  const numRows = values.length / dim;
  if (!Number.isSafeInteger(dim) || dim < 1 || !Number.isInteger(numRows)) {
    const words = `must be a whole number of which ${values.length} entries are a multiple`;
    throw invalidData('dim', `${words}, got ${dim}`);
  }
  const width = Math.ceil(dim / 8);
  const bits = new Uint8Array(numRows * width);
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (value === 0) continue;
    if (value !== 1) throw invalidData(`values[${at}]`, `is ${value}; every entry must be 0 or 1`);
    const [row, n] = [Math.floor(at / dim), at % dim];
    const byte = row * width + (n >> 3);
    bits[byte] = (bits[byte] as number) | (1 << (n & 7));
  }
  return { dim, numRows, bits };
}
