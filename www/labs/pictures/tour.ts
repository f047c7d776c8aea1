import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: '[aria-labelledby="patches-title"]',
    say: 'Small patches are cut from photographs. Whitened, they are mostly edges: this is what the model sees.',
  },
  {
    at: 'run',
    say: 'Press Fit. The model learns filters for them, and begins with noise.',
  },
  {
    at: '[aria-labelledby="filters-title"]',
    say: 'Watch the filters turn from noise into edges and bars, each at a place and with a direction.',
  },
];
