/** The lab Model contest, for its tests. */

import { press } from './site-under-test.mjs';

export const CONTEST = 'labs/model-contest/';
/** Sizes at which every job takes a blink. */
export const SMALL = '#test=12&patches=150&components=5&training=brief&annealing=brief&seed=1';

/** The lab, once patches are cut. */
export async function openContest(site, hash, options) {
  const opened = await site.page(CONTEST + hash, options);
  await opened.page.getByText('Ready to compare').waitFor();
  return opened;
}

/** From the beginning to the end; gives the digest. */
export async function compareAll(page) {
  await press(page, 'Compare');
  return outcome(page);
}

/** Waits for the end and gives the digest of all. */
export async function outcome(page) {
  // Up to seventy jobs.
  await page.locator('[data-status="done"]').waitFor({ timeout: 550_000 });
  const digest = page.locator('.note [data-digest]:not([data-digest=""])');
  await digest.waitFor();
  return digest.getAttribute('data-digest');
}
