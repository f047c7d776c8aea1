// @ts-check
/** Two paths from N(0, 1) to N(d, 1) with two schedules, and how far log weights fall short along them. */
import { intermediate, shortfall } from '../../../lib/gaussian-paths.js';
import { wayLength, wayPoint } from '../../../lib/half-plane.js';
import { linear } from '../../../lib/schedules.js';

/** @typedef {import('../../../lib/gaussian-paths.js').PathKind} PathKind */
/** @typedef {'even' | 'equalLengths'} Schedule */

/**
 * A Gaussian on the line as one on the plane: across it, nothing changes.
 * @param {number} mean
 * @returns {import('../../../lib/gaussian-paths.js').Gaussian}
 */
const onLine = (mean) => ({ mean: [mean, 0], covariance: [1, 0, 1] });

/**
 * β at every stop: evenly, or so that all steps are equally long by Fisher information.
 * @param {PathKind} path
 * @param {Schedule} schedule
 * @param {number} distance d
 * @param {number} numStops K
 */
export function betasOf(path, schedule, distance, numStops) {
  if (schedule === 'even') return linear(numStops);
  const length = wayLength(path, distance);
  return linear(numStops).map((share) =>
    share === 0 || share === 1
      ? share
      : wayPoint(path, distance, length * (share - 0.5))[0] / distance,
  );
}

/**
 * The mean and the standard deviation at every stop, and by how many nats log weights fall short on average, if every
 * stop is drawn afresh.
 * @param {PathKind} path
 * @param {Schedule} schedule
 * @param {number} distance
 * @param {number} numStops
 */
export function pathOf(path, schedule, distance, numStops) {
  const [start, target] = [onLine(0), onLine(distance)];
  const betas = betasOf(path, schedule, distance, numStops);
  const stops = betas.map((beta) => {
    const { mean, covariance } = intermediate(path, start, target, beta);
    return { mean: mean[0], sd: Math.sqrt(covariance[0]) };
  });
  return { stops, shortfall: shortfall(path, start, target, betas) };
}
