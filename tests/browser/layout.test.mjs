import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { drawn, fit, LAB, openSite, press, SMALL, untilStatus } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true };

/** Elements that stick out of the window, outside of what scrolls by itself. */
function sticksOut(page) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => `${element.tagName}.${element.className}`);
  });
}

test('nothing is wider than a phone, before, during and after a fit', async () => {
  const { page: landing } = await site.page('', phone);
  await landing.locator('.group').last().scrollIntoViewIfNeeded();
  await landing.locator('.preview canvas').first().waitFor();
  assert.deepEqual(await sticksOut(landing), []);
  const { page } = await site.page(LAB + SMALL, phone);
  await page.getByText('Ready to fit').waitFor();
  assert.deepEqual(await sticksOut(page), []);
  await page.getByRole('button', { name: /^Settings/ }).click();
  assert.deepEqual(await sticksOut(page), []);
  await press(page, 'Download');
  assert.deepEqual(await sticksOut(page), []);
  await page.keyboard.press('Escape');
  await press(page, 'Fit');
  assert.deepEqual(await sticksOut(page), []);
  await untilStatus(page, 'done');
  assert.deepEqual(await sticksOut(page), []);
});

for (const [name, options] of Object.entries({ desktop: {}, phone })) {
  test(`nothing below the buttons moves from before to after a fit: ${name}`, async () => {
    const { page } = await site.page(LAB + SMALL, options);
    await page.getByText('Ready to fit').waitFor();
    const places = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('h2, .pictures canvas')].map((element) => {
          const { left, top, width, height } = element.getBoundingClientRect();
          const round = (value) => Math.round(value + 0);
          return [left, top + scrollY, width, height].map(round).join(' ');
        }),
      );
    await drawn(page);
    const before = await places();
    await fit(page);
    await page.evaluate(() => scrollTo(0, 0));
    // The code, below everything, is the only part that may have moved: the digest above it has come.
    assert.deepEqual((await places()).slice(0, -2), before.slice(0, -2));
  });
}

test('matrices are drawn in whole screen pixels', async () => {
  for (const options of [{}, phone]) {
    const { page } = await site.page(LAB, options);
    const canvas = page.locator('canvas[data-picture="True couplings"]');
    await canvas.waitFor();
    const ratio = await page.evaluate(() => devicePixelRatio);
    const { width } = await canvas.boundingBox();
    const scale = (width * ratio) / 100;
    assert.ok(scale >= 2 && Math.abs(scale - Math.round(scale)) < 1e-6, `scale ${scale}`);
  }
});

test('the lab works from the keyboard alone', async () => {
  const { page } = await site.page(LAB + SMALL);
  await page.getByText('Ready to fit').waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  for (let n = 0; n < 40 && (await focused()) !== 'Fit'; n++) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Fit');
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, 'solid');
  await page.keyboard.press('Enter');
  await untilStatus(page, 'done');
  // The button has changed its word and kept the focus.
  assert.equal(await focused(), 'Fit again');
});

test('the status is read aloud when it changes, not at every number', async () => {
  const { page } = await site.page(`${LAB}#rows=1000&pattern=lattice`);
  await page.getByText('Ready to fit').waitFor();
  await page.evaluate(() => {
    globalThis.spoken = [];
    for (const region of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
      new MutationObserver(() => globalThis.spoken.push(region.textContent)).observe(region, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    }
  });
  await fit(page);
  const spoken = await page.evaluate(() => globalThis.spoken);
  assert.ok(spoken.length >= 2 && spoken.length <= 4, spoken.join(' | '));
  assert.equal(spoken.at(-1), 'Converged.');
});
