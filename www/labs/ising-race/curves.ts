import type { Series } from '../../pictures/chart.js';
import { METHODS } from './methods.js';

/** Every method's values as a curve that looks like the method: one value for each place on the axis they share. */
export function curvesOf(values: readonly (readonly (number | null)[])[]): Series[] {
  return METHODS.map(
    ({ short, colour, dash, width, id }, n): Series => ({
      name: short,
      colour,
      width,
      values: values[n] ?? [],
      // TAP is solved at once.
      disc: id === 'tap' ? 'first' : 'last',
      ...(dash && { dash }),
    }),
  );
}
