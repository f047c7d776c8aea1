import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Estimate. Chains go from a simple distribution to the model, and others come back from it, with more and more distributions in between.',
  },
  {
    at: '[aria-labelledby="sandwich-title"]',
    say: 'Runs to the model err downward, runs from it upward. See them close on the exact log Z, the dashed line.',
  },
  {
    at: '[aria-label="The estimate"]',
    say: 'The estimate, its interval, bounds, and what the engine doubts about it. Choose a model of which nobody knows Z, and estimate again.',
  },
];
