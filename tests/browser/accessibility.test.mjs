import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fit, LAB, openSite, SMALL, violationsOf } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
after(() => site?.close());

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1280, 360]) {
    const options = { colorScheme, viewport: { width, height: 900 }, bypassCSP: true };

    test(`axe finds nothing wrong: landing page, ${colorScheme}, ${width} px`, async () => {
      const { page } = await site.page('', options);
      await page.locator('.preview canvas').first().waitFor();
      assert.deepEqual(await violationsOf(page), []);
    });

    test(`axe finds nothing wrong: lab before and after a fit, ${colorScheme}, ${width} px`, async () => {
      const { page } = await site.page(LAB + SMALL, options);
      await page.getByText('Ready to fit').waitFor();
      if (width < 960) await page.getByRole('button', { name: /^Settings/ }).click();
      assert.deepEqual(await violationsOf(page), []);
      await fit(page);
      assert.deepEqual(await violationsOf(page), []);
    });
  }
}
