/** The lab Pictures, for its tests. */

import { fit, numberOf } from './site-under-test.mjs';

export const PICTURES = 'labs/pictures/';
/** A fit that takes a second or so. */
export const SMALL = '#side=8&components=16&patches=600&iterations=25&seed=1';

/** The lab, once patches are cut. */
export async function openLab(site, hash, options) {
  const opened = await site.page(PICTURES + hash, options);
  await opened.page.getByText('Ready to fit').waitFor();
  return opened;
}

/** Fits, waits for what comes after, and gives the digest. */
export async function fitAndJudge(page) {
  const digest = await fit(page);
  await page.locator('[data-samples="final"]').waitFor({ timeout: 120_000 });
  return digest;
}

/** A number of the table that may have a minus sign, without its error. */
export async function signedAmountOf(page, name) {
  const text = (await numberOf(page, name)).split('±')[0];
  return Number(text.replace('−', '-').replaceAll(',', ''));
}
