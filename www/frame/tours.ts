import type { TourSteps } from './tour.js';

/** What starts a tour, loaded when one is asked for. */
export { default as Tour } from './Tour.svelte';
export { partOf } from './tour.js';

const tours = import.meta.glob<{ tour: TourSteps }>('../labs/*/tour.ts');

/** Loads the tour of a lab; nothing where it has none. */
export async function loadTour(slug: string): Promise<TourSteps | undefined> {
  return (await tours[`../labs/${slug}/tour.ts`]?.())?.tour;
}
