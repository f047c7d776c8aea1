import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Search. Products of simple matrices are tried, and scored by rows and columns that they have not seen.',
  },
  {
    at: '[aria-labelledby="search-title"]',
    say: 'Sorted by what was found, the table shows it: blocks, stripes, or nothing. The tree says what else was tried.',
  },
  {
    at: 'settings',
    say: 'Turn up the noise, and search again: the answer becomes simpler, as less can be told.',
  },
];
