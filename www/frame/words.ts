/** Words of which each lab has one in its frame, so that they are translated with it. */

/** What the button of a lab says, and what it says when the run is done. */
export const VERBS = {
  Anneal: 'Anneal again',
  Compare: 'Compare again',
  Complete: 'Complete again',
  Estimate: 'Estimate again',
  Explain: 'Explain again',
  Find: 'Find again',
  Fit: 'Fit again',
  Learn: 'Learn again',
  Measure: 'Measure again',
  Race: 'Race again',
  Restore: 'Restore again',
  Run: 'Run again',
  Sample: 'Sample again',
  Search: 'Search again',
  Store: 'Store again',
} as const;

export type RunVerb = keyof typeof VERBS;

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
