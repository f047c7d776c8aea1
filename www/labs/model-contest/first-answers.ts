import { initialValues } from '../../lib/fields.js';
import type { FirstQuestion } from '../../lib/first-answers.js';
import { questionOfPatches } from '../../patches/first-question.js';
import { fields, ofThePatches } from './settings.js';
import { inLevels, testPatchesOf } from './test-patches.js';

/** The patches that are there at first. */
export const firstQuestions: FirstQuestion[] = [
  questionOfPatches(ofThePatches(initialValues(fields)), (prepared) =>
    inLevels(testPatchesOf(prepared)),
  ),
];
