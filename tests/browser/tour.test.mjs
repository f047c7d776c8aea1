/**
 * The tour of every lab: three steps, each beside the part that it speaks of and not over it, on a desk and on a phone, from
 * the keyboard, and within another page.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import {
  assertFits,
  assertSound,
  desk,
  digestOf,
  fit,
  isLab,
  LAB,
  openSite,
  press,
  SMALL,
  sitePages,
  untilStatus,
} from './site-under-test.mjs';

const phone = { width: 390, height: 844 };
const labs = sitePages().filter(isLab);
const hasTour = (path) => existsSync(new URL(`../../www/${path}tour.ts`, import.meta.url));

let site;
/** Where one lab after another is opened. Nothing scrolls smoothly there: a step is where it stays. */
let shared;
before(async () => {
  site = await openSite();
  const context = await site.browser.newContext({
    bypassCSP: true,
    serviceWorkers: 'block',
    reducedMotion: 'reduce',
  });
  shared = await site.page('', { context });
});
afterEach(() => site?.closePages());
after(() => site?.close());

const tourOf = (page) => page.getByRole('button', { name: 'Tour', exact: true });
const dialogOf = (page) => page.getByRole('dialog');

/** Starts the tour of a lab as it is opened. */
async function started(page) {
  await page.locator('[data-action="primary"]:enabled').waitFor();
  await tourOf(page).click();
}

/** Waits until a step is shown and has the focus; gives its words. */
async function stepOf(page, number) {
  const dialog = page.getByRole('dialog', { name: `Step ${number} of 3`, exact: true });
  await dialog.and(page.locator(':focus')).waitFor();
  return dialog.evaluate(
    (element) => document.getElementById(element.getAttribute('aria-describedby')).textContent,
  );
}

const next = (page) => dialogOf(page).getByRole('button', { name: 'Next' }).click();

/** What is wrong with where a step is shown, to the pixel. */
function misplaced(page) {
  return page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const outline = box('[data-tour-outline]');
    const dialog = box('[role="dialog"]');
    const wrong = [];
    for (const [name, { left, top, right, bottom }] of Object.entries({ outline, dialog })) {
      if (left < 0 || right > innerWidth || top < 0 || bottom > innerHeight)
        wrong.push(`${name} outside: ${[left, top, right, bottom].map(Math.round).join(' ')}`);
    }
    const overlap =
      Math.min(outline.right, dialog.right) > Math.max(outline.left, dialog.left) &&
      Math.min(outline.bottom, dialog.bottom) > Math.max(outline.top, dialog.top);
    if (overlap) wrong.push('the dialog is over the part');
    if (outline.width < 40 || outline.height < 20) wrong.push('there is no part');
    // In the middle of the outline's upper edge there is the lab, and nothing over it.
    const at = document.elementFromPoint((outline.left + outline.right) / 2, outline.top + 10);
    if (!at?.closest('article') || at.closest('[role="dialog"]'))
      wrong.push(`over the part: ${at?.outerHTML.slice(0, 80)}`);
    return wrong;
  });
}

/** How much lower the lab begins because of the button, in pixels. */
async function heightOfButton(page) {
  const top = () => page.locator('[data-part="run"]').evaluate((run) => run.offsetTop);
  const button = await tourOf(page).elementHandle();
  const withIt = await top();
  await button.evaluate((element) => element.style.setProperty('display', 'none'));
  const without = await top();
  await button.evaluate((element) => element.style.removeProperty('display'));
  return withIt - without;
}

test('every lab has a tour', () => {
  assert.deepEqual(
    labs.filter((path) => !hasTour(path)),
    [],
  );
});

for (const path of labs) {
  test(`three steps, each beside what it speaks of: /${path}`, async () => {
    const { page, problems } = shared;
    problems.length = 0;
    const words = [];
    await page.setViewportSize(desk);
    await page.goto(site.url + path);
    for (const viewport of [desk, phone]) {
      await page.setViewportSize(viewport);
      await started(page);
      for (const number of [1, 2, 3]) {
        words.push(await stepOf(page, number));
        const where = `step ${number}, ${viewport.width} px`;
        assert.deepEqual(await misplaced(page), [], where);
        await assertFits(page, where);
        if (number < 3) await next(page);
      }
      await dialogOf(page).getByRole('button', { name: 'Done' }).click();
      assert.equal(await dialogOf(page).count(), 0);
      await tourOf(page).and(page.locator(':focus')).waitFor();
    }
    assert.equal(await heightOfButton(page), 0, 'the button takes no line of the header');
    await page.setViewportSize(desk);
    assert.equal(await heightOfButton(page), 0, 'the button takes no line of the header');
    await page.setViewportSize({ width: 320, height: 700 });
    const right = await page
      .locator('main header button')
      .evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
    assert.ok(right <= 320, `buttons of the header reach to ${right} px of 320`);
    assert.deepEqual(problems, []);
    for (const said of words) assert.ok(said.length > 20 && said.length <= 200, said);
    assert.equal(new Set(words).size, 3);
  });
}

for (const [path, viewport] of [
  [LAB, desk],
  ['labs/lattice/', phone],
]) {
  test(`axe finds nothing wrong with a tour, in both themes: /${path}`, async () => {
    const { page } = await site.page(path, { viewport, bypassCSP: true, reducedMotion: 'reduce' });
    await started(page);
    await stepOf(page, 1);
    await assertSound(page);
  });
}

test('from the keyboard: a step has the focus, Back goes back, and Escape gives the focus back', async () => {
  const { page, problems } = await site.page(LAB + SMALL);
  await page.getByText('Ready to fit').waitFor();
  // The address follows the lab's state a moment later.
  await page.waitForFunction(() => location.hash.includes('connectivity='));
  const loaded = () =>
    page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const isOfTour = (name) => /\/[Tt]ours?-[^/]*\.(js|css)$/.test(name);
  assert.equal(
    (await loaded()).filter(isOfTour).length,
    0,
    'it is not loaded before it is asked for',
  );
  await tourOf(page).focus();
  await page.keyboard.press('Enter');
  const first = await stepOf(page, 1);
  const address = page.url();
  assert.ok((await loaded()).filter(isOfTour).length > 0);
  const press = async (name) => {
    const button = dialogOf(page).getByRole('button', { name });
    for (let n = 0; n < 4 && !(await button.and(page.locator(':focus')).count()); n++)
      await page.keyboard.press('Tab');
    await button.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
  };
  await press('Next');
  await stepOf(page, 2);
  await press('Back');
  assert.equal(await stepOf(page, 1), first);
  await press('Close');
  await tourOf(page).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await stepOf(page, 1);
  await page.keyboard.press('Escape');
  await tourOf(page).and(page.locator(':focus')).waitFor();
  assert.equal(await dialogOf(page).count(), 0);
  assert.equal(page.url(), address);
  assert.deepEqual(problems, []);
});

test('the lab runs on during its tour', async () => {
  const { page } = await site.page(LAB + SMALL);
  await page.getByText('Ready to fit').waitFor();
  const alone = await fit(page);
  await page.reload();
  await started(page);
  await stepOf(page, 1);
  await press(page, 'Fit');
  for (const number of [2, 3]) {
    await next(page);
    await stepOf(page, number);
  }
  await untilStatus(page, 'done');
  await stepOf(page, 3);
  assert.equal(await digestOf(page), alone);
});

test('settings that are folded away are shown when a step speaks of them', async () => {
  const { page } = await site.page(LAB, { viewport: phone, reducedMotion: 'reduce' });
  const fold = page.getByRole('button', { name: /^Settings/ });
  await started(page);
  for (const [number, unfolded] of [
    [1, 'false'],
    [2, 'false'],
    [3, 'true'],
  ]) {
    await stepOf(page, number);
    assert.equal(await fold.getAttribute('aria-expanded'), unfolded);
    if (number < 3) await next(page);
  }
});

test('a lab within another page has its tour beside its parts', async () => {
  for (const width of [1000, 320]) {
    const { page, problems } = await site.page(`${LAB}?embed${SMALL}`, {
      // As high as the lab, as its frame is.
      viewport: { width, height: 5000 },
      reducedMotion: 'reduce',
    });
    await started(page);
    for (const number of [1, 2, 3]) {
      await stepOf(page, number);
      assert.deepEqual(await misplaced(page), [], `step ${number}, ${width} px`);
      await assertFits(page, `step ${number}, ${width} px`);
      const apart = await page.evaluate(() => {
        const box = (selector) => document.querySelector(selector).getBoundingClientRect();
        const outline = box('[data-tour-outline]');
        const dialog = box('[role="dialog"]');
        return Math.max(
          dialog.top - outline.bottom,
          dialog.left - outline.right,
          outline.left - dialog.right,
        );
      });
      assert.ok(apart >= 0 && apart <= 16, `${apart} px apart`);
      if (number < 3) await next(page);
    }
    assert.deepEqual(problems, []);
  }
  // The compact form has no numbers and no code.
  const { page } = await site.page(`${LAB}?embed=compact${SMALL}`);
  await started(page);
  await dialogOf(page).waitFor();
  assert.match(await dialogOf(page).textContent(), /Step 1 of/);
});

test('a tour that cannot be loaded is said to be so, and comes with the next load of the page', async () => {
  const { page } = await site.page(LAB);
  const isOfTour = /\/tours-[^/]*\.js$/;
  await page.route(isOfTour, (route) => route.abort());
  await started(page);
  await page.getByRole('alert').filter({ hasText: 'The tour could not be loaded' }).waitFor();
  await page.unroute(isOfTour);
  await page.reload();
  await started(page);
  await stepOf(page, 1);
  assert.equal(await page.getByRole('alert').count(), 0);
});
