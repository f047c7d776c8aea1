import type { Engine, ModelSpec } from 'unnorm';
import { densityOf, gridStates } from './density-grid.js';
import type { Window } from './plane-targets.js';

/** Cells on a side of the grid that a density is computed on. */
const GRID_SIZE = 160;

export type Density = NonNullable<ReturnType<typeof densityOf>>;

/** The density of a model on the plane inside a window; undefined where the energy has no lowest value there. */
export async function planeDensity(
  engine: Engine,
  model: ModelSpec,
  window: Window,
): Promise<Density | undefined> {
  const states = gridStates(window, GRID_SIZE);
  const { energies } = await engine.energies({ model, states });
  return densityOf(energies, window, GRID_SIZE);
}
