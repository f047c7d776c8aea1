/**
 * Links and files by strangers, on every lab of the built site: whatever stands in the address is taken within its
 * limits or said to be wrong, and nothing of it becomes a part of the page. `HOSTILE_LINKS` is how many random links
 * each lab gets, 40 if it is not set; the seed is fixed.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import fc from 'fast-check';
import { copiedLink, LAB, openSite, sitePages } from './site-under-test.mjs';

const numLinks = Number(process.env.HOSTILE_LINKS ?? 40);
const labs = sitePages().filter((address) => address.startsWith('labs/'));

/** Runs if anything makes HTML of it. */
const MARKUP = '<img src="x" onerror="window.hostile = true" data-hostile="yes">';

const NASTY = [
  ...['', '0', '-0', '-1', '1e999', '-1e999', '1e-999', 'NaN', 'Infinity', '0x10', '1_000'],
  ...['99999999999999999999', '00000000000000001', '1.5', '.', '+1', '1,5', '١'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'none', 'none.none', '..', 'a.b'],
  ...['null', 'undefined', '[object Object]', '[]', '{"a":1}', 'true'],
  ...[MARKUP, `"><script>window.hostile = true</script>`, "'-window.hostile-'", '{@html 1}'],
  ...['javascript:window.hostile=true', '\u0000', '\ud800', '\u202e', 'ﬁ', 'x'.repeat(5000)],
  ...['(((((((((((', 'x^x^x^x^x', '1/0', 'sqrt(-1)', 'exp(exp(exp(x)))', 'log(0)*0'],
];

const name = (known) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'hash', MARKUP, '') },
    { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
  );
const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.integer().map(String) },
  { weight: 1, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** Pairs as a browser would write them, now and then any characters at all. */
const link = (known) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .array(fc.tuple(name(known), value), { maxLength: 8 })
        .map((pairs) => pairs.map((pair) => pair.map(encoded).join('=')).join('&')),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constantFrom('%', '%E0%A4%A', '=&=&=', '&'.repeat(3000)) },
  );

const encoded = (text) => encodeURIComponent(text.toWellFormed?.() ?? text.replace(/\p{Cs}/gu, ''));

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

/** What must hold at any time. */
const clean = (page) =>
  page.evaluate(() => ({
    ran: 'hostile' in window,
    made: document.querySelectorAll('[data-hostile], img[src="x"], script:not([src])').length,
    polluted: Object.keys(Object.prototype).length > 0 || 'size' in {},
    title: document.querySelector('h1')?.textContent?.length > 0,
  }));

/** What the lab puts into its address, which is empty before. */
const settled = async (page) => {
  await page.waitForFunction(() => location.hash.length > 1);
  return page.evaluate(() => location.hash);
};

for (const address of labs) {
  test(`${address}: hostile links`, async () => {
    const { page, problems } = await site.page(address);
    await page.locator('h1').waitFor();
    await page.locator('[data-action="primary"]').waitFor();
    const numScripts = (await clean(page)).made;
    const usual = await settled(page);
    const known = [...new URLSearchParams(usual.slice(1)).keys()];
    assert.ok(known.length > 0, `${address} keeps its state in its address: ${usual}`);
    for (const hash of fc.sample(link(known), { numRuns: numLinks, seed: 1 })) {
      await page.evaluate((given) => {
        location.hash = given;
        return new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
      }, hash);
      const found = await clean(page);
      assert.deepEqual(
        found,
        { ran: false, made: numScripts, polluted: false, title: true },
        JSON.stringify(hash),
      );
    }
    // Whatever state the last of them left the lab in, its own link is taken as it stands.
    const own = await copiedLink(page);
    const again = await site.page(own.slice(site.url.length), { context: page.context() });
    await again.page.locator('[data-action="primary"]').waitFor();
    assert.equal(await again.page.locator('.notice p').count(), 0, own);
    assert.equal(await copiedLink(again.page), own);
    assert.deepEqual(again.problems, []);
    // Formulas that make no sense are said to be, not thrown.
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test('files whose names and contents are markup', async () => {
  for (const [lab, file] of [
    [LAB, `${MARKUP}.csv`],
    [LAB, `${MARKUP}.npy`],
    ['labs/memory/', `${MARKUP}.png`],
    ['labs/pictures/', `${MARKUP}.svg`],
  ]) {
    const { page, problems } = await site.page(lab);
    await page.locator('[data-action="primary"]').waitFor();
    const { made } = await clean(page);
    const input = page.locator('input[type="file"]').first();
    if ((await input.count()) === 0) continue;
    const content = file.endsWith('.svg')
      ? `<svg xmlns="http://www.w3.org/2000/svg" onload="window.hostile = true">${MARKUP}</svg>`
      : `${MARKUP}\n${MARKUP},1\n`;
    await input.setInputFiles({
      name: file,
      mimeType: 'image/svg+xml',
      buffer: Buffer.from(content),
    });
    // Whatever is said of it is said in words.
    await page.waitForFunction(() => document.body.textContent?.includes('onerror'));
    assert.deepEqual(await clean(page), { ran: false, made, polluted: false, title: true });
    assert.deepEqual(problems, [], file);
    await page.context().close();
  }
});
