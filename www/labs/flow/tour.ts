import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: '[data-tour="flow"]',
    say: 'Play it: probability that begins on the data flows to the model’s, along edges between states that differ in one bit.',
  },
  {
    at: 'run',
    say: 'Press Fit. It changes the couplings so that probability leaves the data as slowly as can be.',
  },
  {
    at: '[data-tour="flow"]',
    say: 'Play it again with the fitted model: less flows. Press a state to make it data, or not, and fit anew.',
  },
];
