import { digitsOf, firstOfEachKind } from '../../lib/digits.js';
import type { FirstQuestion } from '../../lib/first-answers.js';

/** The digits that are there at first. */
export const question = 'The first held-out digit of each kind';

export const firstQuestions: FirstQuestion[] = [
  {
    question,
    find: async (_, { bytes }) => {
      const [bits, labels] = await Promise.all([
        bytes('mnist-binary-9000.bits'),
        bytes('mnist-binary-9000.labels'),
      ]);
      return firstOfEachKind(digitsOf(bits, labels));
    },
  },
];
