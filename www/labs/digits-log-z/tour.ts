import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Anneal. A small machine learns digits first; then chains are annealed to it along two paths, there and back.',
  },
  {
    at: '[aria-labelledby="strips-title"]',
    say: 'Each line is one chain, from left to right: noise turns into digits. Compare where on the way that happens along either path.',
  },
  {
    at: '[aria-labelledby="runs-title"]',
    say: 'Every run leaves its estimate here, against the exact log Z. Change the number of distributions in the settings, and anneal again.',
  },
];
