import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodePng } from '../repro/png.mjs';
import { fitAndJudge, openLab, SMALL } from './pictures-lab.mjs';
import { copiedLink, fit, openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
after(() => site?.close());

/** Drops files on the page, as from the desktop. */
async function drop(page, files) {
  const transfer = await page.evaluateHandle((all) => {
    const data = new DataTransfer();
    for (const [name, bytes] of all) {
      data.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
    }
    return data;
  }, files);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

/** A picture of blocks and a slope; the same every time for a seed. */
function somePicture(seed, side = 96) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const pixels = Uint8Array.from(
    { length: side * side },
    (_, n) => 60 + (n % side) / 2 + 20 * random(),
  );
  for (let block = 0; block < 60; block++) {
    const [left, top] = [0, 0].map(() => Math.floor(random() * (side - 20)));
    const [width, height] = [0, 0].map(() => 3 + Math.floor(random() * 16));
    const grey = Math.floor(255 * random());
    for (let y = top; y < top + height; y++) {
      pixels.fill(grey, y * side + left, y * side + left + width);
    }
  }
  return [...encodePng(side, side, pixels)];
}

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
