import { loadMessages } from '../lib/messages.js';
import type { TourSteps } from './tour.js';

/** What starts a tour, loaded when one is asked for. */
export { default as Tour } from './Tour.svelte';
export { partOf } from './tour.js';

const tours = import.meta.glob<{ tour: TourSteps }>('../labs/*/tour.ts');

/** Loads the tour of a lab. */
export async function loadTour(slug: string): Promise<TourSteps> {
  const load = tours[`../labs/${slug}/tour.ts`];
  if (!load) throw new Error(`The lab ${slug} has no tour.`);
  const [{ tour }] = await Promise.all([load(), loadMessages('tours')]);
  return tour;
}
