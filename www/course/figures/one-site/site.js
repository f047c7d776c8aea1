/** One spin, asked again and again. Plain JavaScript: the tests run it in Node. */

import { uniforms } from '../../../lib/random-bits.js';

/** Questions of one press. */
export const NUM_ASKED = 100;

/**
 * How often it is up in a hundred draws.
 * @param {number} probability
 * @param {number} round Another hundred each time.
 */
export function timesUp(probability, round) {
  const uniform = uniforms(11, round);
  let up = 0;
  for (let n = 0; n < NUM_ASKED; n++) if (uniform() < probability) up += 1;
  return up;
}
