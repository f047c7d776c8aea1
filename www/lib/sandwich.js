/**
 * log Z between a lower and an upper estimate. Plain JavaScript, so that the tests run it in Node.
 */

/** @typedef {{ lower: number, upper: number }} Interval */

/**
 * The length, in nats, of the shortest interval that holds both: how far log Z is still open. Where they overlap it is
 * what they leave together; where they contradict each other, it does not get less than what lies between.
 * @param {Interval} forward
 * @param {Interval} reverse
 */
export function gapOf(forward, reverse) {
  return Math.max(forward.upper, reverse.upper) - Math.min(forward.lower, reverse.lower);
}

/** How fast a gap may be expected to fall: powers of the number of distributions. */
const SLOWEST = 0.4;
const FASTEST = 1.2;

/**
 * How many more doublings the gap will take to fall to `wanted`, by the way it fell in the last one; at least one.
 * Undefined where that cannot be told yet.
 * @param {readonly number[]} gaps The gaps so far, each with twice the distributions of the one before.
 * @param {number} wanted
 * @returns {number | undefined}
 */
export function doublingsLeft(gaps, wanted) {
  const [before, last] = gaps.slice(-2);
  if (before === undefined || last === undefined) return undefined;
  const power = Math.log2(before / last);
  if (!Number.isFinite(power)) return undefined;
  const exponent = Math.min(FASTEST, Math.max(SLOWEST, power));
  // Less a little, or rounding would make one more of a whole number.
  return Math.max(1, Math.ceil(Math.log2(last / wanted) / exponent - 1e-9));
}
