/** What has its place on a page: folded code, the list of all pages, long numbers. `accessibility.test.mjs` opens every page. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { desk, isLab, LAB, openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

/** Waits until a page has all it shows at first. */
async function settled(page, path) {
  await page.locator('footer').waitFor();
  if (isLab(path)) await page.locator('[data-action="primary"]:enabled').waitFor();
}

test('code longer than a screen is folded, is copied whole, and unfolds from the keyboard', async () => {
  for (const path of ['labs/model-contest/', 'docs/guides/install/']) {
    const { page, context } = await site.page(path);
    await settled(page, path);
    const figure = page.locator('figure', { has: page.locator('.unfold') }).first();
    const code = figure.locator('pre');
    const heightOf = async () => (await code.boundingBox()).height;
    const whole = await code.textContent();
    const summary = figure.locator('summary');
    const numLines = whole.trimEnd().split('\n').length;
    assert.ok(await summary.getByText(`Show all ${numLines} lines`).isVisible());

    await figure.hover();
    await figure.getByRole('button', { name: /^Copy/ }).click();
    await figure.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), whole);

    const folded = await heightOf();
    assert.ok(folded < desk.height / 2, `${path}: ${folded} px folded`);
    await summary.focus();
    await page.keyboard.press('Enter');
    await figure.locator('.unfold[open]').waitFor();
    assert.ok((await heightOf()) > 1.5 * folded, `${path}: it does not unfold`);
    assert.ok(await summary.getByText('Show only the beginning').isVisible());
    await page.keyboard.press('Enter');
    await figure.locator('.unfold:not([open])').waitFor();
    assert.equal(await heightOf(), folded);
    await context.close();
  }
});

test('code that fits a screen is not folded', async () => {
  const { page } = await site.page(LAB);
  await settled(page, LAB);
  await page.getByRole('region', { name: 'Code for these settings' }).waitFor();
  assert.equal(await page.locator('.unfold').count(), 0);
});

test('beside the text, the list of all pages shows the one that is open', async () => {
  const { page } = await site.page('docs/benchmarks/');
  await settled(page, 'docs/benchmarks/');
  const list = page.locator('nav.pages');
  const [outer, inner] = [
    await list.boundingBox(),
    await list.locator('[aria-current]').boundingBox(),
  ];
  assert.ok(outer.y + outer.height <= desk.height, `the list ends at ${outer.y + outer.height} px`);
  assert.ok(inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height);
});

test('on a desk the numbers of a long contest have room beside one another', async () => {
  const { page } = await site.page('labs/model-contest/');
  await settled(page, 'labs/model-contest/');
  const [needed, room] = await page.evaluate(() => {
    const table = document.querySelector('table:has([data-method])');
    const longest = [
      '10–11',
      '−20.7296 ± 0.0078 annealed',
      '± 5.63',
      '−10.30 ± 1.52',
      '128',
      '25 min',
      '12 min',
    ];
    for (const row of table.querySelectorAll('[data-method]')) {
      const cells = [...row.querySelectorAll('td')];
      for (const [n, text] of [...longest, 'annealing', '0123456789ab…'].entries()) {
        cells[n].textContent = text;
      }
    }
    return [table.scrollWidth, table.parentElement.clientWidth];
  });
  assert.ok(needed <= room, `${needed} px in ${room} px`);
});
