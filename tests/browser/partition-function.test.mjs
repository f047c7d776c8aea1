import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import { isThere, pressWhen } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  amountOf,
  assertSoundEverywhere,
  copiedLink,
  desk,
  digestOf,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/partition-function/';
/** By transfer matrix, with the data. */
const EXACT = 104.11629205937966;
const SANDWICH = 'log Z against the number of distributions';
/** A small glass that is done in no time. */
const SMALL = '#model=ising&size=9&shape=1&chains=50&gap=0.3&seed=2';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = SMALL, options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByText('Ready to estimate').waitFor();
  return opened;
}

async function estimate(page) {
  await press(page, 'Estimate');
  await untilStatus(page, 'done');
}

/** Every K of the table, as numbers; intervals as two. */
function levelsOf(page) {
  return page.locator('[data-level]').evaluateAll((rows) =>
    rows.map((row) => {
      const number = (text) => Number(text.replaceAll(',', '').replace('−', '-'));
      const [K, forward, reverse, interval, gap] = [...row.children].map((cell) =>
        cell.textContent.split(' to ').map(number),
      );
      return { K: K[0], forward, reverse, interval, gap: gap[0] };
    }),
  );
}

async function download(page, label) {
  await press(page, 'Download');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: label }).click(),
  ]);
  return readFile(await file.path());
}

test('the sandwich closes on the exact log Z of the 10×10 spin glass, and the interval holds it', async () => {
  const { page, problems } = await open('#gap=0.3&seed=1');
  assert.match(await page.locator('[data-exact]').textContent(), /104\.1162921/);
  const before = await pixelsOf(page, SANDWICH);
  await estimate(page);
  await page.getByText('It has stopped by itself').waitFor();
  const { runs, exactLogZ } = JSON.parse(await download(page, 'Results, JSON'));
  assert.ok(Math.abs(exactLogZ - EXACT) < 1e-9);
  assert.deepEqual(
    runs.map(({ result }) => result.schedule.length - 1),
    runs.map((_, n) => 16 * 2 ** n),
  );
  const gaps = runs.map(({ gap }) => gap);
  assert.ok(gaps.at(-1) <= 0.3 && gaps.slice(0, -1).every((gap) => gap > 0.3), String(gaps));
  // Of the mean log weights, which err to either side whatever K is: by less and less.
  for (const { result } of runs) {
    const { forward, reverse, bounds } = result;
    assert.ok(forward.meanLogWeight - 6 * forward.meanLogWeightError < EXACT);
    assert.ok(reverse.meanLogWeight + 6 * reverse.meanLogWeightError > EXACT);
    assert.ok(bounds.boundIsCertified);
    assert.ok(bounds.lower < EXACT && EXACT < bounds.upper);
  }
  const { result } = runs.at(-1);
  assert.ok(result.interval.lower < EXACT && EXACT < result.interval.upper);
  assert.equal(await numberOf(page, 'Self-check'), 'inside');
  assert.equal(await page.locator('[data-verdict="inside"]').count(), 1);
  assert.ok(Math.abs((await amountOf(page, 'Gap')) - gaps.at(-1)) < 1e-3);
  assert.match(await page.locator('[data-bounds]').textContent(), /certified/);
  assert.notEqual(await pixelsOf(page, SANDWICH), before);
  assert.deepEqual(problems, []);
});

test('the same link gives the same digest, and so does the code shown', async () => {
  const { page } = await open();
  await estimate(page);
  const digest = await digestOf(page);
  assert.match(digest, /^[0-9a-f]{64}$/);
  const link = new URL(await copiedLink(page)).hash;
  assert.match(link, new RegExp(`digest=${digest.slice(0, 16)}`));
  const { page: other } = await open(link);
  await estimate(other);
  await other.locator('[data-digest-check="same"]').waitFor();
  assert.equal(await digestOf(other), digest);

  const lines = await outputOfCode(page);
  assert.equal(lines.match(/[0-9a-f]{64}/g)?.at(-1), digest);
});

test('the code of every kind of model runs and takes the same run', async () => {
  for (const hash of [
    '#model=glass&chains=20&gap=60&shape=0.5&seed=3',
    '#model=rbm&size=4&chains=20&gap=30&seed=3',
    '#model=gaussian&size=5&shape=0.5&referenceSd=1.5&chains=20&gap=30&seed=3',
    '#model=studentT&size=2&shape=1.5&chains=20&gap=30&steps=2&schedule=sigmoidal&transition=metropolis&seed=3',
  ]) {
    const { page } = await open(hash);
    await estimate(page);
    const lines = await outputOfCode(page);
    assert.equal(lines.match(/[0-9a-f]{64}/g)?.at(-1), await digestOf(page), hash);
  }
});

test('a run is stopped in mid-anneal, goes on to the same digest, and can be paused', async () => {
  const hash = '#gap=0.7&chains=50&seed=4';
  const { page } = await open(hash);
  await estimate(page);
  const digest = await digestOf(page);
  const { page: other } = await open(hash);
  const pressed = pressWhen(other, 'Pause', isThere, '[data-level="64"]');
  await press(other, 'Estimate');
  await pressed;
  await untilStatus(other, 'paused');
  const count = await other.locator('[data-level]').count();
  await other.waitForTimeout(300);
  assert.equal(await other.locator('[data-level]').count(), count);
  const stopped = pressWhen(other, 'Stop', isThere, '[data-status="running"]');
  await press(other, 'Resume');
  await stopped;
  await untilStatus(other, 'stopped');
  assert.equal(await digestOf(other), '');
  await press(other, 'Continue');
  await untilStatus(other, 'done');
  assert.equal(await digestOf(other), digest);
});

test('a smaller gap asked for afterwards makes the run go on', async () => {
  const { page } = await open(SMALL.replace('gap=0.3', 'gap=2'));
  await estimate(page);
  const before = await levelsOf(page);
  const field = page.getByLabel('Gap wanted');
  await field.fill('0.3');
  await field.press('Tab');
  await page.getByText('Continue goes on.').waitFor();
  await press(page, 'Continue');
  await page.getByText('It has stopped by itself').waitFor();
  const levels = await levelsOf(page);
  assert.ok(levels.length > before.length);
  assert.deepEqual(levels.slice(0, before.length), before);
  assert.ok(levels.at(-1).gap <= 0.3);
});

test('where nobody knows Z and there are no exact draws, the upper value is called a diagnostic', async () => {
  const { page } = await open('#model=formula&formula=x^2%2By^4&chains=50&gap=1&seed=1');
  assert.match(await page.locator('[data-exact]').textContent(), /nobody knows it/);
  await estimate(page);
  assert.match(await page.locator('[data-bounds]').textContent(), /diagnostic, not a bound/);
  assert.equal(await numberOf(page, 'Exact'), 'not known');
  assert.equal(await numberOf(page, 'Self-check'), 'not known');
  // This one can be looked up all the same: ∫ exp(−x²) = √π, ∫ exp(−y⁴) = 2 Γ(5/4).
  const truth = Math.log(Math.sqrt(Math.PI) * 2 * 0.9064024770554771);
  const { runs } = JSON.parse(await download(page, 'Results, JSON'));
  const { logZ, standardError } = runs.at(-1).result;
  assert.ok(Math.abs(logZ - truth) < 6 * standardError, `${logZ} ± ${standardError}, ${truth}`);
});

test('a formula with a mistake is not started', async () => {
  const { page } = await open('#model=formula');
  const field = page.getByLabel('Energy of x and y');
  await field.fill('x^2 + foo');
  await page.getByText(/`foo` is unknown/).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Estimate', exact: true }).isDisabled());
  await field.fill('x^2 + y^2');
  await page.getByText('Ready to estimate').waitFor();
});

test('every model can be estimated, and where Z is known the intervals hold it mostly', async () => {
  const { page, problems } = await open();
  const models = await page
    .getByLabel('Model', { exact: true })
    .locator('option')
    .evaluateAll((options) => options.map(({ value }) => value));
  assert.equal(models.length, 12);
  let numInside = 0;
  let numKnown = 0;
  for (const model of models) {
    await page.getByLabel('Model', { exact: true }).selectOption(model);
    const gap = page.getByLabel('Gap wanted');
    await gap.fill('1.5');
    await gap.press('Tab');
    await page.getByText('Ready to estimate').waitFor();
    await estimate(page);
    assert.ok((await levelsOf(page)).length > 0, model);
    const verdict = await numberOf(page, 'Self-check');
    if (verdict !== 'not known') numKnown++;
    if (verdict === 'inside') numInside++;
  }
  assert.equal(numKnown, 11);
  assert.ok(numInside >= 7, `${numInside} of ${numKnown}`);
  assert.deepEqual(problems, []);
});

test('earlier K can be looked at again', async () => {
  const { page } = await open();
  await estimate(page);
  const last = await numberOf(page, 'K');
  const histogram = await pixelsOf(page, 'What every single chain makes of log Z');
  await page.getByLabel('Step shown').focus();
  await page.keyboard.press('Home');
  await page.locator('[data-replay-text]').filter({ hasText: 'K = 16' }).waitFor();
  assert.equal(await numberOf(page, 'K'), '16');
  await page.waitForFunction(
    ([title, old]) => document.querySelector(`canvas[data-picture="${title}"]`).toDataURL() !== old,
    ['What every single chain makes of log Z', histogram],
  );
  await page.keyboard.press('End');
  assert.equal(await numberOf(page, 'K'), last);
});

test('the chains of the newest K are looked at in the midst of their way', async () => {
  const { page } = await open('#chains=500&gap=0.3&seed=1');
  await estimate(page);
  const betaOf = async (way) =>
    Number(/β = (\d\.\d+)\./.exec(await page.locator(`[data-chains="${way}"]`).textContent())?.[1]);
  for (const way of ['Forward chains', 'Reverse chains']) {
    await page.getByLabel('Look at β').fill('0');
    const [early, atStart] = [await betaOf(way), await pixelsOf(page, way)];
    await page.getByLabel('Look at β').fill('1');
    await page.waitForFunction(
      ([name, old]) => document.querySelector(`canvas[data-picture="${name}"]`).toDataURL() !== old,
      [way, atStart],
    );
    assert.ok((await betaOf(way)) > early + 0.2, `${way}: ${early}, ${await betaOf(way)}`);
  }
});

test('downloads hold what is on the page', async () => {
  const { page } = await open();
  await estimate(page);
  const levels = await levelsOf(page);
  const csv = (await download(page, 'Estimates, CSV')).toString().trim().split('\n');
  assert.equal(csv.length, 1 + levels.length);
  assert.equal(csv.at(-1).split(',').at(-1), await digestOf(page));
  const weights = (await download(page, 'Log weights, CSV')).toString().trim().split('\n');
  assert.equal(weights.length, 51);
  const png = await download(page, 'Pictures, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
});

test('a link with nonsense says so and works all the same', async () => {
  const { page } = await open('#model=rbm&size=7&shape=99&transition=hais&gap=-1');
  assert.equal(await page.locator('.notice p').count(), 4);
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await estimate(page);
  await assertSoundEverywhere(page);
});
