/**
 * Rows of sites with several values, such as letters of an alignment, as the packed bits that Potts
 * models take: for each site, in order, one bit for each of its values, of which one is on.
 */

import { describe, invalidData } from '../checks.js';
import type { PackedData } from '../types.js';
import { MAX_ENTRIES } from './refusal.js';

/** Maximum number of bits per row: that of the model. */
const MAX_BITS = 8192;

/** The first bit of each site, and the number of all bits. */
function firstBits(numSites: number, numValues: number | ArrayLike<number>): number[] {
  if (!Number.isSafeInteger(numSites) || numSites < 1 || numSites > MAX_BITS / 2) {
    const words = `must be a whole number from 1 to ${MAX_BITS / 2}, got ${describe(numSites)}`;
    throw invalidData('numSites', words);
  }
  const isList = typeof numValues !== 'number';
  if (isList && numValues.length !== numSites) {
    throw invalidData('numValues', `has ${numValues.length} entries; give ${numSites}, one a site`);
  }
  const first = [0];
  for (let site = 0; site < numSites; site++) {
    const count = isList ? (numValues[site] as number) : numValues;
    if (!Number.isSafeInteger(count) || count < 2) {
      const field = isList ? `numValues[${site}]` : 'numValues';
      throw invalidData(field, `must be a whole number, 2 or more, got ${describe(count)}`);
    }
    const end = (first[site] as number) + count;
    if (end > MAX_BITS) {
      throw invalidData(
        'numValues',
        `adds up to more than ${MAX_BITS} bits a row; use fewer sites`,
      );
    }
    first.push(end);
  }
  return first;
}

/**
 * Packs values, `[numRows, numSites]` row-major, each from 0 to the number of its site's values
 * minus 1, as data for a model of kind `potts`, or of kind `formula` with `numValues`. `numValues` is one
 * number for all sites, or one for each. Throws an `UnnormError` of code 'invalid-data' naming row and site.
 */
export function packValues(
  values: ArrayLike<number>,
  numSites: number,
  numValues: number | ArrayLike<number>,
): PackedData {
  const first = firstBits(numSites, numValues);
  const numRows = values.length / numSites;
  if (!Number.isInteger(numRows) || numRows < 1) {
    const words = `has ${values.length} entries, which are no rows of ${numSites}; give whole rows`;
    throw invalidData('values', words);
  }
  const dim = first[numSites] as number;
  const width = Math.ceil(dim / 8);
  if (numRows * width > MAX_ENTRIES) {
    throw invalidData('values', `would take ${numRows * width} bytes; use fewer rows`);
  }
  const bits = new Uint8Array(numRows * width);
  for (let at = 0; at < values.length; at++) {
    const [row, site] = [Math.floor(at / numSites), at % numSites];
    const [start, end] = [first[site] as number, first[site + 1] as number];
    const value = values[at] as number;
    if (!Number.isInteger(value) || value < 0 || value >= end - start) {
      const words = `is ${describe(value)} (row ${row}, site ${site}); values of this site are 0 to ${end - start - 1}`;
      throw invalidData(`values[${at}]`, words);
    }
    const bit = start + value;
    const byte = row * width + (bit >> 3);
    bits[byte] = (bits[byte] as number) | (1 << (bit & 7));
  }
  return { dim, numRows, bits };
}

/**
 * Unpacks the values of draws or data of a model of kind `potts`, `[numRows, numSites]` row-major.
 * Throws an `UnnormError` of code 'invalid-data' if a site has not one bit on, naming row and site.
 */
export function unpackValues(
  { dim, numRows, bits }: PackedData,
  numSites: number,
  numValues: number | ArrayLike<number>,
): Uint16Array<ArrayBuffer> {
  const first = firstBits(numSites, numValues);
  if (dim !== first[numSites]) {
    const words = `is ${describe(dim)}, and the values of all sites together are ${first[numSites]}`;
    throw invalidData('dim', words);
  }
  const width = Math.ceil(dim / 8);
  if (!Number.isSafeInteger(numRows) || numRows < 0 || bits.length !== numRows * width) {
    const words = `has ${bits.length} bytes, and ${describe(numRows)} rows take ${width} each`;
    throw invalidData('bits', words);
  }
  const values = new Uint16Array(numRows * numSites);
  for (let row = 0; row < numRows; row++) {
    for (let site = 0; site < numSites; site++) {
      const [start, end] = [first[site] as number, first[site + 1] as number];
      let found = -1;
      let numOn = 0;
      for (let bit = start; bit < end; bit++) {
        if ((((bits[row * width + (bit >> 3)] as number) >> (bit & 7)) & 1) === 0) continue;
        found = bit - start;
        numOn += 1;
      }
      if (numOn !== 1) {
        const words = `have ${numOn} on for site ${site} in row ${row}; exactly one must be on`;
        throw invalidData('bits', words);
      }
      values[row * numSites + site] = found;
    }
  }
  return values;
}
