import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'settings',
    say: 'Choose who takes part. Small patches of photographs are all that the models see.',
  },
  {
    at: 'run',
    say: 'Press Compare. All learn the same patches; then annealing finds how probable each finds patches that it has not seen.',
  },
  {
    at: '[aria-labelledby="likelihoods-title"]',
    say: 'The further right, the more probable a model finds them. Thick intervals shrink as annealing goes on. The ranking below says who is ahead, and who only seems to be.',
  },
];
