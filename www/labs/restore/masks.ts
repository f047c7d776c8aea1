import { isSet, pictureOf } from '../../lib/bit-pictures.js';
import type { HoleName } from './settings.js';

/** Parts of a picture, as packed bits: 1 is not given. */

/** The part that a name and, of a painted one, its runs stand for. */
export function maskOf(hole: HoleName, runs: string, side: number): Uint8Array {
  if (hole === 'painted') return fromRuns(runs, side);
  const [first, last] = [Math.round(0.3 * side), Math.round(0.7 * side)];
  const isMiddle = (place: number) => place >= first && place < last;
  const rules: Record<typeof hole, (row: number, column: number) => boolean> = {
    none: () => false,
    middle: (row, column) => isMiddle(row) && isMiddle(column),
    lower: (row) => row >= side / 2,
    upper: (row) => row < side / 2,
    left: (_, column) => column < side / 2,
    right: (_, column) => column >= side / 2,
  };
  return pictureOf(side, rules[hole]);
}

/** A mask as lengths of runs, the first of pixels that are given. */
export function runsOf(mask: Uint8Array): string {
  const runs = [0];
  for (let n = 0; n < 8 * mask.length; n++) {
    if (isSet(mask, n) === (runs.length % 2 === 0)) runs[runs.length - 1]! += 1;
    else runs.push(1);
  }
  // What is given at the end goes without saying.
  if (runs.length % 2 === 1) runs.pop();
  return runs.map((length) => length.toString(36)).join('.');
}

/** Of another size, or without end, as much as there is room for. */
function fromRuns(runs: string, side: number): Uint8Array {
  const marked = new Uint8Array(side * side);
  let at = 0;
  for (const [n, length] of runs.split('.').entries()) {
    const end = at + (Number.parseInt(length, 36) || 0);
    if (n % 2 === 1) marked.fill(1, at, end);
    at = end;
  }
  return pictureOf(side, (row, column) => marked[row * side + column] === 1);
}

/** The places of the bits that are set, or of the others. */
export function placesIn(bits: Uint8Array, isIn = true): number[] {
  return Array.from({ length: 8 * bits.length }, (_, n) => n).filter(
    (n) => isSet(bits, n) === isIn,
  );
}
