import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Fit. A restricted Boltzmann machine learns handwritten digits without being told which is which.',
  },
  {
    at: '[aria-labelledby="filters-title"]',
    say: 'Each square is what one hidden unit looks for. While it learns, noise turns into strokes of a pen.',
  },
  {
    at: '[aria-labelledby="samples-title"]',
    say: 'These digits are drawn by the machine itself, and get better as it learns. When it is done, go back to any moment with the bar below.',
  },
];
