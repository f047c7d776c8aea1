import type { Language } from './language.js';

/** The labs whose own texts are translated, too; of the others, only what is around them is. */
export const WHOLE_LABS: Readonly<Record<Exclude<Language, 'en'>, readonly string[]>> = {
  de: ['annealing', 'flow', 'lattice', 'memory', 'mixing', 'natural-gradient'],
};
