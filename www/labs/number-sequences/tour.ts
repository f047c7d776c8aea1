import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'settings',
    say: 'Choose a sequence, or type a few numbers of your own.',
  },
  {
    at: 'run',
    say: 'Press Explain. Numbers are explained by simpler ones, step by step: as their running totals, squares or primes, and more.',
  },
  {
    at: '[aria-label="The explanation"]',
    say: 'Each line explains what the one before left, and the bits that remain say whether it was worth it. “Next” is how the rule goes on.',
  },
];
