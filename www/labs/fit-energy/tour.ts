import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'settings',
    say: 'Take one of the data sets, or type an energy of your own: every name in it that is not a variable of the data is a parameter.',
  },
  {
    at: 'run',
    say: 'Press Fit. Every parameter is estimated with its error; then the same is done with many other data sets.',
  },
  {
    at: '[aria-labelledby="fit-title"]',
    say: 'See the fitted density over the data, and the estimate of each parameter with its interval. The dashed line is the truth, if it is known.',
  },
];
