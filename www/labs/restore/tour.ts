import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: '[aria-label="The noisy picture and its restorations"]',
    say: '“Seen” is the picture with some of its pixels flipped. Hide a part of it with the pointer, too, if you like.',
  },
  {
    at: 'run',
    say: 'Press Restore. Several answers are computed from the same energy, which says that neighbours rather agree. The minimum cut is exact.',
  },
  {
    at: 'settings',
    say: 'Turn up the noise, or move the coupling β: too little leaves specks, too much rubs out what is thin.',
  },
];
