// @ts-check
/**
 * The harmonic mean estimator (Newton and Raftery 1994) where all is known: x ~ N(0, τ²), y ~ N(x, 1), and y was seen.
 * The evidence is N(y; 0, 1 + τ²). The posterior is N(ρy, ρ) with ρ = τ²/(1 + τ²), and the mean of 1/p(y | x) over it is 1/p(y).
 */
import { logMeanExp } from '../../../lib/line-annealing.js';
import { normals } from '../../../lib/random-models.js';

/** What was seen. */
export const SEEN = 1;
export const MOST_DRAWS = 10_000;

const LOG_ROOT_TWO_PI = 0.5 * Math.log(2 * Math.PI);
const NOISE = Float64Array.from({ length: MOST_DRAWS }, normals(21));

/** Prior widths τ, evenly on a logarithmic axis from 0.3 to 1,000. */
export const WIDTHS = Array.from({ length: 41 }, (_, n) => 0.3 * (1000 / 0.3) ** (n / 40));

/** ln p(y). @param {number} width τ */
export const logEvidence = (width) =>
  -LOG_ROOT_TWO_PI - 0.5 * Math.log(1 + width ** 2) - (0.5 * SEEN ** 2) / (1 + width ** 2);

/**
 * What the harmonic mean of so many exact posterior draws says of it, with its standard error by their spread.
 * @param {number} width
 * @param {number} numDraws
 */
export function harmonicMean(width, numDraws) {
  const ratio = width ** 2 / (1 + width ** 2);
  const sd = Math.sqrt(ratio);
  /** −log p(y | x) of every draw. */
  const negative = NOISE.subarray(0, numDraws).map(
    (noise) => LOG_ROOT_TWO_PI + 0.5 * (ratio * SEEN + sd * noise - SEEN) ** 2,
  );
  const middle = logMeanExp(negative);
  const variance =
    negative.reduce((sum, value) => sum + Math.expm1(value - middle) ** 2, 0) / numDraws;
  return { estimate: -middle, standardError: Math.sqrt(variance / numDraws) };
}
