// @ts-check
/** Three objectives for the friends' w, a being known: each is small where the model fits the evenings. */
import { energies, logLikelihood } from '../../guest-book.js';

/** The neighbours of a state: one friend decides otherwise. @param {number} state */
const neighbours = (state) => [state ^ 1, state ^ 2, state ^ 4];

/**
 * Minus the mean log pseudolikelihood: of each friend, given what the other two do.
 * @param {ArrayLike<number>} shares
 * @param {number} a
 * @param {number} w
 */
export function pseudolikelihood(shares, a, w) {
  const e = energies(a, w);
  return Array.from(shares).reduce(
    (sum, share, state) =>
      sum +
      share *
        neighbours(state).reduce(
          (all, other) => all + Math.log1p(Math.exp(Number(e[state]) - Number(e[other]))),
          0,
        ),
    0,
  );
}

/**
 * Minimum probability flow to single flips.
 * @param {ArrayLike<number>} shares
 * @param {number} a
 * @param {number} w
 */
export function flow(shares, a, w) {
  const e = energies(a, w);
  return Array.from(shares).reduce(
    (sum, share, state) =>
      sum +
      share *
        neighbours(state).reduce(
          (all, other) => all + Math.exp(0.5 * (Number(e[state]) - Number(e[other]))),
          0,
        ),
    0,
  );
}

/** @param {ArrayLike<number>} shares @param {number} a @param {number} w */
export const negativeLikelihood = (shares, a, w) => -logLikelihood(shares, a, w);

/**
 * Where a convex function of one variable is least, by golden sections.
 * @param {(x: number) => number} of
 * @param {number} low
 * @param {number} high
 */
export function leastAt(of, low, high) {
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [low, high];
  while (b - a > 1e-6) {
    const [x, y] = [b - ratio * (b - a), a + ratio * (b - a)];
    if (of(x) < of(y)) b = y;
    else a = x;
  }
  return (a + b) / 2;
}
