// @ts-check
/**
 * Annealing on the line, from N(0, 1), whose Z is known, to the energy ½(x − d)², whose log Z is ½ log 2π. At β on the way,
 * along geometric averages, the distribution is N(βd, 1).
 *
 * A move keeps a share r, the memory, of a particle's place: x ← m + r(x − m) + √(1 − r²) n, n ~ N(0, 1), about the
 * mean m of the stop. It leaves N(m, 1) as it is for every r. With r = 0 every stop is drawn afresh; with r = 1 nothing
 * moves, and all that is left is importance sampling from the start.
 *
 * All is linear and normal, and so is the log weight: with a variance s² its mean is log Z − s²/2, because the mean of the
 * weight is Z. That of reverse runs from exact draws of the end is log Z + s²/2 with the same variance (Crooks 1999).
 *
 * Plain JavaScript: figures need it at every move of a slider, and Node tests it as it is.
 */
import { logMeanExp } from './log-mean-exp.js';
import { normals } from './random-models.js';

/** log Z of the end, in nats. */
export const LOG_Z = 0.5 * Math.log(2 * Math.PI);

/**
 * log f₁(x) − log f₀(x): what a particle's log weight grows by, times the step in β.
 * @param {number} x
 * @param {number} distance d
 */
export const logRatio = (x, distance) => distance * x - 0.5 * distance * distance + LOG_Z;

/**
 * Particles on their way, with evenly spaced β.
 * @param {{ distance: number, numStops: number, memory?: number, numParticles: number, seed: number }} settings
 *   `numStops` is K: the number of steps in β.
 * @returns {{ places: Float64Array[], logWeights: Float64Array[] }} Of all particles at each of the K + 1 stops.
 */
export function anneal({ distance, numStops, memory = 0, numParticles, seed }) {
  const normal = normals(seed);
  const spread = Math.sqrt(1 - memory * memory);
  let place = Float64Array.from({ length: numParticles }, normal);
  let logWeight = new Float64Array(numParticles);
  const places = [place];
  const logWeights = [logWeight];
  for (let k = 1; k <= numStops; k++) {
    const mean = (distance * k) / numStops;
    const before = place;
    // The weight first, where the particle is; then the move.
    logWeight = logWeight.map((sum, n) => sum + logRatio(Number(before[n]), distance) / numStops);
    place = before.map((x) => mean + memory * (x - mean) + spread * normal());
    places.push(place);
    logWeights.push(logWeight);
  }
  return { places, logWeights };
}

/**
 * s², the variance of log weights.
 * @param {{ distance: number, numStops: number, memory?: number }} settings
 */
export function logWeightVariance({ distance, numStops, memory = 0 }) {
  // Places j stops apart have the covariance r^j about their means.
  let sum = numStops;
  for (let apart = 1; apart < numStops; apart++) sum += 2 * (numStops - apart) * memory ** apart;
  return (distance / numStops) ** 2 * sum;
}

/**
 * The weights relative to their mean, and of how many equal ones they are worth: M / (1 + s²) with s² the variance of
 * weights scaled to mean 1 (Grosse, Maddison and Salakhutdinov 2013, footnote 1).
 * @param {ArrayLike<number>} logWeights
 */
export function relativeWeights(logWeights) {
  const middle = logMeanExp(logWeights);
  const weights = Float64Array.from(logWeights, (logWeight) => Math.exp(logWeight - middle));
  const variance = weights.reduce((sum, weight) => sum + (weight - 1) ** 2, 0) / weights.length;
  return { weights, ess: weights.length / (1 + variance) };
}
