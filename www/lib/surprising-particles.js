// @ts-check
/**
 * Particles annealed along the path of `surprising-path.js`, with exact Gibbs moves of z and of x: z by its odds given
 * x, and every coordinate of x from its truncated Gaussian given z. Plain JavaScript: figures need it, and Node tests it.
 */
import { relativeWeights } from './line-annealing.js';
import { logMeanExp } from './log-mean-exp.js';
import { uniforms } from './random-bits.js';
import { normals } from './random-models.js';
import { averageOf, DISTANCE, NUM_SEEN, STANDARD_NORMAL, shareOfOne } from './surprising-path.js';

/** @typedef {{ mean: number, variance: number }} Start Of every coordinate of x. */

/** The particles at one β: for each the sign of z, 1 or −1, and the first coordinate of x, `[num, 2]`. */
/** @typedef {{ beta: number, points: Float32Array, numOnes: number }} Moment */

/**
 * @typedef {object} Settings
 * @property {Start} [start] The standard normal distribution if absent.
 * @property {number} numDistributions K
 * @property {number} numParticles
 * @property {number} seed
 * @property {boolean} [keepsMoments] Whether the particles are kept at every β.
 */

/** Particles on their way from the start. @param {Settings} settings */
export function annealSurprise(settings) {
  const { numDistributions } = settings;
  const particles = particlesOf(settings);
  /** @type {Moment[]} */
  const moments = [];
  const moveTo = (/** @type {number} */ beta) => {
    particles.drawZ(beta);
    particles.drawX(beta);
    if (settings.keepsMoments) moments.push(particles.momentAt(beta));
  };
  moveTo(0);
  for (let k = 1; k <= numDistributions; k++) {
    particles.weigh(1 / numDistributions);
    moveTo(k / numDistributions);
  }
  return { moments, ...particles.summary(1) };
}

/**
 * The same backward, from exact draws of the model: every move is the reversal of the one on the way there. What it
 * estimates of ln p(x > 0) is too high in the mean.
 * @param {Settings} settings
 */
export function annealBack(settings) {
  const { start, numDistributions } = settings;
  const particles = particlesOf(settings);
  particles.startAt(shareOfOne(1, start));
  for (let k = numDistributions; k > 0; k--) {
    // z before x on the way there, so x before z on the way back.
    particles.drawX(k / numDistributions);
    particles.drawZ(k / numDistributions);
    particles.weigh(-1 / numDistributions);
  }
  return particles.summary(-1);
}

/**
 * Particles, not placed yet: before z is first drawn every x is 0, which at β = 0 says nothing.
 * @param {Settings} settings
 */
function particlesOf({ start = STANDARD_NORMAL, numParticles, seed }) {
  const normal = normals(seed);
  const uniform = uniforms(seed, 3);
  const isOne = new Uint8Array(numParticles);
  const x = new Float64Array(numParticles * NUM_SEEN);
  const logWeights = new Float64Array(numParticles);
  const logScale = 0.5 * NUM_SEEN * Math.log(start.variance);

  /** A draw of N(mean, sd²) above 0. The means are not negative: every second try does at least. */
  const positive = (/** @type {number} */ mean, /** @type {number} */ sd) => {
    if (mean === 0) return Math.abs(sd * normal());
    for (;;) {
      const at = mean + sd * normal();
      if (at > 0) return at;
    }
  };
  const numOnes = () => isOne.reduce((sum, one) => sum + one, 0);

  return {
    /** z of every particle, which is 1 with this probability. @param {number} share */
    startAt(share) {
      for (let n = 0; n < numParticles; n++) isOne[n] = uniform() < share ? 1 : 0;
    },
    /** z given x. @param {number} beta */
    drawZ(beta) {
      for (let n = 0; n < numParticles; n++) {
        let sum = 0;
        for (let i = 0; i < NUM_SEEN; i++) sum += Number(x[n * NUM_SEEN + i]);
        const logOdds = beta * DISTANCE * (sum - 0.5 * NUM_SEEN * DISTANCE);
        isOne[n] = uniform() * (1 + Math.exp(-logOdds)) < 1 ? 1 : 0;
      }
    },
    /** x given z. @param {number} beta */
    drawX(beta) {
      const averages = [averageOf(start, beta, 0), averageOf(start, beta, 1)];
      for (let n = 0; n < numParticles; n++) {
        const { mean, sd } = /** @type {{ mean: number, sd: number }} */ (
          averages[Number(isOne[n])]
        );
        for (let i = 0; i < NUM_SEEN; i++) x[n * NUM_SEEN + i] = positive(mean, sd);
      }
    },
    /** Every particle pays for a step in β. @param {number} step */
    weigh(step) {
      for (let n = 0; n < numParticles; n++) {
        const mean = isOne[n] ? DISTANCE : 0;
        let squares = 0;
        for (let i = 0; i < NUM_SEEN; i++) {
          const at = Number(x[n * NUM_SEEN + i]);
          squares += (at - start.mean) ** 2 / start.variance - (at - mean) ** 2;
        }
        logWeights[n] = Number(logWeights[n]) + step * (logScale + 0.5 * squares);
      }
    },
    /** @param {number} beta @returns {Moment} */
    momentAt(beta) {
      const points = Float32Array.from({ length: 2 * numParticles }, (_, at) => {
        const n = at >> 1;
        return at % 2 === 1 ? Number(x[n * NUM_SEEN]) : isOne[n] ? 1 : -1;
      });
      return { beta, points, numOnes: numOnes() };
    },
    /** What the weights say of ln p(x > 0), in nats; `sign` is −1 where they are those of runs back. @param {1 | -1} sign */
    summary(sign) {
      const { weights, ess } = relativeWeights(logWeights);
      const variance = weights.reduce((sum, weight) => sum + (weight - 1) ** 2, 0) / numParticles;
      return {
        // The mass that the start has at positive x is known.
        estimate: NUM_SEEN * averageOf(start, 0, 0).logMass + sign * logMeanExp(logWeights),
        standardError: Math.sqrt(variance / numParticles),
        ess,
        numOnes: numOnes(),
      };
    },
  };
}
