import type { RecallResult } from 'unnorm';
import { distance, inverted } from '../../lib/bit-pictures.js';
import { bytesPerRow, type PackedRows } from '../../lib/packed-rows.js';
import { randomRows, withFlips } from '../../lib/random-bits.js';
import type { Memory } from './memory.svelte.js';
import { type Pictures, pictureAt, STREAMS } from './pictures.js';
import { flipsOf } from './rules.js';
import type { Settings } from './settings.js';

/** States to go down from: first spoiled copies of all pictures, a picture's one after another, then random ones. */
export interface Starts {
  cues: PackedRows;
  /** Of each picture. */
  numCopies: number;
  numRandom: number;
  /** Percent of the copies' bits that are flipped. */
  noise: number;
}

/** What came of looking around in a memory. */
export interface Explored extends Starts {
  result: RecallResult;
  /** How many copies came back to their pictures. */
  numRecovered: number;
}

/** A state in which recall from somewhere came to rest. */
export interface Minimum {
  bits: Uint8Array;
  /** A stored picture, the negative of one, or neither: spurious. */
  kind: 'stored' | 'negative' | 'spurious';
  /** The stored picture that it differs from in the fewest bits, and in how many. */
  nearest: number;
  distance: number;
  energy: number;
  /** How many random starts came there, and how many spoiled copies. */
  numRandom: number;
  numCopies: number;
}

/** Spoiled copies of each picture, and random starts: fewer in large networks, where each takes long. */
const COPIES = { most: 10, work: 2e9 };
const RANDOM = { least: 32, most: 200, work: 5e8 };

/** Where to start from. All in one job: to hand a large network to the engine takes longer than to recall. */
export function startsOf(pictures: Pictures, { noise, seed }: Settings): Starts {
  const { dim, numRows } = pictures.rows;
  const within = (work: number, least: number, most: number, rows: number) =>
    Math.max(least, Math.min(most, Math.floor(work / (rows * dim ** 2))));
  const numCopies = within(COPIES.work, 1, COPIES.most, numRows);
  const numRandom = within(RANDOM.work, RANDOM.least, RANDOM.most, 1);
  const width = bytesPerRow(dim);
  const bits = new Uint8Array((numRows * numCopies + numRandom) * width);
  for (let row = 0; row < numRows * numCopies; row++) {
    const picture = pictureAt(pictures, Math.floor(row / numCopies));
    const copy = withFlips(picture, dim, flipsOf(noise, dim), seed, STREAMS.copies + row);
    bits.set(copy, row * width);
  }
  bits.set(randomRows(numRandom, dim, seed, STREAMS.starts), numRows * numCopies * width);
  const cues = { dim, numRows: numRows * numCopies + numRandom, bits };
  return { cues, numCopies, numRandom, noise };
}

/** What recall from there has found. */
export function exploredOf(pictures: Pictures, starts: Starts, result: RecallResult): Explored {
  const width = bytesPerRow(pictures.rows.dim);
  let numRecovered = 0;
  for (let row = 0; row < pictures.rows.numRows * starts.numCopies; row++) {
    const end = result.states.bits.subarray(row * width, (row + 1) * width);
    if (distance(end, pictureAt(pictures, Math.floor(row / starts.numCopies))) === 0) {
      numRecovered += 1;
    }
  }
  return { ...starts, result, numRecovered };
}

/** All states found, those first that most random starts came to, then most copies. */
export function minimaOf({ pictures }: Memory, { result, cues, numRandom }: Explored): Minimum[] {
  const { states, which } = result.attractors;
  const width = bytesPerRow(states.dim);
  const minima = Array.from({ length: states.numRows }, (_, n) =>
    describedMinimum(pictures, states.bits.subarray(n * width, (n + 1) * width)),
  );
  which.forEach((number, row) => {
    const minimum = minima[number];
    if (!minimum) return;
    minimum.energy = result.energies[row] as number;
    if (row < cues.numRows - numRandom) minimum.numCopies += 1;
    else minimum.numRandom += 1;
  });
  return minima.sort((a, b) => b.numRandom - a.numRandom || b.numCopies - a.numCopies);
}

/** The stored picture that a state differs from in the fewest bits. */
export function nearestOf(
  pictures: Pictures,
  bits: Uint8Array,
): { nearest: number; distance: number } {
  let [nearest, least] = [0, Number.POSITIVE_INFINITY];
  for (let n = 0; n < pictures.rows.numRows; n++) {
    const differing = distance(bits, pictureAt(pictures, n));
    if (differing < least) [nearest, least] = [n, differing];
  }
  return { nearest, distance: least };
}

function describedMinimum(pictures: Pictures, bits: Uint8Array): Minimum {
  const to = nearestOf(pictures, bits);
  const isNegative = to.distance > 0 && nearestOf(pictures, inverted(bits)).distance === 0;
  const kind = to.distance === 0 ? 'stored' : isNegative ? 'negative' : 'spurious';
  return { bits, kind, ...to, energy: Number.NaN, numRandom: 0, numCopies: 0 };
}
