import type { RecallResult, RecallSpec } from 'unnorm';
import { distance, inverted } from '../../lib/bit-pictures.js';
import { bytesPerRow } from '../../lib/packed-rows.js';
import { randomRows } from '../../lib/random-bits.js';
import type { Memory } from './memory.svelte.js';
import { type Pictures, pictureAt, STREAMS } from './pictures.js';
import { flipsOf } from './rules.js';
import type { Settings } from './settings.js';

/** What came of looking around in a memory. */
export interface Explored {
  /** Where corrupted copies of the pictures came to. */
  copies?: RecallResult;
  /** Percent of their bits that were flipped. */
  noise?: number;
  /** Where random starts came to. */
  starts?: RecallResult;
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
  /** How many random starts came there, and how many corrupted copies. */
  numStarts: number;
  numCopies: number;
}

/** Corrupted copies of each picture, and random starts: fewer in large networks, where each takes long. */
const COPIES = { most: 10, work: 2e9 };
const STARTS = { least: 32, most: 200, work: 5e8 };

/** Recall from corrupted copies of all pictures, all but the model and the order. */
export function explorationOf(
  { rows }: Pictures,
  { noise, seed }: Settings,
): Pick<RecallSpec, 'cues' | 'noise' | 'seed'> {
  const affordable = Math.floor(COPIES.work / (rows.numRows * rows.dim ** 2));
  const numCopies = Math.max(1, Math.min(COPIES.most, affordable));
  return {
    cues: { kind: 'bits', ...rows },
    noise: { numFlips: flipsOf(noise, rows.dim), numCopies },
    seed,
  };
}

/** Random states to start from. */
export function startsOf({ rows: { dim } }: Pictures, { seed }: Settings): RecallSpec['cues'] {
  const affordable = Math.floor(STARTS.work / dim ** 2);
  const numRows = Math.max(STARTS.least, Math.min(STARTS.most, affordable));
  return { kind: 'bits', dim, numRows, bits: randomRows(numRows, dim, seed, STREAMS.starts) };
}

/** All states found, those first that most starts came to, then most copies. */
export function minimaOf(memory: Memory, { copies, starts }: Explored): Minimum[] {
  const found = new Map<string, Minimum>();
  const add = (result: RecallResult | undefined, count: 'numStarts' | 'numCopies') => {
    if (!result) return;
    const { states, counts, which } = result.attractors;
    const width = bytesPerRow(states.dim);
    const energies = new Float64Array(states.numRows);
    which.forEach((number, row) => {
      energies[number] = result.energies[row] as number;
    });
    for (let n = 0; n < states.numRows; n++) {
      const bits = states.bits.subarray(n * width, (n + 1) * width);
      const key = bits.join();
      const minimum =
        found.get(key) ?? describedMinimum(memory.pictures, bits, energies[n] as number);
      minimum[count] = counts[n] as number;
      found.set(key, minimum);
    }
  };
  add(starts, 'numStarts');
  add(copies, 'numCopies');
  return [...found.values()].sort((a, b) => b.numStarts - a.numStarts || b.numCopies - a.numCopies);
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

function describedMinimum(pictures: Pictures, bits: Uint8Array, energy: number): Minimum {
  const to = nearestOf(pictures, bits);
  const isNegative = to.distance > 0 && nearestOf(pictures, inverted(bits)).distance === 0;
  const kind = to.distance === 0 ? 'stored' : isNegative ? 'negative' : 'spurious';
  return { bits, kind, ...to, energy, numStarts: 0, numCopies: 0 };
}
