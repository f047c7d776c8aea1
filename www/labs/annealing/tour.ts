import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Anneal. Particles are annealed from the start to the target along two paths, with more and more distributions in between.',
  },
  {
    at: '[aria-labelledby="paths-title"]',
    say: 'Drag a disc or a square to move or stretch a Gaussian, and anneal again. Then play how the distribution goes, along either path.',
  },
  {
    at: '[aria-labelledby="estimates-title"]',
    say: 'See both estimates of log Z come nearer to the truth as the number of distributions grows. Which path needs fewer?',
  },
];
