import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('the landing page loads without an error, a failed or a foreign request', async () => {
  const { page, problems } = await site.page('');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.preview canvas').first().waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(problems, []);
});

test('the landing page names the three verbs and leads to the lab', async () => {
  const { page } = await site.page('');
  for (const verb of ['Fit', 'Sample', 'Normalize']) {
    await page.getByRole('term').filter({ hasText: verb }).waitFor();
  }
  await page.getByRole('article').getByRole('link', { name: 'Ising: learn' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ising: learn' }).waitFor();
  assert.match(page.url(), /\/labs\/ising-learn\//);
  assert.equal(await page.title(), 'Ising: learn · unnorm');
});

test('the header leads from a lab back to the landing page', async () => {
  const { page } = await site.page('labs/ising-learn/');
  await page.getByRole('banner').getByRole('link', { name: 'unnorm' }).click();
  await page.getByRole('heading', { level: 1, name: /up to a constant/ }).waitFor();
  assert.equal(page.url(), site.url);
});

test('every page has a strict content security policy', async () => {
  for (const path of ['', 'labs/ising-learn/']) {
    const { page } = await site.page(path);
    const policy = await page
      .locator('meta[http-equiv="Content-Security-Policy"]')
      .getAttribute('content');
    assert.match(policy, /default-src 'self'/);
    assert.match(policy, /script-src 'self' 'wasm-unsafe-eval' 'sha256-[^']+' 'sha256-[^']+';/);
    // The policy is in force: a script from elsewhere in the page does not run.
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.intruder = true';
      document.body.append(script);
      return globalThis.intruder === true;
    });
    assert.equal(ran, false);
  }
});

test('the theme follows the system until it is switched, and the choice is kept', async () => {
  const { page } = await site.page('', { colorScheme: 'dark' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const themeSwitch = page.getByRole('button', { name: 'Dark theme' });
  const dark = await ground();
  assert.equal(await themeSwitch.getAttribute('aria-pressed'), 'true');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('[data-theme="light"]').waitFor({ state: 'attached' });
  const light = await ground();
  assert.notEqual(light, dark);
  await themeSwitch.click();
  assert.equal(await ground(), dark);
  await page.reload();
  assert.equal(await ground(), dark);
  await themeSwitch.click();
  assert.equal(await ground(), light);
});
