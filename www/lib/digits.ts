import bitsUrl from '../data/mnist-binary-9000.bits?url&no-inline';
import labelsUrl from '../data/mnist-binary-9000.labels?url&no-inline';
import { bytesPerRow, firstRows, type PackedRows, rowsOf } from './packed-rows.js';
import { fetchFile } from './site-files.js';

/** Side of a digit in pixels, and how many pixels it has. */
export const SIDE = 28;
export const NUM_PIXELS = SIDE * SIDE;
/** The digits to learn from; the rest, 1,000, are held out. */
export const MAX_TRAINING_ROWS = 8000;
const NUM_ROWS = 9000;

/** Handwritten digits of 0 and 1, 1 for ink. */
export interface Digits {
  training: PackedRows;
  heldOut: PackedRows;
  /** Which digit each row to learn from is, 0 to 9. */
  trainingLabels: Uint8Array;
  /** Which digit each held-out row is, 0 to 9. */
  heldOutLabels: Uint8Array;
}

/** Where the digits can be fetched from, for the code that the lab shows. */
export const digitsUrl = new URL(bitsUrl, import.meta.url).href;

export async function loadDigits(): Promise<Digits> {
  const [bits, labels] = await Promise.all([fetchBytes(bitsUrl), fetchBytes(labelsUrl)]);
  return digitsOf(bits, labels);
}

/** The digits as their files have them. */
export function digitsOf(bits: Uint8Array, labels: Uint8Array): Digits {
  const rowLength = bytesPerRow(NUM_PIXELS);
  if (bits.length !== NUM_ROWS * rowLength || labels.length !== NUM_ROWS)
    throw new Error('The data of the digits are not complete.');
  return {
    training: firstRows({ dim: NUM_PIXELS, numRows: NUM_ROWS, bits }, MAX_TRAINING_ROWS),
    heldOut: {
      dim: NUM_PIXELS,
      numRows: NUM_ROWS - MAX_TRAINING_ROWS,
      bits: bits.subarray(MAX_TRAINING_ROWS * rowLength),
    },
    trainingLabels: labels.subarray(0, MAX_TRAINING_ROWS),
    heldOutLabels: labels.subarray(MAX_TRAINING_ROWS),
  };
}

/** The first held-out digit of each kind, 0 to 9. */
export function firstOfEachKind({ heldOut, heldOutLabels }: Digits): PackedRows {
  const rows = rowsOf(heldOut);
  const bits = Array.from({ length: 10 }, (_, kind) => [
    ...(rows[heldOutLabels.indexOf(kind)] ?? []),
  ]);
  return { dim: NUM_PIXELS, numRows: 10, bits: Uint8Array.from(bits.flat()) };
}

/** One row as numbers 0 and 1. */
export function unpackRow({ dim, bits }: PackedRows, row: number): Uint8Array {
  const start = row * bytesPerRow(dim);
  return Uint8Array.from(
    { length: dim },
    (_, i) => ((bits[start + (i >>> 3)] ?? 0) >>> (i & 7)) & 1,
  );
}

/**
 * The visible biases of independent pixels: the log odds of ink, counted with one digit more of each kind so that none
 * is infinite, and rounded to 1/1024, because logarithms differ from browser to browser in their last bit.
 */
export function logOdds(rows: PackedRows): number[] {
  const rowLength = bytesPerRow(rows.dim);
  const numOn = new Array<number>(rows.dim).fill(0);
  for (let row = 0; row < rows.numRows; row++) {
    for (let i = 0; i < rows.dim; i++) {
      numOn[i]! += ((rows.bits[row * rowLength + (i >>> 3)] ?? 0) >>> (i & 7)) & 1;
    }
  }
  return numOn.map((n) => Math.round(1024 * Math.log((n + 1) / (rows.numRows - n + 1))) / 1024);
}

async function fetchBytes(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetchFile(url);
  if (!response.ok) throw new Error(`The digits could not be loaded (status ${response.status}).`);
  return new Uint8Array(await response.arrayBuffer());
}
