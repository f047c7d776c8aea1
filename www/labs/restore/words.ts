import { distance, isSet } from '../../lib/bit-pictures.js';
import { count } from '../../lib/format.js';
import type { Completion } from './completion.svelte.js';
import { placesIn } from './masks.js';
import type { NoisyPicture } from './noisy.svelte.js';

/** What can be said of pictures in numbers. */

export function percent(share: number, decimals = 1): string {
  return `${(100 * share).toFixed(decimals)}\u00a0%`;
}

/** The share of the pixels in which two pictures differ. */
export function shareOff(picture: Uint8Array, right: Uint8Array): number {
  return distance(picture, right) / (8 * right.length);
}

/** The same over some of the pixels; undefined where there are none. */
export function shareOffIn(
  picture: Uint8Array,
  right: Uint8Array,
  mask: Uint8Array,
  isIn = true,
): number | undefined {
  const places = placesIn(mask, isIn);
  if (places.length === 0) return undefined;
  const off = places.filter((n) => isSet(picture, n) !== isSet(right, n));
  return off.length / places.length;
}

/** The answers so far, in the order of the page. */
export function answersOf({ descent, cut, draws }: NoisyPicture) {
  return [
    { id: 'descent', name: 'Descent', bits: descent?.bits },
    { id: 'cut', name: 'Minimum cut', bits: cut?.bits },
    { id: 'likeliest', name: 'Pixel by pixel', bits: draws?.likeliest },
  ] as const;
}

/** How far the share that is off is from what the posterior expects, in its standard deviations. */
export function surpriseOf({ draws, picture }: NoisyPicture) {
  if (!draws || !picture) return undefined;
  const off = shareOff(draws.likeliest, picture.bits);
  return {
    off,
    ...draws.expected,
    spread: draws.spread,
    z: (off - draws.expected.value) / draws.spread,
  };
}

/** What the completions have in common, and in what they differ. */
export function completionsOf({ completions, digit, erased, numErased }: Completion) {
  if (!completions || !digit || numErased === 0) return undefined;
  const { rows } = completions;
  const numDistinct = new Set(rows.map((row) => row.join())).size;
  const places = placesIn(erased);
  const pairs = rows.length * (rows.length - 1);
  // Of two that are chosen at random.
  const apart = places.reduce((sum, n) => {
    const ink = rows.filter((row) => isSet(row, n)).length;
    return sum + (2 * ink * (rows.length - ink)) / pairs;
  }, 0);
  const off = rows.reduce((sum, row) => sum + distance(row, digit.bits), 0) / rows.length;
  return { numDistinct, apart: apart / places.length, off: off / places.length };
}

/** The number of pixels, and what share of them that is. */
export function partOf(num: number, dim: number): string {
  return `${count(num)} pixels (${percent(num / dim, 0)})`;
}
