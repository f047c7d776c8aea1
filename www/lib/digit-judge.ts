import { distance } from './bit-pictures.js';
import type { Digits } from './digits.js';
import { rowsOf } from './packed-rows.js';

/** How many of the nearest digits vote. */
const NUM_NEIGHBOURS = 5;

/** Which digit each picture looks like: the five training digits that differ from it in the fewest pixels vote. */
export function judgeDigits(
  pictures: readonly Uint8Array[],
  { training, trainingLabels }: Digits,
): number[] {
  const known = rowsOf(training);
  return pictures.map((picture) => {
    const best: { off: number; label: number }[] = [];
    for (const [row, digit] of known.entries()) {
      const limit = best[NUM_NEIGHBOURS - 1]?.off ?? Infinity;
      const off = distance(picture, digit, limit);
      if (off >= limit) continue;
      // The earlier of two equally near digits stays in front.
      const place = best.findIndex((other) => other.off > off);
      const found = { off, label: trainingLabels[row] ?? 0 };
      best.splice(place < 0 ? best.length : place, 0, found);
      best.length = Math.min(best.length, NUM_NEIGHBOURS);
    }
    const votes = new Array<number>(10).fill(0);
    for (const { label } of best) votes[label]! += 1;
    return votes.indexOf(Math.max(...votes));
  });
}
