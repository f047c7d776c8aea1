import { initialValues } from '../../lib/fields.js';
import type { FirstQuestion } from '../../lib/first-answers.js';
import { asPlaces } from '../../lib/levels.js';
import { dataSpec, drawData } from './jobs.js';
import { fields, setsOf } from './settings.js';

const settings = initialValues(fields);

/** The rows of the data sets that are there at first. */
export const firstQuestions: FirstQuestion[] = setsOf(settings).flatMap((set) => {
  const question = dataSpec(settings, set);
  return question
    ? [{ question, find: async (engine) => asPlaces(await drawData(engine, question)) }]
    : [];
});
