// @ts-check
/**
 * Particles between two moments at which it is known where they are. They move with the distribution: their whitened
 * places turn from the one to the other, by as much as the two are apart, so that particles spread as the distribution
 * does at the one moment and at the other do so on the way. Straight lines between independent places would draw the
 * cloud together in the middle.
 */
import { colour, whiten } from './gaussian-paths.js';

/** @typedef {import('./gaussian-paths.js').Gaussian} Gaussian */

/** Places further apart than this angle, nearly opposite ones, would go through the middle: they go round. */
const WIDEST = 2.6;

/**
 * The states, `[num, 2]`, as standard normal points.
 * @param {Gaussian} gaussian
 * @param {Float64Array} states
 */
export function whitened(gaussian, states) {
  const points = new Float64Array(states.length);
  for (let n = 0; n < states.length; n += 2) {
    points.set(whiten(gaussian, [Number(states[n]), Number(states[n + 1])]), n);
  }
  return points;
}

/**
 * The angle between two clouds of whitened points, as vectors of all their entries.
 * @param {Float64Array} before
 * @param {Float64Array} after
 */
export function angleBetween(before, after) {
  let [product, first, second] = [0, 0, 0];
  for (let n = 0; n < before.length; n++) {
    const [a, b] = [Number(before[n]), Number(after[n])];
    product += a * b;
    first += a * a;
    second += b * b;
  }
  const cosine = product / Math.sqrt(first * second);
  return Math.min(WIDEST, Math.acos(Math.max(-1, Math.min(1, cosine))));
}

/**
 * Where the particles are at a part of the way, `[num, 2]`, under the distribution there.
 * @param {Float64Array} before
 * @param {Float64Array} after
 * @param {number} angle Between the two.
 * @param {number} part From 0 to 1.
 * @param {Gaussian} gaussian
 */
export function between(before, after, angle, part, gaussian) {
  const isTurn = angle > 1e-3;
  const from = isTurn ? Math.sin((1 - part) * angle) / Math.sin(angle) : 1 - part;
  const to = isTurn ? Math.sin(part * angle) / Math.sin(angle) : part;
  const states = new Float64Array(before.length);
  for (let n = 0; n < before.length; n += 2) {
    const x = from * Number(before[n]) + to * Number(after[n]);
    const y = from * Number(before[n + 1]) + to * Number(after[n + 1]);
    states.set(colour(gaussian, [x, y]), n);
  }
  return states;
}

/** Steps of β too small to matter, and too large to be lost in rounding. */
const IDLE_STEP = 1e-13;

/**
 * A schedule to watch annealing by. The engine tells where chains are between two stages of so many steps each, so
 * neither before the first step nor after the last. This schedule has one more stage at either end, in which β all but
 * stands still: chains move there under the start or the target, and their weights stay.
 * @param {ArrayLike<number>} betas From 0 to 1.
 * @param {number} mostStages Stages between those two, at most.
 * @returns {{ betas: number[], numStages: number, shareAt: (step: number) => number }} `shareAt` tells how much of the
 *   schedule given is behind after so many steps of this one.
 */
export function stagedSchedule(betas, mostStages) {
  const count = betas.length - 1;
  const perStage = Math.ceil(count / mostStages);
  const numStages = Math.ceil(count / perStage) + 2;
  const numSteps = numStages * perStage;
  const staged = [0];
  for (let step = 1; step <= perStage; step++) staged.push(step * IDLE_STEP);
  for (let k = 1; k < count; k++) staged.push(Number(betas[k]));
  for (let left = numSteps - staged.length; left >= 0; left--) staged.push(1 - left * IDLE_STEP);
  return {
    betas: staged,
    numStages,
    shareAt: (step) => Math.max(0, Math.min(1, (step - perStage) / count)),
  };
}
