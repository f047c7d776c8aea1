import { count, real, signed, uncertain } from '../../lib/format.js';
import { type Check, ENOUGH, type Point } from './point.js';

/** The outcome of the self-check, in a sentence or two. */
export function verdictOf(point: Point, { exact, errors, verdict }: Check): string {
  const found = `Measured ${uncertain(point.energy, point.energyError)}, exact for this torus ${signed(exact, 6)}`;
  switch (verdict) {
    case 'agrees':
      return `${found}: ${real(Math.abs(errors), 2)} standard errors apart, as it should be.`;
    case 'differs':
      return `${found}: ${real(Math.abs(errors), 2)} standard errors apart. The lattice has not settled yet, or changes too slowly for the error to show it: run longer, or use clusters.`;
    case 'too early':
      return `${found}. The ${count(point.numDraws)} draws are worth fewer than ${ENOUGH} independent ones, too few to trust their error: nothing can be said yet.`;
  }
}
