/**
 * Every page as it is opened, in both themes, on a desk and on a phone: it fits its window and its content, axe's rules with
 * those on the size of targets, and what Lighthouse checks besides: title, description, language, viewport, an errorless
 * console, a focus that is seen. What a run changes, the tests of the labs check when it is done.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { faultsOf } from './page-faults.mjs';
import {
  assertSound,
  desk,
  drawn,
  fit,
  isLab,
  LAB,
  OF_LOOKS,
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

/** Opens a page, as on a desk unless told otherwise, in the light theme, in the place of the one before. */
async function opened(path, { reducedMotion = 'no-preference', viewport = desk } = {}) {
  const { page, problems } = shared;
  await page.emulateMedia({ colorScheme: 'light', reducedMotion });
  await page.setViewportSize(viewport);
  problems.length = 0;
  await page.goto(site.url + path);
  await settled(page, path);
  return { page, problems };
}

const isText = (path) => path !== '' && !isLab(path);

/** The first two pages of text and of labs: what is around the text, or the pictures, is the same in all. */
const examples = new Set([isText, isLab].flatMap((is) => sitePages().filter(is).slice(0, 2)));
/** Where what has the focus has to show it. */
const showsFocus = (path) => !isText(path) || examples.has(path);

/** A phone somewhat larger than the least. */
const largerPhone = { width: 390, height: 844 };

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
  // They come when their language is there, and what has the focus before is replaced.
  await page.locator('header').first().waitFor();
  await page.locator('footer').waitFor();
  if (isLab(path)) {
    await page.locator('[data-action="primary"]:enabled').waitFor();
  }
  if (path === '') await page.locator('.preview canvas').first().waitFor();
}

/** Axe finds nothing wrong and nothing sticks out. The page is as wide as a desk before. */
async function assertSoundOpened(page, path) {
  const isExample = examples.has(path) || path === '';
  // Pages of text are many and alike: each is seen in both themes and both widths, and not in all four pairs.
  await assertSound(page, isText(path) ? ['light'] : undefined);
  await page.setViewportSize(phone);
  if (isLab(path)) await openSettings(page);
  // What a phone alone has, the header's menu and the button of the settings, is that of the examples.
  if (isText(path)) await assertSound(page, ['dark'], isExample ? undefined : OF_LOOKS);
  else await assertSound(page);
}

for (const [n, path] of sitePages().entries()) {
  test(`nothing is wrong in either theme, on a desk or a phone: /${path}`, async () => {
    // Every other page is narrow first.
    const windows = n % 2 === 0 ? [desk, largerPhone] : [largerPhone, desk];
    const { page, problems } = await opened(path, { viewport: windows[0] });
    for (const viewport of windows) {
      await page.setViewportSize(viewport);
      await drawn(page);
      assert.deepEqual(await faultsOf(page), []);
    }
    await page.setViewportSize(desk);
    if (showsFocus(path)) await assertFocusShows(page);
    await assertSoundOpened(page, path);
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
    const { page } = await opened(path, { reducedMotion: 'reduce' });
    const moving = await page.evaluate(() => document.getAnimations().length);
    assert.equal(moving, 0, path);
  }
});
