/**
 * Makes the pictures of links anew, of 1200 × 630 pixels: `node tests/browser/link-cards.mjs`, once the site is built.
 * Each has the preview of a lab beside its title and its line. That of all other pages has the lattice of the landing page.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSite } from './site-under-test.mjs';

const folder = fileURLToPath(new URL('../../www/cards', import.meta.url));
const icon = readFileSync(new URL('../../www/icon.svg', import.meta.url), 'utf8');

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The whole card: a picture, a title and a line. */
const card = (picture, title, line) => `<!doctype html>
<style>
  body { display: grid; grid-template-columns: 700px 1fr; width: 1200px; height: 630px; margin: 0; background: #fff; color: #191c21; font-family: "DejaVu Sans", sans-serif; }
  .picture { display: grid; place-items: center; background: #f1f1ed; }
  .picture img { width: 700px; height: 630px; object-fit: contain; }
  .text { display: grid; grid-template-rows: auto 1fr; gap: 24px; padding: 56px 48px; }
  .name { display: flex; align-items: center; gap: 16px; color: #1b4f8a; font-size: 30px; font-weight: 600; }
  .name svg { width: 48px; height: 48px; }
  .words { align-self: center; }
  h1 { margin: 0 0 24px; font-size: 50px; line-height: 1.15; overflow-wrap: anywhere; }
  p { margin: 0; color: #545b66; font-size: 30px; line-height: 1.4; }
</style>
<div class="picture"><img src="data:image/png;base64,${picture.toString('base64')}" alt=""></div>
<div class="text">
  <div class="name">${icon}unnorm</div>
  <div class="words"><h1>${escaped(title)}</h1><p>${escaped(line)}</p></div>
</div>`;

const site = await openSite();
mkdirSync(folder, { recursive: true });
const { page, context } = await site.page('', {
  colorScheme: 'light',
  deviceScaleFactor: 3,
});
const sheet = await site.browser.newPage({ viewport: { width: 1200, height: 630 } });

async function make(name, picture, title, line) {
  await sheet.setContent(card(picture, title, line));
  await sheet.evaluate(() => document.querySelector('img').decode());
  await sheet.screenshot({ path: join(folder, `${name}.png`) });
}

// The frames of the cards would stand around the pictures.
await page.addStyleTag({
  content: 'article, .preview { border: 0 !important; border-radius: 0 !important }',
});
const lattice = page.locator('.lattice canvas');
await page.waitForFunction(() => document.querySelector('.lattice')?.dataset.jobs > 0);
await make(
  'site',
  await lattice.screenshot(),
  'Energy-based models in the browser',
  'Every number with its error, and the same bits everywhere.',
);

for (const article of await page.locator('article:has(.preview)').all()) {
  await article.scrollIntoViewIfNeeded();
  await article.locator('.drawing').waitFor();
  // A preview is drawn once its data are here.
  await page.waitForLoadState('networkidle');
  const slug = (await article.locator('h3 a').getAttribute('href')).split('/').at(-2);
  const picture = await article.locator('.preview').screenshot({ animations: 'disabled' });
  await make(
    slug,
    picture,
    await article.locator('h3').textContent(),
    await article.locator('.line').textContent(),
  );
}
await context.close();
await site.close();
