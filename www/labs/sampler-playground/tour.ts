import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Run. Samplers draw from the same density, side by side.',
  },
  {
    at: '[aria-label="Playing"]',
    say: 'Slow it down, or go step by step: you see every proposal, and whether it is accepted.',
  },
  {
    at: 'settings',
    say: 'Choose another target or type a formula, and run again: see who gets around, and who stays where it is.',
  },
];
