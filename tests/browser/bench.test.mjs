/** The bench that visitors run on their own machine, on the built site. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { openSite } from './site-under-test.mjs';

const { small } = JSON.parse(
  readFileSync(new URL('../../www/bench/reference.json', import.meta.url)),
);

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const state = (page) => page.locator('[data-bench]').getAttribute('data-bench');

async function until(page, wanted) {
  await page.waitForSelector(`[data-bench="${wanted}"]`);
}

test('measures on one worker and on two, and finds the known bits', async () => {
  const { page, problems } = await site.page('docs/benchmarks/#size=small&workers=2');
  await page.getByRole('button', { name: 'Measure' }).click();
  await until(page, 'done');
  const rows = await page
    .locator('[data-work]')
    .evaluateAll((all) =>
      all.map((row) => [
        row.dataset.work,
        Number(row.querySelector('[data-median]').dataset.median),
        row.querySelector('[data-digest]')?.dataset.digest,
        row.lastElementChild.textContent,
        row.children[2].textContent,
      ]),
    );
  assert.ok(rows.length >= 13, `${rows.length} rows`);
  let numShared = 0;
  for (const [id, median, digest, bits, faster] of rows) {
    assert.ok(median > 0, id);
    assert.equal(digest, small[id].digest, id);
    assert.equal(bits, 'the same', id);
    if (faster.endsWith('×')) numShared++;
  }
  assert.ok(numShared >= 6, `${numShared} on two workers`);
  const words = await page.locator('.bench .say').textContent();
  assert.match(words, /^Done: every result is the known one/);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download JSON' }).click(),
  ]);
  const report = JSON.parse(readFileSync(await saved.path(), 'utf8'));
  assert.equal(report.rows.length, rows.length);
  assert.deepEqual(report.settings, { size: 'small', workers: 2 });
  assert.deepEqual(problems, []);
});

test('stops at once, keeps what it has, and starts again', async () => {
  const { page, problems } = await site.page('docs/benchmarks/#size=full&workers=1');
  await page.getByRole('button', { name: 'Measure' }).click();
  await page.waitForSelector('[data-work="dense"] [data-median]');
  await page.getByRole('button', { name: 'Pause' }).click();
  assert.equal(await state(page), 'paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  assert.equal(await state(page), 'stopped');
  assert.ok((await page.locator('[data-work="dense"] [data-median]').count()) === 1);
  await page.getByRole('button', { name: 'Measure' }).click();
  await until(page, 'running');
  await page.getByRole('button', { name: 'Stop' }).click();
  assert.deepEqual(problems, []);
});

test('what in the link makes no sense is said, and headings are no settings', async () => {
  const { page } = await site.page('docs/benchmarks/#size=huge&workers=2');
  assert.match(await page.locator('.bench .notice').textContent(), /“huge” as size/);
  const { page: other } = await site.page('docs/benchmarks/#on-ours');
  await other.waitForSelector('.bench');
  assert.equal(await other.locator('.bench .notice').count(), 0);
  assert.ok(other.url().endsWith('#on-ours'));
});
