import type { ModelSpec } from 'unnorm';
import { asColours, type Levels, valuesOf } from '../../lib/levels.js';
import type { Density } from '../../lib/plane-density.js';
import type { Window } from '../../lib/plane-targets.js';

/** A density whose picture is kept in levels: of its square root, as it is painted. All other numbers are exact. */
export type KeptDensity = Omit<Density, 'relative'> & { roots: Levels };

/** What a density depends on. */
export function densityQuestion(model: ModelSpec, window: Window) {
  return { model, window };
}

export function keptDensity({ relative, ...rest }: Density): KeptDensity {
  return { ...rest, roots: asColours(relative.map(Math.sqrt), 0, 1) };
}

export function densityFrom({ roots, ...rest }: KeptDensity): Density {
  return { ...rest, relative: Float32Array.from(valuesOf(roots), (root) => root * root) };
}
