/** More and more letters in one small network, and where each of them comes to rest. Plain JavaScript: the tests run it in Node. */

import { distance } from '../../../lib/bit-pictures.js';
import { recallInOrder } from '../../../lib/hopfield.js';
import { letterPicture } from '../../../lib/letters.js';
import { DIM, SIDE, stateAfter } from '../memory-falls/falls.js';

/** In the order in which they are stored. */
export const LETTERS = [...'ATXOHZCLES'];

/** @param {number} numLetters */
export function picturesOf(numLetters) {
  return LETTERS.slice(0, numLetters).map((letter) => letterPicture(letter, SIDE));
}

/**
 * Where recall takes each picture, whether it stays, and in how many different states they end.
 * @param {ArrayLike<number>} params
 * @param {readonly Uint8Array[]} pictures
 */
export function endsOf(params, pictures) {
  const ends = pictures.map((bits) =>
    stateAfter(bits, recallInOrder(params, DIM, bits).sites, Number.POSITIVE_INFINITY),
  );
  const stays = ends.map((end, n) => distance(end, /** @type {Uint8Array} */ (pictures[n])) === 0);
  return {
    ends,
    stays,
    numStored: stays.filter(Boolean).length,
    numStates: new Set(ends.map(String)).size,
  };
}
