import { readNpy } from 'unnorm';
import { initialValues } from '../../lib/fields.js';
import type { FirstQuestion } from '../../lib/first-answers.js';
import { exactQuestion, exactValue } from './jobs.js';
import { MODELS } from './models.js';
import { fields } from './settings.js';

const settings = initialValues(fields);

/** log Z of the model that is there at first. */
export const firstQuestions: FirstQuestion[] = [
  {
    question: exactQuestion(settings),
    find: async (engine, { bytes }) => {
      const couplings = readNpy(await bytes('spin-glass-10x10.couplings.npy')).values;
      return exactValue(engine.exact({ model: MODELS[settings.model].spec(settings, couplings) }));
    },
  },
];
