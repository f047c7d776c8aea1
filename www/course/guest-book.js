// @ts-check
/**
 * The three friends as an Ising model, and what they did on 200 evenings. A state is a number whose bits 0, 1 and 2 say
 * whether Ann, Ben and Cleo came.
 */
import { uniforms } from '../lib/random-bits.js';

export const NAMES = ['nobody', 'A', 'B', 'A, B', 'C', 'A, C', 'B, C', 'all'];

/** How many came, and how many pairs met. @param {number} state */
export const guestsOf = (state) => (state & 1) + ((state >> 1) & 1) + ((state >> 2) & 1);
/** @param {number} state */
export const pairsOf = (state) => (guestsOf(state) * (guestsOf(state) - 1)) / 2;

/** E = −a · guests − w · pairs of all states. @param {number} a @param {number} w */
export const energies = (a, w) =>
  Float64Array.from({ length: 8 }, (_, state) => 0 - a * guestsOf(state) - w * pairsOf(state));

/** The couplings of the same energy as xᵀJx, where each pair counts twice. @param {number} a @param {number} w */
export const couplings = (a, w) => {
  const pair = 0 - w / 2;
  return [0 - a, pair, pair, pair, 0 - a, pair, pair, pair, 0 - a];
};

/** Evenings of each state in the book. */
export const BOOK = [61, 14, 11, 9, 16, 13, 10, 66];

/** Shares of all evenings. @param {ArrayLike<number>} counts */
export const sharesOf = (counts) => {
  const num = Array.from(counts).reduce((sum, count) => sum + count, 0);
  return Float64Array.from(counts, (count) => count / num);
};

/** Probabilities of all states. @param {ArrayLike<number>} energies */
export const probabilitiesOf = (energies) => {
  const weights = Array.from(energies, (energy) => Math.exp(-energy));
  const z = weights.reduce((sum, weight) => sum + weight, 0);
  return Float64Array.from(weights, (weight) => weight / z);
};

/** The mean of a function of the state. @param {ArrayLike<number>} shares @param {(state: number) => number} of */
export const meanOf = (shares, of) =>
  Array.from(shares).reduce((sum, share, state) => sum + share * of(state), 0);

/**
 * The mean log likelihood of an evening, in nats.
 * @param {ArrayLike<number>} shares of the book
 * @param {number} a
 * @param {number} w
 */
export const logLikelihood = (shares, a, w) => {
  const p = probabilitiesOf(energies(a, w));
  return Array.from(shares).reduce(
    (sum, share, state) => sum + share * Math.log(Number(p[state])),
    0,
  );
};

/**
 * Maximum likelihood, by Newton's method: the model's means of guests and pairs become those of the book.
 * @param {ArrayLike<number>} shares
 * @returns {[a: number, w: number]}
 */
export function maximumLikelihood(shares) {
  let [a, w] = [0, 0];
  for (let n = 0; n < 50; n++) {
    const p = probabilitiesOf(energies(a, w));
    const [guests, pairs] = [meanOf(p, guestsOf), meanOf(p, pairsOf)];
    const [da, dw] = [meanOf(shares, guestsOf) - guests, meanOf(shares, pairsOf) - pairs];
    const aa = meanOf(p, (state) => (guestsOf(state) - guests) ** 2);
    const aw = meanOf(p, (state) => (guestsOf(state) - guests) * (pairsOf(state) - pairs));
    const ww = meanOf(p, (state) => (pairsOf(state) - pairs) ** 2);
    const determinant = aa * ww - aw * aw;
    a += (ww * da - aw * dw) / determinant;
    w += (aa * dw - aw * da) / determinant;
  }
  return [a, w];
}

/** Evenings drawn from the model, as counts of states. @param {number} a @param {number} w @param {number} num */
export function drawEvenings(a, w, num) {
  const p = probabilitiesOf(energies(a, w));
  const uniform = uniforms(2, 0);
  const counts = new Array(8).fill(0);
  for (let n = 0; n < num; n++) {
    let left = uniform();
    const state = p.findIndex((share) => {
      left -= share;
      return left < 0;
    });
    counts[state < 0 ? 7 : state]++;
  }
  return counts;
}
