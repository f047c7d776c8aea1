import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Race. Each estimator says how probable the same table is under a model, first in little time, then in more.',
  },
  {
    at: '[aria-labelledby="race-title"]',
    say: 'The grey band closes in on the truth from both sides. See who comes near to zero, and who stays off it however long it runs.',
  },
  {
    at: 'settings',
    say: 'Choose another model or other data here, and race again: who was near here may be far off there.',
  },
];
