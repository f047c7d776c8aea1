/**
 * The site in German: who prefers it has it, anybody can choose, and the choice is kept. That no text lacks its message and no
 * chapter its parts is in tests/node/languages.test.mjs.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import {
  assertFits,
  assertSound,
  desk,
  drawn,
  isLab,
  openSite,
  phone,
  sitePages,
  violationsOf,
} from './site-under-test.mjs';

const german = { locale: 'de-DE' };

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const langOf = (page) => page.evaluate(() => document.documentElement.lang);
const choose = (page, name) =>
  page.getByRole('banner').getByRole('link', { name, exact: true }).click();
const untilLang = (page, code) =>
  page.locator(`html[lang="${code}"]`).waitFor({ state: 'attached' });

test('who prefers German sees the landing page, a lab and the course in it', async () => {
  const { page, problems } = await site.page('', german);
  await page.getByRole('heading', { level: 1, name: 'Modelle, bis auf eine Konstante' }).waitFor();
  assert.equal(await langOf(page), 'de');
  await page.getByRole('article').getByRole('link', { name: 'Gitter' }).click();
  await page.getByRole('heading', { level: 1, name: 'Gitter' }).waitFor();
  assert.equal(await page.title(), 'Gitter · unnorm');
  await page.getByRole('button', { name: 'Ziehen', exact: true }).waitFor();
  await page.getByText('Ziehungen pro Abschnitt').waitFor();
  assert.equal(await page.locator('main [lang="en"]').count(), 0);
  await page.getByRole('banner').getByRole('link', { name: 'Kurs' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ein Kurs in zehn Kapiteln' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Energien und Z', exact: true }).click();
  await page.getByText(/^Etwa \d+ Minuten$/).waitFor();
  await page
    .locator('[data-figure="three-friends"] .reading')
    .filter({ hasText: 'Niemand kommt' })
    .waitFor();
  assert.deepEqual(problems, []);
});

test('the language is changed in the header, from the keyboard too, and the choice is kept', async () => {
  const { page, context } = await site.page('labs/flow/#spins=3', german);
  await page.getByRole('button', { name: 'Anpassen', exact: true }).waitFor();
  const link = page
    .getByRole('navigation', { name: 'Sprache' })
    .getByRole('link', { name: 'English' });
  assert.equal(await link.getAttribute('lang'), 'en');
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Fit', exact: true }).waitFor();
  assert.equal(await langOf(page), 'en');
  assert.match(page.url(), /\?lang=en#spins=3/);
  // Another page of the same visitor.
  const next = await site.page('docs/course/chains/', { context });
  await next.page.getByRole('heading', { level: 1, name: 'Chains, balance and mixing' }).waitFor();
  await choose(next.page, 'Deutsch');
  await next.page
    .getByRole('heading', { level: 1, name: 'Ketten, Gleichgewicht und Mischen' })
    .waitFor();
  assert.match(next.page.url(), /\/de\/docs\/course\/chains\/\?lang=de$/);
  await page.reload();
  // The language in the address counts more than the one that was kept.
  await page.getByRole('button', { name: 'Fit', exact: true }).waitFor();
});

test('an address asks for a language, of a browser that prefers another', async () => {
  const { page } = await site.page('?lang=de');
  await untilLang(page, 'de');
  await page.getByRole('link', { name: 'Kurs', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Ein Kurs in zehn Kapiteln' }).waitFor();
  const other = await site.page('docs/course/energies/?lang=en', german);
  await other.page.getByRole('heading', { level: 1, name: 'Energies and Z' }).waitFor();
  assert.equal(await langOf(other.page), 'en');
});

test('who prefers German is led from a chapter to its translation, at the same part', async () => {
  const { page } = await site.page('docs/course/energies/#the-price', german);
  await page.getByRole('heading', { name: 'Der Preis' }).waitFor();
  assert.match(page.url(), /\/de\/docs\/course\/energies\/#the-price$/);
});

test('the rest of the documentation says that it is English', async () => {
  const { page, problems } = await site.page('docs/guides/fit/', { ...german, bypassCSP: true });
  await page.getByRole('banner').getByRole('link', { name: 'Kurs' }).waitFor();
  assert.equal(await langOf(page), 'en');
  assert.equal(await page.locator('#header').getAttribute('lang'), 'de');
  assert.deepEqual(await violationsOf(page), []);
  assert.deepEqual(problems, []);
});

test('what has no translation yet in a lab says that it is English', async () => {
  const { page } = await site.page('labs/surprises/', german);
  await page.getByRole('button', { name: 'Annealing', exact: true }).waitFor();
  assert.equal(await page.locator('[data-part="pictures"]').getAttribute('lang'), 'en');
});

test('for readers of English no message is fetched', async () => {
  const { page } = await site.page('labs/flow/');
  await page.getByRole('button', { name: 'Fit', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  const entries = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => name),
  );
  assert.deepEqual(
    entries.filter((name) => /\/(site|course|flow)-[\w-]+\.js$/.test(name)),
    [],
  );
});

test('nothing sticks out of pages in German, on a desk and on a phone, and axe finds nothing', async () => {
  const context = await site.browser.newContext({
    ...german,
    bypassCSP: true,
    serviceWorkers: 'block',
  });
  const { page, problems } = await site.page('', { context });
  const paths = ['', ...sitePages().filter(isLab)];
  for (const path of paths) {
    await page.goto(site.url + path);
    await page
      .locator(path === '' ? '.lattice canvas' : '[data-action="primary"]')
      .first()
      .waitFor();
    for (const viewport of [desk, phone]) {
      await page.setViewportSize(viewport);
      await drawn(page);
      await assertFits(page, `/${path}, ${viewport.width} px`);
    }
  }
  await page.setViewportSize(desk);
  for (const path of ['', 'labs/flow/']) {
    await page.goto(site.url + path);
    await page.locator('h1').first().waitFor();
    await assertSound(page, ['light']);
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test('a tour is in German, and beside its parts', async () => {
  const { page } = await site.page('labs/mixing/', german);
  await page.getByRole('button', { name: 'Rundgang', exact: true }).click();
  for (let step = 1; step <= 3; step++) {
    const dialog = page.getByRole('dialog', { name: `Schritt ${step} von 3`, exact: true });
    await dialog.waitFor();
    await dialog.getByRole('button', { name: step < 3 ? 'Weiter' : 'Fertig' }).click();
  }
});
