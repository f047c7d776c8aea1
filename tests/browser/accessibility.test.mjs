/**
 * Every page as it is opened, in both themes, on a desk and on a phone: axe's rules with those on the size of targets, and
 * what Lighthouse checks besides: title, description, language, viewport, an errorless console, a focus that is seen. What a
 * run changes, the tests of the labs check when it is done.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import {
  assertSound,
  desk,
  fit,
  isLab,
  LAB,
  openSettings,
  openSite,
  phone,
  SMALL,
  sitePages,
  violationsOf,
} from './site-under-test.mjs';

let site;
/** Where one page after another is opened: a window and a process of its own cost as much as a page of text. */
let shared;
before(async () => {
  site = await openSite();
  const context = await site.browser.newContext({ bypassCSP: true, serviceWorkers: 'block' });
  shared = await site.page('', { context });
});
afterEach(() => site?.closePages());
after(() => site?.close());

/** Opens a page as on a desk, in the light theme, in the place of the one before. */
async function opened(path, reducedMotion = 'no-preference') {
  const { page, problems } = shared;
  await page.emulateMedia({ colorScheme: 'light', reducedMotion });
  await page.setViewportSize(desk);
  problems.length = 0;
  await page.goto(site.url + path);
  await settled(page, path);
  return { page, problems };
}

const isText = (path) => path !== '' && !isLab(path);

/** Where what has the focus has to show it: of the pages of text two, which have the same parts as all. */
const showsFocus = new Set([
  ...sitePages().filter((path) => !isText(path)),
  ...sitePages().filter(isText).slice(0, 2),
]);

/** What has the focus shows it; the page is left without one, at its top. */
async function assertFocusShows(page) {
  for (let n = 0; n < 12; n++) {
    await page.keyboard.press('Tab');
    const bare = await page.evaluate(() => {
      // The ring may be around what an element stands for: a card for its link, a label for its box.
      for (let e = document.activeElement, up = 0; e && up < 5; e = e.parentElement, up++) {
        const { outlineStyle, outlineWidth } = getComputedStyle(e);
        if (outlineStyle !== 'none' && outlineWidth !== '0px') return '';
      }
      return document.activeElement.outerHTML.slice(0, 200);
    });
    assert.equal(bare, '', 'what has the focus does not show it');
  }
  await page.evaluate(() => {
    document.activeElement.blur();
    scrollTo(0, 0);
  });
}

/** Waits until a page has all it shows at first. */
async function settled(page, path) {
  await page.locator('h1').first().waitFor();
  if (isLab(path)) {
    await page.locator('[data-action="primary"]:enabled').waitFor();
  }
  if (path === '') await page.locator('.preview canvas').first().waitFor();
}

for (const path of sitePages()) {
  test(`nothing is wrong in either theme, on a desk or a phone: /${path}`, async () => {
    const { page, problems } = await opened(path);
    if (showsFocus.has(path)) await assertFocusShows(page);
    for (const viewport of [desk, phone]) {
      await page.setViewportSize(viewport);
      if (viewport === phone && isLab(path)) await openSettings(page);
      // Pages of text are many and alike: each is seen in both themes and both widths, and not in all four pairs.
      await assertSound(page, isText(path) ? [viewport === desk ? 'light' : 'dark'] : undefined);
    }
    assert.deepEqual(problems, []);
  });
}

test('every page has a title, a description of its own, a language and a viewport', async () => {
  const seen = new Map();
  for (const path of sitePages()) {
    const html = await (await fetch(site.url + path)).text();
    const title = /<title>([^<]+)<\/title>/.exec(html)?.[1] ?? '';
    const description = /<meta name="description" content="([^"]*)"/.exec(html)?.[1] ?? '';
    assert.ok(title.length >= 8 && title.length <= 80, `${path}: title “${title}”`);
    assert.ok(description.length >= 20, `${path}: description “${description}”`);
    const language = /^(?:([a-z]{2})\/)?/.exec(path)?.[1] ?? 'en';
    assert.ok(html.includes(`<html lang="${language}"`), path);
    assert.match(html, /<meta name="viewport" content="width=device-width, initial-scale=1"/);
    assert.ok(!seen.has(title), `${path} and ${seen.get(title)} have the same title`);
    seen.set(title, path);
  }
});

test('axe finds nothing wrong: an embedded lab, whole and compact, before and after a fit', async () => {
  for (const [question, colorScheme] of [
    ['embed', 'light'],
    ['embed=compact&theme=dark', 'light'],
  ]) {
    const { page } = await site.page(`${LAB}?${question}${SMALL}`, {
      colorScheme,
      viewport: phone,
      bypassCSP: true,
    });
    await page.getByText('Ready to fit').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await fit(page).catch(() => {});
    assert.deepEqual(await violationsOf(page), []);
  }
});

test('who wants less motion gets none', async () => {
  for (const path of sitePages().filter((path) => !isText(path))) {
    const { page } = await opened(path, 'reduce');
    const moving = await page.evaluate(() => document.getAnimations().length);
    assert.equal(moving, 0, path);
  }
});
