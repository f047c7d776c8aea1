import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Sample. The spins are drawn again and again, each by its neighbours, at the temperature that is set.',
  },
  {
    at: '[data-tour="lattice"]',
    say: 'Drag the temperature, while it runs too. Below the critical one, Tc, islands grow until one colour wins; above, neither does.',
  },
  {
    at: '[aria-labelledby="curves-title"]',
    say: 'Press “Sweep up the temperatures” above, and see measured points fall on the exact curves. Then do it with another sampler.',
  },
];
