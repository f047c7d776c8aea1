import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { energyPerSite, magnetization, torusEnergyPerSite } from '../../www/lib/onsager.js';
import { codeOf, outputOf } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  copiedLink,
  desk,
  download,
  drawn,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/lattice/';
const SMALL = '#side=96&sampler=swendsenWang&seed=1&numDraws=40';
const _phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true };

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = SMALL, options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByText('Ready to sample').waitFor();
  return opened;
}

/** The points of the lab, as its CSV has them. */
async function pointsOf(page) {
  const [head, ...lines] = (await download(page, 'Points, CSV')).toString().trim().split('\n');
  const names = head.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((text, n) => [names[n], Number(text) || text])),
  );
}

/** The spins of the lab, as its NPY has them. */
async function spinsOf(page, side) {
  const npy = await download(page, 'Spins, NPY');
  const start = 10 + npy.readUInt16LE(8);
  assert.match(npy.toString('latin1', 10, start), new RegExp(`\\(${side}, ${side}\\)`));
  return Array.from({ length: side * side }, (_, n) => npy.readDoubleLE(start + 8 * n));
}

/** Waits for the first measured point. */
function untilPoint(page) {
  return page.getByRole('region', { name: 'Table of points' }).waitFor();
}

// The seed is fixed, so that this always ends alike. Errors come from some 60 to 300 independent energies, so that a
// point is 8 of them off with a probability below 1e-8, and all 15 below 1e-6.
test('a sweep up the temperatures measures the exact energies and magnetizations', async () => {
  const { page, problems } = await open('#side=96&sampler=wolff&seed=1&numDraws=150');
  const empty = await pixelsOf(page, 'Energy per site');
  await press(page, 'Sweep up the temperatures');
  await untilStatus(page, 'done');
  await page.getByText('All temperatures are measured.').waitFor();
  assert.notEqual(await pixelsOf(page, 'Energy per site'), empty);
  const points = await pointsOf(page);
  assert.equal(points.length, 15);
  for (const { temperature, energy, energyError, exactTorusEnergy, ...point } of points) {
    const exact = torusEnergyPerSite(96, temperature);
    assert.equal(exactTorusEnergy, exact);
    const errors = (energy - exact) / energyError;
    assert.ok(Math.abs(errors) < 8, `${errors} standard errors off at ${temperature}`);
    // Away from the transition finite size does not matter.
    if (Math.abs(temperature - 2.27) > 0.2)
      assert.ok(Math.abs(exact - energyPerSite(temperature)) < 1e-6);
    if (temperature < 2.05) {
      const off = (point.magnetization - magnetization(temperature)) / point.magnetizationError;
      assert.ok(Math.abs(off) < 8, `${off} standard errors off at ${temperature}`);
    }
  }
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /have the exact energy of their torus/,
  );
  assert.match(await page.evaluate(() => location.hash), /mode=sweep/);
  assert.deepEqual(problems, []);
});

test('the lattice follows the temperature during a run, and the code shown ends with the same spins', async () => {
  const { page, problems } = await open(
    '#side=96&sampler=checkerboard&seed=5&numDraws=40&temperature=3.5&start=aligned',
  );
  await press(page, 'Sample');
  await untilPoint(page);
  const hot = (await pointsOf(page))[0].energy;
  assert.ok(Math.abs(hot - energyPerSite(3.5)) < 0.05, `${hot}`);
  // By the keyboard to the cold end.
  await page.getByLabel('Temperature', { exact: true }).focus();
  await page.keyboard.press('Home');
  await page.waitForFunction(
    () => document.querySelectorAll('[data-findings] tbody tr').length === 2,
  );
  await page.waitForFunction(() => /temperature=1&/.test(location.hash));
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
  const cold = (await pointsOf(page)).find(({ temperature }) => temperature === 1).energy;
  assert.ok(cold < -1.6, `${cold}`);

  const spins = await spinsOf(page, 96);
  // With the last state, which the code has in `start`.
  const stdout = await outputOf(
    `${await codeOf(page)}\nconsole.log(Buffer.from(start.data.bits).toString('hex'));`,
  );
  const bits = Buffer.from(stdout.trim().split('\n').at(-1), 'hex');
  const again = spins.map((_, n) => 2 * ((bits[n >> 3] >> (n & 7)) & 1) - 1);
  assert.deepEqual(again, spins);
  assert.deepEqual(problems, []);
});

test('the same link gives the same points', async () => {
  const numbers = [];
  for (let n = 0; n < 2; n++) {
    const { page } = await open(`${SMALL}&mode=sweep&temperature=2`);
    await press(page, 'Sample');
    await untilStatus(page, 'done');
    numbers.push((await pointsOf(page)).map(({ seconds, ...point }) => point));
  }
  assert.equal(numbers[0].length, 15);
  assert.deepEqual(numbers[1], numbers[0]);
});

test('a run can be paused, goes on, can be stopped and continued', async () => {
  const { page } = await open();
  const before = await pixelsOf(page, 'Lattice');
  await press(page, 'Sample');
  await untilPoint(page);
  await press(page, 'Pause');
  await untilStatus(page, 'paused');
  await drawn(page);
  const paused = await pixelsOf(page, 'Lattice');
  assert.notEqual(paused, before);
  await page.waitForTimeout(300);
  assert.equal(await pixelsOf(page, 'Lattice'), paused);
  await press(page, 'Resume');
  await page.waitForFunction(
    (was) => document.querySelector('canvas[data-picture="Lattice"]').toDataURL() !== was,
    paused,
  );
  await press(page, 'Stop');
  await page.getByText('Stopped. Continue goes on from this lattice.').waitFor();
  const draws = Number((await numberOf(page, 'Draws')).replaceAll(',', ''));
  await press(page, 'Continue');
  await page.waitForFunction(
    (was) =>
      Number(
        document.querySelector('[data-number="Draws"] .value').textContent.replaceAll(',', ''),
      ) >
      was + 60,
    draws,
  );
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
});

test('with a field nothing is called exact, and the field turns the spins', async () => {
  const { page } = await open(`${SMALL}&temperature=3&field=0.5`);
  await press(page, 'Sample');
  await untilPoint(page);
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
  assert.equal(await numberOf(page, 'Exact, this torus'), 'not known');
  assert.equal(await numberOf(page, 'Self-check'), '–');
  assert.ok((await spinsOf(page, 96)).reduce((sum, spin) => sum + spin, 0) > 3000);
});

test('a link brings back the state, and what is wrong in one is said', async () => {
  const { page } = await open();
  await page.getByLabel('Sampler', { exact: true }).selectOption('wolff');
  await page.getByRole('button', { name: 'set the critical temperature' }).click();
  await page.getByLabel('Sites along a side', { exact: true }).selectOption('128');
  const link = new URL(await copiedLink(page)).hash;
  const { page: other } = await open(link);
  assert.equal(await other.getByLabel('Sampler', { exact: true }).inputValue(), 'wolff');
  const side = other.getByLabel('Sites along a side', { exact: true });
  assert.equal(await side.inputValue(), '128');
  assert.equal(new URL(await copiedLink(other)).hash, link);
  const { page: wrong } = await open('#side=17&temperature=9');
  await wrong.getByText('“17” as side').waitFor();
  await wrong.getByText('“9” as temperature').waitFor();
});

test('where motion is not wanted, the lattice changes about once a second', async () => {
  const { page } = await open(SMALL, { reducedMotion: 'reduce' });
  await page.evaluate(() => {
    globalThis.paints = 0;
    globalThis.since = performance.now();
    const put = CanvasRenderingContext2D.prototype.putImageData;
    CanvasRenderingContext2D.prototype.putImageData = function (...args) {
      globalThis.paints += 1;
      return put.apply(this, args);
    };
  });
  await press(page, 'Sample');
  await untilPoint(page);
  const draws = Number((await numberOf(page, 'Draws')).replaceAll(',', ''));
  // However long the point took: there are a paint a second at most, and those at the start and the end of a run.
  const { paints, seconds } = await page.evaluate(() => ({
    paints: globalThis.paints,
    seconds: (performance.now() - globalThis.since) / 1000,
  }));
  assert.ok(draws >= 40 && paints <= 4 + seconds, `${paints} paints in ${seconds} s`);
});

test('the lattice and the pictures come as PNG, the run as JSON', async () => {
  const { page } = await open();
  await press(page, 'Sample');
  await untilPoint(page);
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
  const lattice = await download(page, 'Lattice, PNG');
  assert.equal(lattice.toString('latin1', 1, 4), 'PNG');
  assert.deepEqual([lattice.readUInt32BE(16), lattice.readUInt32BE(20)], [96, 96]);
  assert.equal((await download(page, 'Pictures, PNG')).toString('latin1', 1, 4), 'PNG');
  const { segments, settings } = JSON.parse(await download(page, 'Run, JSON'));
  assert.equal(settings.side, '96');
  segments.forEach(({ index, seed }, n) => {
    assert.equal(index, n);
    assert.equal(seed, 2 ** 20 + n);
  });
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await press(page, 'Sample');
  await untilPoint(page);
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
  await assertSoundEverywhere(page);
});
