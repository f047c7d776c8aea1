import { distance, isSet, pictureOf } from '../../lib/bit-pictures.js';
import { type Estimate, estimateOf } from '../../lib/estimates.js';
import { type PackedRows, rowsOf } from '../../lib/packed-rows.js';

/** How often each pixel was ink in the draws so far. */
export interface Tally {
  numRows: number;
  counts: Float64Array;
}

export function emptyTally(dim: number): Tally {
  return { numRows: 0, counts: new Float64Array(dim) };
}

/** Adds packed rows to a tally. */
export function addRows(tally: Tally, bits: Uint8Array): void {
  const { counts } = tally;
  const width = counts.length / 8;
  for (let n = 0; n < bits.length; n++) {
    const byte = bits[n] as number;
    if (byte === 0) continue;
    const first = 8 * (n % width);
    for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) counts[first + bit]! += 1;
  }
  tally.numRows += bits.length / width;
}

/** The share of the rows in which each pixel is ink. */
export function meansOf({ numRows, counts }: Tally): Float64Array {
  return counts.map((count) => count / Math.max(1, numRows));
}

/** Of each pixel the value that more than half of the draws have. */
export function likeliestOf(means: Float64Array): Uint8Array {
  const side = Math.round(Math.sqrt(means.length));
  return pictureOf(side, (row, column) => (means[row * side + column] ?? 0) > 0.5);
}

/** What all draws together say: draw d of chain c is row d · numChains + c. */
export interface Drawn {
  means: Float64Array;
  likeliest: Uint8Array;
  /** The share of pixels that the posterior expects to be off in `likeliest`, the mean of min(m, 1 − m). */
  expected: Estimate;
  /** How far a single picture is from that: the standard deviation of the share over the posterior. */
  spread: number;
}

export function drawnOf(draws: PackedRows, numChains: number): Drawn {
  const tally = emptyTally(draws.dim);
  addRows(tally, draws.bits);
  const means = meansOf(tally);
  const likeliest = likeliestOf(means);
  const shares = rowsOf(draws).map((row) => distance(row, likeliest) / draws.dim);
  const expected = estimateOf(byChain(shares, numChains));
  const squares = shares.reduce((sum, share) => sum + (share - expected.value) ** 2, 0);
  return { means, likeliest, expected, spread: Math.sqrt(squares / shares.length) };
}

/** How probable ink is at one pixel. */
export function marginalOf(draws: PackedRows, numChains: number, site: number) {
  return estimateOf(
    byChain(
      rowsOf(draws).map((row) => Number(isSet(row, site))),
      numChains,
    ),
  );
}

/** The means of each chain. */
function byChain(values: readonly number[], numChains: number): number[] {
  return Array.from({ length: numChains }, (_, chain) => {
    const own = values.filter((_, row) => row % numChains === chain);
    return own.reduce((sum, value) => sum + value, 0) / own.length;
  });
}
