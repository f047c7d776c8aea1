/** What the tests of the lab Mixing share. */

import assert from 'node:assert/strict';
import { press, untilStatus } from './site-under-test.mjs';

const LAB = 'labs/mixing/';

/** Where motion is not wanted, a chain that is computed is not played. */
export async function openMixing(site, hash = '', options = {}) {
  const opened = await site.page(LAB + hash, { reducedMotion: 'reduce', ...options });
  await opened.page.getByText('Ready: press Run').waitFor();
  return opened;
}

export async function openAndRun(site, hash, options) {
  const opened = await openMixing(site, hash, options);
  await press(opened.page, 'Run');
  await untilStatus(opened.page, 'done');
  return opened;
}

/** The numbers of the table of states, by their names: now and in the end. */
export async function statesOf(page) {
  const rows = await page
    .locator('[data-state-row]')
    .evaluateAll((all) =>
      all.map((row) => [
        row.dataset.stateRow,
        ...[...row.cells].slice(1).map((c) => c.textContent),
      ]),
    );
  return new Map(rows.map(([name, now, end, set]) => [name, { now: +now, end: +end, set }]));
}

export function near(value, expected, places, message) {
  assert.equal(Number(value).toPrecision(places), expected.toPrecision(places), message);
}

export async function goTo(page, t) {
  const slider = page.getByRole('slider', { name: 'Moment shown' });
  const step = Number(await slider.getAttribute('step'));
  await slider.fill(String(t * step));
  await page.locator(`[data-t="${t}"]`).waitFor();
}

export function flag(page, name) {
  return page.locator(`[data-flag="${name}"]`).getAttribute('data-holds');
}

export function cell(page, from, to) {
  return page.getByLabel(`From ${from} to ${to}`, { exact: true });
}

export async function type(page, from, to, text) {
  await cell(page, from, to).fill(text);
  await cell(page, from, to).press('Enter');
}
