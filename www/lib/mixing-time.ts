/** How long a small chain takes to forget where it began. */
import { distanceOf, type Evolution } from './evolution.js';

/**
 * The distance from π after t steps, from the worst start: d(t) = max over starts of the total variation.
 * @param stationary π, by state
 */
export function worstDistance(
  evolution: Evolution,
  stationary: ArrayLike<number>,
  t: number,
): number {
  return Math.max(
    ...Array.from(stationary, (_, start) => distanceOf(evolution.after(start, t), stationary)),
  );
}

/** The first t with d(t) ≤ ε, by bisection, for d never rises; undefined where it is not among the first 2³⁰. */
export function mixingTime(
  evolution: Evolution,
  stationary: ArrayLike<number>,
  epsilon = 0.25,
): number | undefined {
  const isMixed = (t: number) => worstDistance(evolution, stationary, t) <= epsilon;
  if (isMixed(0)) return 0;
  let [before, after] = [0, 1];
  for (; !isMixed(after); after *= 2) {
    if (after >= 2 ** 30) return undefined;
    before = after;
  }
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isMixed(middle)) after = middle;
    else before = middle;
  }
  return after;
}
