import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Run. The chain is analysed exactly: its stationary distribution π, its gap and its bottleneck.',
  },
  {
    at: '[data-tour="chain"]',
    say: 'Play it: the distribution begins in one state and becomes π. The chart shows how far off it still is. Press another state to begin there.',
  },
  {
    at: 'settings',
    say: 'Choose another chain. Some mix fast, some slowly, and some never: press Run, and see which, and why.',
  },
];
