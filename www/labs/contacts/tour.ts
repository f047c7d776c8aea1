import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Fit. Sequences are drawn from a chain that is folded, and a model of all pairs of sites learns from them.',
  },
  {
    at: '[aria-labelledby="map-title"]',
    say: 'Above the diagonal are the pairs that couplings tell, below it those of mutual information. Full squares are contacts, empty ones are missed.',
  },
  {
    at: 'settings',
    say: 'Make couplings stronger or sequences fewer, and fit again: which of the two suffers first?',
  },
];
