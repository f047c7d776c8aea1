import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'settings',
    say: 'Choose a shape, or “Drawn by hand” and draw points over the square. A network learns their energy.',
  },
  {
    at: 'run',
    say: 'Press Learn. The network learns where the energy falls, at one level of noise after another, and never needs Z.',
  },
  {
    at: '[aria-labelledby="learned-title"]',
    say: 'Arrows turn to where the data are. When it is done, particles flow along them from much noise to little, and end where the data lie.',
  },
];
