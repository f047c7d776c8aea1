import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: '[aria-labelledby="ratings-title"]',
    say: 'Rate some films that nobody has made, from 1 to 5, or leave the ratings that are there.',
  },
  {
    at: 'run',
    say: 'Press Fit. A machine learns from the ratings of made-up people what goes with what.',
  },
  {
    at: '[aria-labelledby="predictions-title"]',
    say: 'This is what you would give to the other films. Change a rating, and see these change. Ticks are the exact answer.',
  },
];
