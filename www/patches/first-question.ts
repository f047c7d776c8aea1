import type { FirstQuestion } from '../lib/first-answers.js';
import { keyOfPatches, type PatchChoice } from './choice.js';
import type { Prepared } from './patches.js';
import { prepare } from './prepare.js';

/** What a lab shows at first of these patches. */
export function questionOfPatches(
  choice: PatchChoice,
  shown: (prepared: Prepared) => unknown,
): FirstQuestion {
  return {
    question: keyOfPatches(choice),
    find: async (engine, { photograph }) => {
      const pictures = await Promise.all(choice.photographs.map(photograph));
      return shown(await prepare(engine, choice, pictures, new AbortController().signal));
    },
  };
}
