import { initialValues } from '../../lib/fields.js';
import type { FirstQuestion } from '../../lib/first-answers.js';
import { drawnTable, tableSpec } from './jobs.js';
import { fields } from './settings.js';

/** The table that is there at first. */
const question = tableSpec(initialValues(fields));

export const firstQuestions: FirstQuestion[] = [
  { question, find: (engine) => drawnTable(engine, question) },
];
