import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Store. The pictures become minima of the energy of a network.',
  },
  {
    at: '[aria-labelledby="recall-title"]',
    say: 'Press Spoil, and then Recall: the network goes down its energy, bit by bit, and the picture comes back, or another one.',
  },
  {
    at: '[aria-labelledby="store-title"]',
    say: 'Choose another picture, spoil more of it, or store more pictures: beyond some number they no longer come back.',
  },
];
