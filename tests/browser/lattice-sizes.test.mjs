/** The lab Lattice with large lattices, and on a graphics processor. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { deviceFlags } from '../matrix/environments.mjs';
import { codeOf, outputOf } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  download,
  numberOf,
  openSite,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/lattice/';

let site;
before(async () => {
  site = await openSite({ flags: deviceFlags });
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash, options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByText('Ready to sample').waitFor();
  return opened;
}

/** Waits for the first measured point. */
const untilPoint = (page) => page.getByRole('region', { name: 'Table of points' }).waitFor();

test('a run on a graphics processor ends with the spins of its code on the CPU', async () => {
  const { page, problems } = await open(
    '#side=256&sampler=checkerboard&device=gpu&seed=5&numDraws=20&temperature=2.6',
  );
  await press(page, 'Sample');
  await untilPoint(page);
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
  await page.getByText(/It is used: .*swiftshader/i).waitFor();
  const code = await codeOf(page);
  assert.match(code, /createEngine\(\{ gpu: true \}\)/);
  const stdout = await outputOf(
    `${code}\nconsole.log(Buffer.from(start.data.bits).toString('hex'));`,
  );
  const bits = Buffer.from(stdout.trim().split('\n').at(-1), 'hex');
  const npy = await download(page, 'Spins, NPY');
  const start = 10 + npy.readUInt16LE(8);
  for (let n = 0; n < 256 ** 2; n++) {
    const spin = 2 * ((bits[n >> 3] >> (n & 7)) & 1) - 1;
    assert.equal(npy.readDoubleLE(start + 8 * n), spin);
  }
  assert.deepEqual(problems, []);
});

test('a lattice of 4,096 by 4,096 is sampled and drawn, and the energy is that of the torus', async () => {
  const { page, problems } = await open(
    '#side=4096&sampler=checkerboard&seed=2&numDraws=20&temperature=3.5',
    { bypassCSP: true },
  );
  await page.getByText('Of a lattice of this size there is room for 16.').waitFor();
  await press(page, 'Sample');
  await untilPoint(page);
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
  const canvas = page.locator('canvas[data-picture="Lattice"]');
  assert.equal(await canvas.evaluate(({ width, height }) => `${width} ${height}`), '1024 1024');
  // Squares of 16 spins: few are alike all over at such a temperature.
  const numColours = await canvas.evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, 1024, 1024);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.equal(numColours, 17);
  const [energy, exact] = await Promise.all(
    ['Energy per site', 'Exact, this torus'].map((name) => numberOf(page, name)),
  );
  const value = (text) => Number.parseFloat(text.replace('−', '-'));
  // Its standard deviation is below 1/4096 for each draw.
  assert.ok(Math.abs(value(energy) - value(exact)) < 0.002, `${energy} and ${exact}`);
  await assertSoundEverywhere(page);
  assert.deepEqual(problems, []);
});

test('only the checkerboard takes more than 512 sites a side', async () => {
  const { page } = await open('#side=2048&sampler=wolff');
  await page.getByText('The link has more sites along a side than Wolff takes').waitFor();
  const side = page.getByLabel('Sites along a side', { exact: true });
  assert.equal(await side.inputValue(), '512');
  await side.selectOption('1024');
  const sampler = page.getByLabel('Sampler', { exact: true });
  assert.equal(await sampler.inputValue(), 'checkerboard');
  await sampler.selectOption('gibbs');
  assert.equal(await side.inputValue(), '512');
});
