import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Race. Several methods learn the same couplings from the same samples, each against its own clock.',
  },
  {
    at: '[aria-labelledby="course-title"]',
    say: 'See who comes lowest, and who is there first. Both axes are logarithmic, so the right half takes nearly all of the time.',
  },
  {
    at: 'settings',
    say: 'Choose who takes part, or take fewer rows, and race again. Is the same one ahead?',
  },
];
