import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { interrupt } from './holding.mjs';
import { bitsOf, openRestore, openAndRun as openRunAt } from './restore-lab.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  copiedLink,
  digestOf,
  download,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

/** A machine that learns in a moment, and not much. */
const SMALL = '#task=digit&numHidden=25&rows=400&epochs=2';
const SHEET = '40 completions';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const open = (hash, options) => openRestore(site, hash, options);
const openAndRun = (hash, options) => openRunAt(site, hash, options);
const completionsIn = async (page) => {
  const { digit, erased, completions, means, ...rest } = JSON.parse(
    await download(page, 'Completions, JSON'),
  );
  return {
    digit: bitsOf(digit),
    erased: bitsOf(erased),
    rows: completions.map(bitsOf),
    means,
    ...rest,
  };
};

test('completions keep what is given exactly, and differ where it is erased', async () => {
  const { page, problems } = await open(SMALL);
  const empty = await pixelsOf(page, SHEET);
  await press(page, 'Complete');
  await untilStatus(page, 'done');
  assert.notEqual(await pixelsOf(page, SHEET), empty);
  const { digit, erased, rows, means, numSweeps } = await completionsIn(page);
  assert.equal(rows.length, 40);
  assert.equal(numSweeps, 1100);
  erased.forEach((isErased, n) => {
    assert.equal(isErased, Number(n >= 392), `pixel ${n}`);
    if (isErased) return;
    assert.ok(Math.abs(means[n] - digit[n]) < 1e-9, `mean of pixel ${n}`);
    assert.ok(
      rows.every((row) => row[n] === digit[n]),
      `pixel ${n}`,
    );
  });
  const distinct = new Set(rows.map((row) => row.join(''))).size;
  assert.equal(await numberOf(page, 'Distinct completions'), `${distinct} of 40`);
  const lower = Array.from({ length: 392 }, (_, n) => 392 + n);
  const apart = lower.reduce((sum, n) => {
    const ink = rows.filter((row) => row[n]).length;
    return sum + (2 * ink * (40 - ink)) / (40 * 39) / 392;
  }, 0);
  assert.equal(await numberOf(page, 'Differ'), `${(100 * apart).toFixed(1)}\u00a0%`);
  assert.match(await numberOf(page, 'ln p(erased | given)'), /^−\d+(\.\d+)? ± [\d.]+ nats$/);
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /in \d+\.\d.% of the erased pixels/,
  );
  assert.deepEqual(problems, []);
});

test('the code prints the digest of the page, and a stopped run goes on to the same', async () => {
  const { page } = await open(`${SMALL}&digit=7&erased=right&seed=5`);
  await interrupt(page, 'Stop', 'Complete');
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const digest = await digestOf(page);
  const stdout = await outputOfCode(page);
  const [, likelihood, printed] = stdout.trim().split(' ');
  assert.equal(printed, digest);
  const { likelihood: shown } = await completionsIn(page);
  assert.equal(shown.value, Number(likelihood));
});

test('the machine stays when digit or part change, and goes with its own settings', async () => {
  const { page } = await openAndRun(SMALL);
  const { machine: first, digest } = await completionsIn(page);
  await page.getByLabel('Digit', { exact: true }).selectOption('8');
  await page.getByLabel('Erased', { exact: true }).selectOption('upper');
  await page.locator('[data-digest=""]').waitFor({ state: 'attached' });
  assert.notEqual(await numberOf(page, 'Seconds of learning'), '–');
  await press(page, 'Complete');
  await untilStatus(page, 'done');
  const other = await completionsIn(page);
  assert.equal(other.machine.digest, first.digest);
  assert.notEqual(other.digest, digest);
  assert.deepEqual([other.erased[0], other.erased[783]], [1, 0]);
  const { page: linked } = await openAndRun(new URL(await copiedLink(page)).hash);
  assert.equal(await digestOf(linked), other.digest);

  await page.getByLabel('Epochs').fill('1');
  await page.getByLabel('Epochs').press('Enter');
  assert.equal(await numberOf(page, 'Seconds of learning'), '–');
});

test('a part is painted, and without one there is nothing to complete', async () => {
  const { page } = await open(SMALL);
  await press(page, 'Give all back');
  await page.getByText('Nothing is erased: choose').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Complete', exact: true }).isDisabled());
  const grid = page.locator('[data-grid]');
  await grid.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await grid.boundingBox();
  await page.mouse.move(x + 0.5 * width, y + 0.5 * height);
  await page.mouse.down();
  await page.mouse.move(x + 0.5 * width, y + 0.7 * height, { steps: 3 });
  await page.mouse.up();
  await press(page, 'Complete');
  await untilStatus(page, 'done');
  const { digit, erased, rows } = await completionsIn(page);
  const numErased = erased.reduce((sum, one) => sum + one, 0);
  assert.ok(numErased > 5 && numErased < 60, `${numErased} pixels`);
  assert.ok(rows.every((row) => row.every((pixel, n) => erased[n] || pixel === digit[n])));
  const [head, ...lines] = (await download(page, 'Pixels, CSV')).toString().trim().split('\n');
  assert.equal(head, 'row,column,digit,erased,mean');
  assert.equal(lines.length, 784);
});

test('axe finds nothing wrong and nothing sticks out when a digit is completed', async () => {
  const { page } = await openAndRun(`${SMALL}&epochs=1`, { bypassCSP: true });
  await assertSoundEverywhere(page);
});
