// @ts-check
/** The density of an energy that is a plain function, as the ground of a picture. */
import { densityOf, gridStates } from './density-grid.js';

/** Cells on a side of the grid. */
const GRID_SIZE = 160;

/**
 * The density inside a window; undefined where the energy has no lowest value there.
 * @param {import('./leapfrog.js').PlaneEnergy} model
 * @param {import('./density-grid.js').Window} window
 */
export function groundOf({ energy }, window) {
  const states = gridStates(window, GRID_SIZE);
  const energies = Float64Array.from({ length: GRID_SIZE * GRID_SIZE }, (_, cell) =>
    energy([Number(states[2 * cell]), Number(states[2 * cell + 1])]),
  );
  return densityOf(energies, window, GRID_SIZE);
}
