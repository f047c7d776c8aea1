/** The lab Model contest, for its tests. */

import { press, untilStatus } from './site-under-test.mjs';

export const CONTEST = 'labs/model-contest/';
/** Sizes at which every job takes a blink. */
export const SMALL = '#test=12&patches=300&components=6&training=brief&annealing=brief&seed=1';

/** The lab, once patches are cut. */
export async function openContest(site, hash, options) {
  const opened = await site.page(CONTEST + hash, options);
  opened.page.setDefaultTimeout(120_000);
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
  await untilStatus(page, 'done');
  const digest = page.locator('.note [data-digest]:not([data-digest=""])');
  await digest.waitFor();
  return digest.getAttribute('data-digest');
}
