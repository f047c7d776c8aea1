import type { TourSteps } from '../../frame/tour.js';

export const tour: TourSteps = [
  {
    at: 'run',
    say: 'Press Find. Each column of the table is predicted from all others, with a penalty on every edge.',
  },
  {
    at: '[aria-label="The network"]',
    say: 'Edges join columns that depend on each other given all others. Move the penalty: the larger, the fewer edges. Drag a node to move it.',
  },
  {
    at: 'settings',
    say: 'Draw far fewer rows, and find again: how many edges of the true network are missed now? Or drop a table of your own.',
  },
];
