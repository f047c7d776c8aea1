import type { ScoreField } from './score-field.svelte.js';

/** A learned score that is further off than this, relative to its size, has not been learned. */
const FAR = 0.75;

/** The self-check of what is on the page, in a word and in a sentence. */
export function checkOf(lab: ScoreField): { value: string; note: string } {
  const { compared } = lab;
  const about =
    'The exact density of the data is known, and with it the score that should have been learned.';
  if (!compared || !lab.isLearned) return { value: '–', note: about };
  const passed = compared.judged.relative < FAR;
  return {
    value: passed ? 'passed' : 'not learned',
    note: `${about} The relative error is ${passed ? 'below' : 'not below'} ${FAR}.`,
  };
}
