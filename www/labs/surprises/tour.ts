import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: '[aria-labelledby="bumps-title"]',
    say: 'Move β along the bar: on the way one of two explanations, z = 1, dies out. At the end it ought to be nearly certain.',
  },
  {
    at: 'run',
    say: 'Press Anneal. Chains go that way, and hardly any comes to the explanation that is right.',
  },
  {
    at: '[aria-labelledby="runs-title"]',
    say: 'The estimate is calm, and far from the truth, the dashed line. Choose the other reference in the settings, and anneal again.',
  },
];
