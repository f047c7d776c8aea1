import type { Digits } from './digits.js';
import { bytesPerRow } from './packed-rows.js';

/** How many of the nearest digits vote. */
const NUM_NEIGHBOURS = 5;

/** Which digit each picture looks like: the five training digits that differ from it in the fewest pixels vote. */
export function judgeDigits(
  pictures: readonly Uint8Array[],
  { training, trainingLabels }: Digits,
): number[] {
  const width = bytesPerRow(training.dim);
  return pictures.map((picture) => {
    const best: { distance: number; label: number }[] = [];
    for (let row = 0; row < training.numRows; row++) {
      const limit = best[NUM_NEIGHBOURS - 1]?.distance ?? Infinity;
      let distance = 0;
      for (let n = 0; n < width && distance < limit; n++) {
        distance += NUM_ONES[(picture[n] ?? 0) ^ (training.bits[row * width + n] ?? 0)] ?? 0;
      }
      if (distance >= limit) continue;
      // The earlier of two equally near digits stays in front.
      const place = best.findIndex((other) => other.distance > distance);
      const found = { distance, label: trainingLabels[row] ?? 0 };
      best.splice(place < 0 ? best.length : place, 0, found);
      best.length = Math.min(best.length, NUM_NEIGHBOURS);
    }
    const votes = new Array<number>(10).fill(0);
    for (const { label } of best) votes[label]! += 1;
    return votes.indexOf(Math.max(...votes));
  });
}

/** Ones in the bits of each byte. */
const NUM_ONES = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0;
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1;
  return count;
});
