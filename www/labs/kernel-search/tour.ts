import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Search. Kernels are put together step by step, and of each level the best is kept.',
  },
  {
    at: '[aria-labelledby="continued-title"]',
    say: 'At every level the series is continued anew. The last third was hidden from the search: see whether it falls in the band.',
  },
  {
    at: '[aria-labelledby="components-title"]',
    say: 'When it is done, the series comes apart here: trend, seasons and the rest, each with its band.',
  },
];
