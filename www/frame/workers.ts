/** The most workers a lab offers: as many as there are processors, within reason. */
export const MAX_WORKERS = Math.max(1, Math.min(16, navigator.hardwareConcurrency || 1));

/** How many it takes unless it is told otherwise. */
export const USUAL_WORKERS = Math.min(8, MAX_WORKERS);
