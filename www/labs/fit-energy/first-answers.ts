import { initialValues } from '../../lib/fields.js';
import type { FirstQuestion } from '../../lib/first-answers.js';
import { asPlaces } from '../../lib/levels.js';
import { asNumbers, drawn, drawSpec } from './data.js';
import { exampleOf } from './examples.js';
import { fields } from './settings.js';

const { data, rows, seed } = initialValues(fields);
const example = exampleOf(data);

/** The rows that are there at first. */
export const firstQuestions: FirstQuestion[] = example
  ? [
      {
        question: drawSpec(example, rows, seed),
        find: async (engine) => asPlaces(asNumbers(await drawn(engine, example, rows, seed))),
      },
    ]
  : [];
