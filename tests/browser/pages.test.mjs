/**
 * Every page as it is opened, on a desk and on a phone, in both themes: no wider than its window, no longer than what it
 * shows, no code taller than a screen unless it was unfolded, and the pictures of a lab begin on the first screen. On a desk
 * nine tenths of the first are there, with the button that runs it.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { desk, drawn, isLab, LAB, openSite, sitePages } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const windows = [desk, { width: 390, height: 844 }];

/** Waits until a page has all it shows at first. */
async function settled(page, path) {
  await page.locator('footer').waitFor();
  if (isLab(path)) await page.locator('[data-action="primary"]:enabled').waitFor();
  if (path === '') await page.locator('.preview canvas').first().waitFor();
}

/** What is wrong with the page as it is now, in both themes, in words. */
function faultsOf(page) {
  return page.evaluate(() => {
    const root = document.documentElement;
    const placeOf = (element) => element.getBoundingClientRect();
    const says = ({ childNodes }) =>
      [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');

    function* faults() {
      const { body } = document;
      const sideways = body.scrollWidth - body.clientWidth;
      if (sideways > 0) yield `${sideways} px wider than the window`;

      const footer = placeOf(document.querySelector('footer'));
      const below = root.scrollHeight - (footer.bottom + scrollY);
      if (Math.abs(below) > 2) yield `${below} px below the footer`;
      // What is beside the text is no reason for the page to go on: only the list of all pages may follow it, on a phone.
      const parts = [...document.querySelectorAll('main *')];
      const ends = parts
        .filter((one) => !one.firstChild || says(one))
        .map((one) => placeOf(one).bottom);
      const list = document.querySelector('nav.pages');
      if (list && placeOf(list).top >= Math.max(...ends)) ends.push(placeOf(list).bottom);
      const gap = footer.top - Math.max(...ends);
      if (root.scrollHeight > innerHeight && gap > 112)
        yield `${gap} px of nothing above the footer`;

      for (const code of document.querySelectorAll('pre')) {
        const { height } = placeOf(code);
        if (height > innerHeight) yield `code of ${height} px: ${code.textContent.slice(0, 60)}`;
      }

      const pictures = document.querySelector('.stage .pictures');
      if (!pictures) return;
      const { top, bottom } = placeOf(pictures);
      const button = placeOf(document.querySelector('[data-action="primary"]'));
      if (button.bottom > innerHeight) yield 'the button is below the first screen';
      const seen = Math.min(innerHeight, bottom) - top;
      if (seen < 0.2 * innerHeight) yield `${seen} px of the pictures on the first screen`;
      // In the lab of ratings the first thing to see is a list of them.
      const first = pictures.querySelector('canvas, svg[role="img"]');
      const isList = location.pathname.endsWith('/topics-and-taste/');
      if (innerWidth < 1000 || isList || !first) return;
      const place = placeOf(first);
      const share = (innerHeight - place.top) / place.height;
      if (share < 0.9) yield `${share} of the first picture on the first screen`;
    }

    return ['light', 'dark'].flatMap((theme) => {
      root.dataset.theme = theme;
      return [...faults()].map((fault) => `${innerWidth} px, ${theme}: ${fault}`);
    });
  });
}

test('every page fits its window and its content, in both themes', async () => {
  // One profile: what all pages have is fetched once.
  const { page } = await site.page('');
  const faults = [];
  for (const path of sitePages()) {
    await page.goto(site.url + path);
    await settled(page, path);
    for (const viewport of windows) {
      await page.setViewportSize(viewport);
      await drawn(page);
      for (const fault of await faultsOf(page)) faults.push(`/${path}, ${fault}`);
    }
    // The next one is seen the other way round.
    windows.reverse();
  }
  assert.deepEqual(faults, []);
});

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
