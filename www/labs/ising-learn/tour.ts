import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Fit. The couplings of a spin glass are learned from its samples alone, and Z is never computed.',
  },
  {
    at: '[aria-labelledby="matrices-title"]',
    say: 'Compare the learned matrix with the true one. Only neighbours on the grid are coupled, and those bands emerge out of noise.',
  },
  {
    at: 'settings',
    say: 'Take fewer rows here, and press Fit again: the bands are still found, and more noise is left around them.',
  },
];
