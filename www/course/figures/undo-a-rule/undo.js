/** Undoing a sequence of numbers by hand, a production at a time. Plain JavaScript: the tests run it in Node. */

import {
  continuation,
  extend,
  NUM_CHOICES,
  nextRange,
  PRODUCTIONS,
  probabilityOfR,
} from '../../../lib/number-sequences.js';

/**
 * @typedef {import('../../../lib/number-sequences.js').Explanation} Explanation
 * @typedef {import('../../../lib/number-sequences.js').Production} Production
 */

/**
 * R, and the explanations after each production; it ends before one that cannot be.
 * @param {readonly number[]} numbers
 * @param {readonly Production[]} productions
 * @returns {Explanation[]}
 */
export function chainOf(numbers, productions) {
  const probability = probabilityOfR(numbers);
  const chain = [
    { productions: [], residues: [[...numbers]], probability, score: probability / NUM_CHOICES },
  ];
  for (const production of productions) {
    const { made } = extend(/** @type {Explanation} */ (chain.at(-1)), production);
    if (!made) break;
    chain.push(made);
  }
  return chain;
}

/**
 * What each production would make of an explanation, or why it cannot; none where all is explained.
 * @param {Explanation} from
 */
export function offersFor(from) {
  if (from.productions.at(-1) === '1:N') return [];
  return PRODUCTIONS.map((production) => extend(from, production));
}

/**
 * Bits to write down a choice of a probability.
 * @param {number} probability
 */
export function bitsTo(probability) {
  return -Math.log2(probability);
}

/**
 * What comes next, if that is sure, or between what, at four to one.
 * @param {Explanation} explanation
 * @returns {{ next?: number, low?: number, high?: number }}
 */
export function nextOf(explanation) {
  const [next] = continuation(explanation, 1)[0] ?? [];
  return next === undefined ? nextRange(explanation, 0.8) : { next };
}
