/**
 * Makes the README's pictures anew: `node tests/browser/readme-pictures.mjs`, once the site is built.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawn, openSite, untilStatus } from './site-under-test.mjs';

const folder = fileURLToPath(new URL('../../www/docs/pictures', import.meta.url));

/** Labs with settings, and what is shown of their pictures after a run: from `top` on, `height` high, in pixels. */
const shots = [
  { name: 'ising-learn', path: 'labs/ising-learn/', top: 0, height: 396 },
  { name: 'annealing', path: 'labs/annealing/', top: 0, height: 278 },
  { name: 'sampler-playground', path: 'labs/sampler-playground/#steps=100', top: 105, height: 386 },
];

const site = await openSite();
mkdirSync(folder, { recursive: true });
for (const { name, path, top, height } of shots) {
  const { page, context } = await site.page(path, { viewport: { width: 1100, height: 900 } });
  await page.locator('[data-action="primary"]:enabled').click();
  await untilStatus(page, 'done');
  if (name === 'annealing') {
    await page.locator('.stage').getByRole('button', { name: 'Pause' }).click();
    await page.locator('.stage input[type=range]').first().fill('0.4');
  }
  // Replay bars stay at the window's lower edge.
  await page.setViewportSize({ width: 1100, height: 2000 });
  const { x, y, width } = await page.locator('.stage').first().boundingBox();
  await drawn(page);
  const clip = { x: x - 12, y: y + top - 12, width: width + 24, height };
  await page.screenshot({ path: join(folder, `${name}.png`), clip });
  await context.close();
}
await site.close();
