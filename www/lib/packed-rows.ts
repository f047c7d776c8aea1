import { count } from './format.js';

/** Rows of zeros and ones, each row padded to whole bytes, least significant bit first. */
export interface PackedRows {
  dim: number;
  numRows: number;
  bits: Uint8Array;
}

export function bytesPerRow(dim: number): number {
  return Math.ceil(dim / 8);
}

/** The first rows of a longer set, without a copy. */
export function firstRows({ dim, bits }: PackedRows, numRows: number): PackedRows {
  return { dim, numRows, bits: bits.subarray(0, numRows * bytesPerRow(dim)) };
}

/** Each row, without a copy. */
export function rowsOf({ dim, numRows, bits }: PackedRows): Uint8Array[] {
  const width = bytesPerRow(dim);
  return Array.from({ length: numRows }, (_, row) => bits.subarray(row * width, (row + 1) * width));
}

/**
 * The covariance of every pair of units over the rows, [dim, dim], the variances on the diagonal. Counts are exact:
 * columns are packed into words and pairs counted by population count. Gives way to the page now and then.
 */
export async function covariance(rows: PackedRows, signal: AbortSignal): Promise<Float64Array> {
  const { dim, numRows } = rows;
  const columns = packColumns(rows);
  const numWords = columns.length / dim;
  const result = new Float64Array(dim * dim);
  const means = new Float64Array(dim);
  for (let i = 0; i < dim; i++) means[i] = countBoth(columns, i, i, numWords) / numRows;
  let lastBreak = performance.now();
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j <= i; j++) {
      const value = countBoth(columns, i, j, numWords) / numRows - at(means, i) * at(means, j);
      result[i * dim + j] = value;
      result[j * dim + i] = value;
    }
    if (performance.now() - lastBreak > 10) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      lastBreak = performance.now();
    }
  }
  return result;
}

/** How a link knows a file again: by its size and a fingerprint. */
export async function fileId(rows: PackedRows): Promise<string> {
  return `${rows.numRows}x${rows.dim}-${await fingerprint(rows)}`;
}

/** The identities of files, as a pattern. */
export const FILE_ID = /^\d{1,9}x\d{1,9}-([0-9a-f]{16})?$/;

/** The size in the identity of a file, in words. */
export function sizeInId(id: string): string {
  const [numRows = 0, dim = 0] = (id.split('-')[0] ?? '').split('x').map(Number);
  return `${count(numRows)} rows and ${count(dim)} columns`;
}

/** A short fingerprint of sizes and bits, by which a link recognizes a file; empty where the browser has no SHA-256. */
export async function fingerprint({ dim, numRows, bits }: PackedRows): Promise<string> {
  // Only pages served over https or from this machine have it.
  if (!globalThis.crypto?.subtle) return '';
  const sized = new Uint8Array(8 + bits.length);
  new DataView(sized.buffer).setUint32(0, dim, true);
  new DataView(sized.buffer).setUint32(4, numRows, true);
  sized.set(bits, 8);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', sized));
  return [...hash.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function packColumns({ dim, numRows, bits }: PackedRows): Uint32Array {
  const rowLength = bytesPerRow(dim);
  const numWords = Math.ceil(numRows / 32);
  const columns = new Uint32Array(dim * numWords);
  for (let row = 0; row < numRows; row++) {
    const word = row >>> 5;
    const mask = 1 << (row & 31);
    for (let unit = 0; unit < dim; unit++) {
      if ((at(bits, row * rowLength + (unit >>> 3)) >>> (unit & 7)) & 1)
        columns[unit * numWords + word]! |= mask;
    }
  }
  return columns;
}

function countBoth(columns: Uint32Array, i: number, j: number, numWords: number): number {
  let total = 0;
  for (let word = 0; word < numWords; word++) {
    total += populationCount(at(columns, i * numWords + word) & at(columns, j * numWords + word));
  }
  return total;
}

function populationCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function at(values: { [n: number]: number }, n: number): number {
  return values[n] as number;
}
