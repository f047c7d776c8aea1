/** Why an engine of the core has no threads. */
export const NO_THREADS =
  "the core has no threads; import createEngine from 'unnorm', not 'unnorm/core'";
