// @ts-check
/**
 * What many runs to and fro say of log Z. Log weights are drawn from their own distribution, which is normal (see
 * `line-annealing.js`): the same numbers as by moving particles, for less.
 */
import { logWeightVariance } from '../../../lib/line-annealing.js';
import { logMeanExp } from '../../../lib/log-mean-exp.js';
import { normals } from '../../../lib/random-models.js';

export const DISTANCE = 5;
export const NUM_RUNS = 200;
export const MOST_PARTICLES = 100;
/** Farther from the truth than that, in nats, estimates are drawn at the edge. */
export const EDGE = 8;
/** The b of Markov's inequality. */
export const EXCESS = 2;
const NUM_BINS = 64;
/** Of the bins; the last ends the histogram. */
export const EDGES = Array.from(
  { length: NUM_BINS + 1 },
  (_, n) => EDGE * ((2 * n) / NUM_BINS - 1),
);

/** The same numbers at every setting, so that estimates move with the sliders and do not jump. */
const NOISE = [normals(11), normals(12)].map((normal) =>
  Float64Array.from({ length: NUM_RUNS * MOST_PARTICLES }, normal),
);

/**
 * Estimates of log Z less the truth, in nats, of each run.
 * @param {{ numStops: number, numParticles: number, memory: number }} settings
 */
export function runsOf({ numStops, numParticles, memory }) {
  const variance = logWeightVariance({ distance: DISTANCE, numStops, memory });
  const sd = Math.sqrt(variance);
  const estimates = NOISE.map((noise, way) => {
    // Forward, log weights fall short by s²/2; backward, their negatives do.
    const sign = way === 0 ? 1 : -1;
    return Float64Array.from({ length: NUM_RUNS }, (_, run) => {
      const first = run * MOST_PARTICLES;
      const logWeights = noise
        .subarray(first, first + numParticles)
        .map((value) => sd * value - variance / 2);
      return sign * logMeanExp(logWeights);
    });
  });
  const [forward, reverse] = /** @type {[Float64Array, Float64Array]} */ (estimates);
  return { forward, reverse, variance, ...summaryOf(forward, reverse) };
}

/**
 * @param {Float64Array} forward
 * @param {Float64Array} reverse
 */
function summaryOf(forward, reverse) {
  const mean = (/** @type {Float64Array} */ values) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    meanForward: mean(forward),
    meanReverse: mean(reverse),
    /** Mean of Ẑ/Z over the forward runs. */
    meanRatio: mean(forward.map(Math.exp)),
    numHigh: forward.filter((value) => value > EXCESS).length,
    numLow: forward.filter((value) => value < -EXCESS).length,
  };
}

/**
 * How many runs fall into each of even bins between both edges; what is beyond is in the outermost ones.
 * @param {Float64Array} estimates
 */
export function binned(estimates) {
  const counts = Array.from(EDGES, () => 0);
  for (const value of estimates) {
    const bin = Math.floor(((value + EDGE) / (2 * EDGE)) * NUM_BINS);
    const place = Math.max(0, Math.min(NUM_BINS - 1, bin));
    counts[place] = Number(counts[place]) + 1;
  }
  return counts;
}
