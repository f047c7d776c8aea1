// @ts-check
/**
 * Hamiltonian dynamics in the plane, by leapfrog steps, and the two chains that the course compares: Metropolis's
 * random walk, and trajectories with a new momentum each.
 *
 * H(x, v) = E(x) + ½|v|²; a step of the size ε is v ← v − ½ε∇E(x), x ← x + εv, v ← v − ½ε∇E(x).
 *
 * Plain JavaScript: figures need it at every move of a slider, and Node tests it as it is.
 */
import { uniforms } from './random-bits.js';
import { normals } from './random-models.js';

/** @typedef {readonly [number, number]} Point */

/**
 * An energy on the plane, in nats, and its gradient.
 * @typedef {{ energy: (x: Point) => number, gradient: (x: Point) => Point }} PlaneEnergy
 */

/**
 * A place and a momentum.
 * @typedef {{ x: Point, v: Point }} PhasePoint
 */

/**
 * The Gaussian of mean 0 and variances 1.
 * @param {number} correlation
 * @returns {PlaneEnergy}
 */
export function ridge(correlation) {
  const scale = 1 / (1 - correlation * correlation);
  const gradient = (/** @type {Point} */ [x, y]) =>
    /** @type {Point} */ ([scale * (x - correlation * y), scale * (y - correlation * x)]);
  return {
    energy: ([x, y]) => {
      const [across, up] = gradient([x, y]);
      return 0.5 * (x * across + y * up);
    },
    gradient,
  };
}

/**
 * Sohl-Dickstein's ring (2012, eq. 6.12), E = sharpness · log²|x|.
 * @param {number} sharpness
 * @returns {PlaneEnergy}
 */
export function ring(sharpness) {
  return {
    energy: ([x, y]) => sharpness * Math.log(Math.hypot(x, y)) ** 2,
    gradient: ([x, y]) => {
      const square = x * x + y * y;
      const factor = (sharpness * Math.log(square)) / square;
      return [factor * x, factor * y];
    },
  };
}

/**
 * Rosenbrock's bent valley, E = ½x² + b(y − x²)².
 * @param {number} b
 * @returns {PlaneEnergy}
 */
export function banana(b) {
  return {
    energy: ([x, y]) => 0.5 * x * x + b * (y - x * x) ** 2,
    gradient: ([x, y]) => [x - 4 * b * x * (y - x * x), 2 * b * (y - x * x)],
  };
}

/**
 * @param {PlaneEnergy} model
 * @param {PhasePoint} state
 */
export function hamiltonian({ energy }, { x, v }) {
  return energy(x) + 0.5 * (v[0] * v[0] + v[1] * v[1]);
}

/**
 * The same place with the opposite momentum.
 * @param {PhasePoint} state
 * @returns {PhasePoint}
 */
export function turned({ x, v }) {
  return { x, v: [-v[0], -v[1]] };
}

/**
 * The points of a trajectory, one more than there are steps.
 * @param {PlaneEnergy} model
 * @param {PhasePoint} start
 * @param {number} stepSize
 * @param {number} numSteps
 * @returns {PhasePoint[]}
 */
export function trajectory({ gradient }, start, stepSize, numSteps) {
  const half = 0.5 * stepSize;
  let [x, y] = start.x;
  let [across, up] = start.v;
  let [slope, rise] = gradient(start.x);
  const points = [start];
  for (let n = 0; n < numSteps; n++) {
    across -= half * slope;
    up -= half * rise;
    x += stepSize * across;
    y += stepSize * up;
    [slope, rise] = gradient([x, y]);
    across -= half * slope;
    up -= half * rise;
    points.push({ x: [x, y], v: [across, up] });
  }
  return points;
}

/**
 * The probability that Metropolis's rule accepts an energy that differs by so many nats; 0 where it is no number.
 * @param {number} energyError
 */
export function acceptance(energyError) {
  return Number.isNaN(energyError) ? 0 : Math.min(1, Math.exp(-energyError));
}

/**
 * One proposal of a chain: the places it comes by, the first the state before it, and whether its last is accepted.
 * @typedef {{ points: Point[], isAccepted: boolean }} Proposal
 */

/**
 * Metropolis's random walk with normal steps.
 * @param {PlaneEnergy} model
 * @param {Point} start
 * @param {{ stepSize: number, numProposals: number, seed: number }} settings
 * @returns {Proposal[]}
 */
export function randomWalk({ energy }, start, { stepSize, numProposals, seed }) {
  const normal = normals(seed);
  const uniform = uniforms(seed, 7);
  let x = start;
  return Array.from({ length: numProposals }, () => {
    /** @type {Point} */
    const proposed = [x[0] + stepSize * normal(), x[1] + stepSize * normal()];
    const isAccepted = uniform() < acceptance(energy(proposed) - energy(x));
    const points = [x, proposed];
    if (isAccepted) x = proposed;
    return { points, isAccepted };
  });
}

/**
 * Hamiltonian Monte Carlo with a new momentum for every trajectory.
 * @param {PlaneEnergy} model
 * @param {Point} start
 * @param {{ stepSize: number, numLeapfrogSteps: number, numProposals: number, seed: number }} settings
 * @returns {Proposal[]}
 */
export function glides(model, start, { stepSize, numLeapfrogSteps, numProposals, seed }) {
  const normal = normals(seed);
  const uniform = uniforms(seed, 7);
  let x = start;
  return Array.from({ length: numProposals }, () => {
    /** @type {PhasePoint} */
    const from = { x, v: [normal(), normal()] };
    const way = trajectory(model, from, stepSize, numLeapfrogSteps);
    const end = /** @type {PhasePoint} */ (way[numLeapfrogSteps]);
    const isAccepted = uniform() < acceptance(hamiltonian(model, end) - hamiltonian(model, from));
    if (isAccepted) x = end.x;
    return { points: way.map((point) => point.x), isAccepted };
  });
}

/**
 * The state of a chain after a proposal.
 * @param {Proposal} proposal
 * @returns {Point}
 */
export function stateAfter({ points, isAccepted }) {
  return /** @type {Point} */ (isAccepted ? points.at(-1) : points[0]);
}
