import { initialValues } from '../../lib/fields.js';
import type { FirstQuestion } from '../../lib/first-answers.js';
import { planeDensity } from '../../lib/plane-density.js';
import { densityQuestion, keptDensity } from './kept-density.js';
import { fields } from './settings.js';
import { TARGETS } from './targets.js';

const { target, shape } = initialValues(fields);

/** The density that is there at first. */
export const firstQuestions: FirstQuestion[] =
  target === 'formula'
    ? []
    : [densityOf(TARGETS[target].model(shape), TARGETS[target].window(shape))];

function densityOf(...[model, window]: Parameters<typeof densityQuestion>): FirstQuestion {
  return {
    question: densityQuestion(model, window),
    find: async (engine) => {
      const density = await planeDensity(engine, model, window);
      return density && keptDensity(density);
    },
  };
}
