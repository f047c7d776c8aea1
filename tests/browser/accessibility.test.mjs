import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { fit, LAB, openSite, SMALL } from './site-under-test.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let site;
before(async () => {
  site = await openSite();
});
after(() => site?.close());

async function violationsOf(page) {
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`,
  );
}

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 360]) {
    const options = { colorScheme, viewport: { width, height: 900 }, bypassCSP: true };

    test(`axe finds nothing wrong: landing page, ${colorScheme}, ${width} px`, async () => {
      const { page } = await site.page('', options);
      await page.locator('.preview canvas').first().waitFor();
      await page.evaluate(axe);
      assert.deepEqual(await violationsOf(page), []);
    });

    test(`axe finds nothing wrong: lab before and after a fit, ${colorScheme}, ${width} px`, async () => {
      const { page } = await site.page(LAB + SMALL, options);
      await page.getByText('Ready to fit').waitFor();
      if (width < 960) await page.getByRole('button', { name: /^Settings/ }).click();
      await page.evaluate(axe);
      assert.deepEqual(await violationsOf(page), []);
      await fit(page);
      assert.deepEqual(await violationsOf(page), []);
    });
  }
}
