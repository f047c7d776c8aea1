// @ts-check
/** One trajectory on the plane: what its energy does on the way, and whether it finds its way back. */
import {
  acceptance,
  banana,
  hamiltonian,
  ridge,
  ring,
  trajectory,
  turned,
} from '../../../lib/leapfrog.js';

/** @typedef {import('../../../lib/leapfrog.js').PhasePoint} PhasePoint */
/** @typedef {import('../../../lib/leapfrog.js').PlaneEnergy} PlaneEnergy */

/** Valleys to roll in, with a place and a momentum to begin with. `shape` is the parameter of `PLANE_TARGETS`. */
export const VALLEYS = {
  gaussian: {
    name: 'Ridge',
    shape: 0.9,
    model: ridge(0.9),
    start: /** @type {PhasePoint} */ ({ x: [-1.6, -1.2], v: [0.9, 1.6] }),
  },
  ring: {
    name: 'Ring',
    shape: 30,
    model: ring(30),
    start: /** @type {PhasePoint} */ ({ x: [-1, 0], v: [0.25, 1] }),
  },
  banana: {
    name: 'Banana',
    shape: 1,
    model: banana(1),
    start: /** @type {PhasePoint} */ ({ x: [-2, 4], v: [1.4, -0.8] }),
  },
};

/**
 * The trajectory from a start, and back from its end with the momentum turned round.
 * @param {PlaneEnergy} model
 * @param {PhasePoint} start
 * @param {number} stepSize
 * @param {number} numSteps
 */
export function orbitOf(model, start, stepSize, numSteps) {
  const there = trajectory(model, start, stepSize, numSteps);
  const end = /** @type {PhasePoint} */ (there.at(-1));
  const back = trajectory(model, turned(end), stepSize, numSteps);
  const home = /** @type {PhasePoint} */ (back.at(-1));
  const first = hamiltonian(model, start);
  /** H less that of the start, after every step. */
  const errors = there.map((point) => hamiltonian(model, point) - first);
  const energyError = Number(errors.at(-1));
  return {
    there,
    back,
    errors,
    energyError,
    acceptance: acceptance(energyError),
    /** How far from the start the way back ends. */
    missed: Math.hypot(home.x[0] - start.x[0], home.x[1] - start.x[1]),
  };
}
