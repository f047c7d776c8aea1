import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { drop, fitAndJudge, openLab, SMALL, somePicture } from './pictures-lab.mjs';
import { copiedLink, fit, openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('dropped pictures are taken, and a link asks for them again', async () => {
  const { page, problems } = await openLab(site, SMALL);
  const files = [1, 2].map((seed) => [`own-${seed}.png`, somePicture(seed)]);
  await drop(page, files);
  await page.getByText('own-1.png, 96 × 96; own-2.png, 96 × 96').waitFor();
  await page.waitForFunction(() => location.hash.includes('source=own'));
  await page.getByText('Ready to fit').waitFor();
  const digest = await fitAndJudge(page);
  assert.deepEqual(problems, []);
  const link = await copiedLink(page);

  const { page: other } = await site.page(link.slice(site.url.length));
  await other.getByText('made with pictures of its maker’s own').waitFor();
  assert.equal(await other.getByRole('button', { name: 'Fit', exact: true }).isDisabled(), true);
  await drop(other, files);
  await other.getByText('Ready to fit').waitFor();
  assert.equal(await fit(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();

  await other.getByRole('button', { name: 'Forget your own pictures' }).click();
  await other.waitForFunction(() => location.hash.includes('source=photographs'));
});

test('a file that is no picture is refused in words, and the lab goes on working', async () => {
  const { page } = await openLab(site, SMALL);
  await drop(page, [['words.png', [...Buffer.from('no picture')]]]);
  const error = page.getByRole('alert');
  await error.waitFor();
  assert.match(await error.textContent(), /“words\.png” is no picture/);
  assert.match(await fit(page), /^[0-9a-f]{64}$/);
});

test('a picture smaller than a patch is refused in words', async () => {
  const { page } = await openLab(site, SMALL);
  await drop(page, [['small.png', somePicture(3, 24).slice()]]);
  await page.getByText('small.png, 24 × 24').waitFor();
  await page.getByRole('radio', { name: '16', exact: true }).check();
  await page.getByRole('alert').waitFor();
});

test('without a photograph there is nothing to fit', async () => {
  const { page } = await openLab(site, `${SMALL}&photographs=rocket`);
  await page.getByRole('checkbox', { name: 'Rocket' }).uncheck();
  await page.getByText('Choose a photograph to begin.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Fit', exact: true }).isDisabled(), true);
  await page.getByRole('checkbox', { name: 'Coffee' }).check();
  await page.getByText('Ready to fit').waitFor();
});
