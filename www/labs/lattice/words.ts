import { count, real, signed, uncertain } from '../../lib/format.js';
import { t } from '../../lib/language.js';
import { type Check, ENOUGH, type Point } from './point.js';

/** The outcome of the self-check, in a sentence or two. */
export function verdictOf(point: Point, { exact, errors, verdict }: Check): string {
  const found = t('Measured {energyError}, exact for this torus {exact}', {
    energyError: uncertain(point.energy, point.energyError),
    exact: signed(exact, 6),
  });
  switch (verdict) {
    case 'agrees':
      return t('{found}: {errors} standard errors apart, as it should be.', {
        found,
        errors: real(Math.abs(errors), 2),
      });
    case 'differs':
      return t(
        '{found}: {errors} standard errors apart. The lattice has not settled yet, or changes too slowly for the error to show it: run longer, or use clusters.',
        { found, errors: real(Math.abs(errors), 2) },
      );
    case 'too early':
      return t(
        '{found}. The {numDraws} draws are worth fewer than {ENOUGH} independent ones, too few to trust their error: nothing can be said yet.',
        { found, numDraws: count(point.numDraws), ENOUGH },
      );
  }
}
