/** Words of which each lab has one in its frame, so that they are translated with it. */

/** What the button of a lab says; when the run is done, with “again” behind it. */
export const VERBS = [
  'Anneal',
  'Compare',
  'Complete',
  'Estimate',
  'Explain',
  'Find',
  'Fit',
  'Learn',
  'Measure',
  'Race',
  'Restore',
  'Run',
  'Sample',
  'Search',
  'Store',
] as const;

export type RunVerb = (typeof VERBS)[number];

/** What the clock of a run counts. */
export const COUNTS = [
  'draws',
  'edges',
  'epochs',
  'evaluations',
  'finished',
  'fits',
  'jobs',
  'K',
  'kernels',
  'levels',
  'networks',
  'runs',
  'states',
  'steps',
  'stored',
  'structures',
  'sweeps',
  'timings',
  'updates',
  'β',
] as const;

/** What is the same however many workers there are. */
export const SAME = [
  'The couplings are',
  'The estimates are',
  'The fit is',
  'The kernel is',
  'The model is',
  'The numbers are',
  'The result is',
  'The structure is',
] as const;
