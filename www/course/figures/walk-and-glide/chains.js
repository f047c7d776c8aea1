// @ts-check
/** A random walk and Hamiltonian trajectories on one ridge, with as many evaluations each, and what a draw costs. */
import { integratedTime } from '../../../lib/autocorrelation.js';
import { glides, randomWalk, ridge, stateAfter } from '../../../lib/leapfrog.js';

/** Between x and y, each of variance 1. */
export const CORRELATION = 0.98;
/** Standard deviations along the ridge and across it. */
export const ALONG = Math.sqrt(1 + CORRELATION);
export const ACROSS = Math.sqrt(1 - CORRELATION);
const WALK_STEP = 0.2;
export const LEAPFROG_STEP = 0.15;

/** @typedef {import('../../../lib/leapfrog.js').Point} Point */
/** @typedef {import('../../../lib/leapfrog.js').Proposal} Proposal */

const MODEL = ridge(CORRELATION);
/** Near one end of the ridge. @type {Point} */
export const START = [-1.8, -1.8];
const SEED = 1;
/** Draws that the long run of either chain has, of the walk one in so many. */
const [WALK_DRAWS, THIN, GLIDE_DRAWS] = [6000, 10, 2000];

/** How far along the ridge a point is. @param {Point} point */
const place = ([x, y]) => (x + y) / Math.SQRT2;

/**
 * Both chains from the same start. The walk needs an energy a proposal, a trajectory a gradient a step.
 * @param {number} numEvaluations
 * @param {number} numLeapfrogSteps
 */
export function chainsOf(numEvaluations, numLeapfrogSteps) {
  const walk = randomWalk(MODEL, START, {
    stepSize: WALK_STEP,
    numProposals: numEvaluations,
    seed: SEED,
  });
  const glide = glides(MODEL, START, {
    stepSize: LEAPFROG_STEP,
    numLeapfrogSteps,
    numProposals: Math.floor(numEvaluations / numLeapfrogSteps),
    seed: SEED,
  });
  return { walk: summaryOf(walk), glide: summaryOf(glide) };
}

/** @param {Proposal[]} proposals */
function summaryOf(proposals) {
  const states = [START, ...proposals.map(stateAfter)];
  const places = states.map(place);
  return {
    states,
    ways: proposals.map(({ points }) => points),
    numAccepted: proposals.filter(({ isAccepted }) => isAccepted).length,
    numCrossings: crossingsOf(places.map((at) => at / ALONG)),
  };
}

/**
 * How often a series has come from beyond one standard deviation on one side to beyond one on the other.
 * @param {readonly number[]} places In standard deviations.
 */
export function crossingsOf(places) {
  const sides = places.filter((at) => Math.abs(at) > 1).map(Math.sign);
  return sides.filter((side, n) => n > 0 && side !== sides[n - 1]).length;
}

/** Energies that one independent place along the ridge costs the random walk, by a long run. */
export function costOfWalk() {
  const settings = { stepSize: WALK_STEP, numProposals: WALK_DRAWS * THIN, seed: 1 };
  const chain = randomWalk(MODEL, [0, 0], settings);
  const places = Array.from({ length: WALK_DRAWS }, (_, n) =>
    place(stateAfter(/** @type {Proposal} */ (chain[(n + 1) * THIN - 1]))),
  );
  return THIN * integratedTime(places);
}

/**
 * Gradients that one costs trajectories of so many steps; no less than one trajectory.
 * @param {number} numLeapfrogSteps
 */
export function costOfGlide(numLeapfrogSteps) {
  const settings = {
    stepSize: LEAPFROG_STEP,
    numLeapfrogSteps,
    numProposals: GLIDE_DRAWS,
    seed: 1,
  };
  const chain = glides(MODEL, [0, 0], settings);
  return numLeapfrogSteps * integratedTime(chain.map((proposal) => place(stateAfter(proposal))));
}
