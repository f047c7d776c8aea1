import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Run. Two descents leave the same point of a long, narrow valley: the steepest, and the natural one.',
  },
  {
    at: '[aria-labelledby="paths-title"]',
    say: 'Drag the start somewhere else and run again. The natural gradient goes straight to the truth; the steepest first goes across the valley.',
  },
  {
    at: '[aria-labelledby="slopes-title"]',
    say: 'The reason: over θ arrows point across the valley. Over φ, where equal lengths change the model equally, they point at the truth.',
  },
];
