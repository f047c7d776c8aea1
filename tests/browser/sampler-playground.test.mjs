import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { liveDiagnostics } from '../../www/lib/live-diagnostics.js';
import { pressWhen } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  copiedLink,
  desk,
  download,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/sampler-playground/';
const HMC = 'hmc_0.3_fixed_6_1_standard_6';
/** Two samplers that mix well on a Gaussian. */
const SMALL = `#target=gaussian&shape=0.5&a=${HMC}&b=nuts_0.4_fixed_10_1_standard_6&c=off&chains=8&steps=400&seed=3`;

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = SMALL, options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByText('Ready: press Run').waitFor();
  return opened;
}

/** Runs and shows all steps at once. */
async function toTheEnd(page) {
  await press(page, 'Run');
  await page.waitForFunction(() => document.querySelectorAll('[data-digest-of]').length > 0);
  await page.waitForFunction(
    () =>
      document.querySelectorAll('[data-digest-of]').length ===
      document.querySelectorAll('figure[data-lane]').length,
  );
  // Where sampling took long, all steps may have been shown by now.
  await page.evaluate(() =>
    [...document.querySelectorAll('[aria-label="Playing"] button')]
      .find(({ textContent }) => textContent.trim() === 'To the end')
      .click(),
  );
  await untilStatus(page, 'done');
}

function cell(page, name, of) {
  return page.locator(`[data-number="${name}"] [data-of="${of}"]`);
}

async function valueIn(page, name, of) {
  return Number((await cell(page, name, of).textContent()).replaceAll(',', ''));
}

function shown(page) {
  return page.getByLabel('Shown').inputValue().then(Number);
}

test('two samplers side by side come to the moments of the density', async () => {
  const { page, problems } = await open();
  const empty = await pixelsOf(page, 'A: HMC');
  await toTheEnd(page);
  for (const lane of ['a', 'b']) {
    assert.equal(await cell(page, 'Self-check', lane).textContent(), 'passed');
    assert.equal(await valueIn(page, 'Steps', lane), 400);
    assert.ok((await valueIn(page, 'R̂', lane)) < 1.05);
    assert.ok((await valueIn(page, 'ESS', lane)) > 300);
    assert.ok((await valueIn(page, 'ESS per 1,000 gradients', lane)) > 1);
    assert.ok((await valueIn(page, 'ESS per second', lane)) > 1);
  }
  assert.notEqual(await pixelsOf(page, 'A: HMC'), empty);
  assert.deepEqual(problems, []);
});

test('a sampler that is biased, or does not mix, does not pass', async () => {
  const ula = `#target=gaussian&shape=0&a=ula_1.3_fixed_1_1_standard_6&b=off&c=off&chains=16&steps=1000&seed=1`;
  const { page } = await open(ula);
  await toTheEnd(page);
  assert.equal(await cell(page, 'Self-check', 'a').textContent(), 'biased');
  const apart = `#target=mixture&shape=8&a=metropolis_0.3_fixed_1_1_standard_6&b=off&c=off&chains=16&steps=300&seed=1`;
  const { page: other } = await open(apart);
  await toTheEnd(other);
  assert.equal(await cell(other, 'Self-check', 'a').textContent(), 'not mixed');
});

test('the same link gives the same digests, and the code shown too', async () => {
  const { page } = await open();
  await toTheEnd(page);
  const digests = (of) =>
    of.locator('[data-digest-of]').evaluateAll((all) => all.map(({ title }) => title));
  const found = await digests(page);
  assert.equal(found.length, 2);
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  await toTheEnd(other);
  assert.deepEqual(await digests(other), found);

  const stdout = await outputOfCode(page);
  const lines = stdout.match(/[0-9a-f]{64}/g);
  assert.deepEqual(lines, found);
});

test('the live figures are near the engine’s', async () => {
  const { page } = await open();
  await toTheEnd(page);
  const { samplers } = JSON.parse(await download(page, 'Results, JSON'));
  assert.deepEqual(
    samplers.map(({ name }) => name),
    ['A', 'B'],
  );
  for (const { spec, result } of samplers) {
    assert.equal(spec.model.kind, 'gaussian');
    const { values, numDraws, numChains, dim } = result.draws;
    assert.equal(result.paths.lengths.length, numDraws);
    for (const entry of [0, 1]) {
      const live = liveDiagnostics(values, { numDraws, numChains, dim, entry });
      assert.ok(Math.abs(live.mean - result.summary.mean[entry]) < 1e-9);
      assert.ok(Math.abs(Math.sqrt(live.variance) / result.summary.sd[entry] - 1) < 1e-3);
      assert.ok(Math.abs(live.rhat - result.summary.rhat[entry]) < 0.02);
      assert.ok(Math.abs(live.ess / result.summary.essBulk[entry] - 1) < 0.2);
    }
  }
  const csv = (await download(page, 'Draws, CSV')).toString().trim().split('\n');
  assert.equal(csv.length, 1 + 2 * 400 * 8);
  const npy = await download(page, 'Draws of A, NPY');
  assert.match(npy.toString('latin1', 0, 128), /'shape': \(400, 8, 2\)/);
  assert.ok((await download(page, 'Pictures, PNG')).subarray(1, 4).toString() === 'PNG');
});

test('single steps, back and forth, from the keyboard', async () => {
  const { page } = await open();
  await page.getByRole('button', { name: 'Step', exact: true }).focus();
  for (let n = 1; n <= 3; n++) {
    await page.keyboard.press('Enter');
    await page
      .locator('[data-readout="a"]')
      .filter({ hasText: `Step ${n}:` })
      .waitFor();
    await page.getByText('Stopped. Continue goes on').waitFor();
  }
  assert.match(
    await page.locator('[data-readout="a"]').textContent(),
    /^Step 3: (accepted|rejected)\. Energy error [+−]\d\.\d{3}\.$/,
  );
  const third = await pixelsOf(page, 'A: HMC');
  await page.getByLabel('Shown').focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('[data-readout="a"]').filter({ hasText: 'Step 4:' }).waitFor();
  assert.notEqual(await pixelsOf(page, 'A: HMC'), third);
  await page.keyboard.press('ArrowLeft');
  await page.locator('[data-readout="a"]').filter({ hasText: 'Step 3:' }).waitFor();
  assert.equal(await pixelsOf(page, 'A: HMC'), third);
  await press(page, 'Reset');
  assert.equal(await shown(page), 0);
});

test('a run can be paused, goes on, and can be stopped', async () => {
  const { page } = await open();
  const isUnderWay = () =>
    document.querySelector('[data-readout="a"]').textContent.startsWith('Step');
  const paused = pressWhen(page, 'Pause', isUnderWay);
  await press(page, 'Run');
  await paused;
  await untilStatus(page, 'paused');
  const before = await shown(page);
  await page.waitForTimeout(300);
  assert.equal(await shown(page), before);
  const isFurther = (least) =>
    Number(document.querySelector('.bar input[max="400"]').value) > least;
  const stopped = pressWhen(page, 'Stop', isFurther, before);
  await press(page, 'Resume');
  await stopped;
  await page.getByText('Stopped. Continue goes on').waitFor();
  await press(page, 'Continue');
  await press(page, 'To the end');
  await untilStatus(page, 'done');
});

test('a formula is drawn as it is typed, and what is wrong with it is said with its column', async () => {
  const { page } = await open(
    `${SMALL.replace('gaussian&shape=0.5', 'formula')}&formula=x^2%2By^2&reach=3`,
  );
  const field = page.getByLabel('Energy of x and y');
  const first = await pixelsOf(page, 'A: HMC');
  await field.fill('x^2 + y^2*foo');
  await page.getByText(/at column 11: `foo` is unknown/).waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.ok(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled());
  await field.fill('x^2 + 4*y^2');
  await page.getByText('Ready: press Run').waitFor();
  await page.waitForFunction(
    (before) => document.querySelector('canvas[data-picture="A: HMC"]').toDataURL() !== before,
    first,
  );
  await toTheEnd(page);
  assert.equal(await cell(page, 'Self-check', 'a').textContent(), 'passed');
});

test('figure 6.3 of the thesis: reduced flips forget sooner, in one chart with the standard ones', async () => {
  const { page, problems } = await open();
  const memory = page.locator('[data-memory]');
  assert.equal(await memory.getAttribute('data-memory'), '0');
  await press(page, 'Set up figure 6.3');
  await page.getByText('Ready: press Run').waitFor();
  await toTheEnd(page);
  const chart = page.locator('canvas[data-picture="Autocovariance"]');
  await chart.waitFor();
  assert.equal(await memory.getAttribute('data-memory'), '2');
  const [standard, reduced] = await memory.locator('li').allTextContents();
  const [a, b] = [
    [standard, 'A: HMC, standard flips'],
    [reduced, 'B: HMC, reduced flips'],
  ].map(([line, name]) => {
    const [, found, first, half] =
      /^(.+) begins at (.+) and is below half of that from lag (\d+) on\.$/.exec(line);
    assert.equal(found, name);
    return { first: Number(first), half: Number(half) };
  });
  // ½ e^(3/100) is 0.515. Seeds are fixed: the numbers are the same everywhere.
  for (const { first } of [a, b]) assert.ok(Math.abs(first - 0.515) < 0.015, `${first}`);
  assert.ok(b.half < 0.8 * a.half, `${b.half} of ${a.half}`);
  assert.match(await chart.getAttribute('aria-label'), /bands of one standard error over chains/);
  await page.getByLabel('Steps', { exact: true }).selectOption('100');
  await page.getByText('The autocovariance of every sampler comes with its last step.').waitFor();
  assert.deepEqual(problems, []);
});

test('every target and every sampler runs', async () => {
  const { page, problems } = await open();
  for (const [n, target] of ['ring', 'mixture', 'banana', 'funnel', 'doubleWell'].entries()) {
    await page.getByLabel('Target').selectOption(target);
    const kind = ['mala', 'tempering', 'ula', 'metropolis', 'hmc'][n];
    await page.getByLabel('Sampler A', { exact: true }).selectOption(kind);
    await page.getByText('Ready: press Run').waitFor();
    await toTheEnd(page);
    assert.equal(await valueIn(page, 'Steps', 'a'), 400);
    await press(page, 'Reset');
  }
  assert.deepEqual(problems, []);
});

test('simulated tempering shows its levels, and log Z beside that of the grid', async () => {
  const simulated = 'simulated_0.3_fixed_6_1_standard_4';
  const link = SMALL.replace(`a=${HMC}`, `a=${simulated}`).replace('chains=8', 'chains=16');
  const { page, problems } = await open(link, { viewport: desk, bypassCSP: true });
  await page.getByText('The levels come with the last step.').waitFor();
  await toTheEnd(page);
  await page.locator('[data-levels="1"]').waitFor();
  assert.equal(await cell(page, 'Self-check', 'a').textContent(), 'passed');
  const words = (await page.locator('[data-level-words]').textContent()).replaceAll('−', '-');
  const [, logZ, error] = words.match(/log Z is (-?\d+(?:\.\d+)?) ± (\d+(?:\.\d+)?)/);
  const [, ofGrid] = words.match(/over the window log Z is (-?\d+(?:\.\d+)?)/);
  // Of 16 chains: ten standard errors are a false alarm in fewer than one of a million.
  assert.ok(Math.abs(logZ - ofGrid) < 10 * error && error < 0.1, words);
  await assertSoundEverywhere(page);
  assert.deepEqual(problems, []);
});

test('a link with nonsense says so and works all the same', async () => {
  const { page } = await open('#target=gaussian&shape=7&a=hmc_99_fixed_6_1_standard_6&chains=0');
  assert.equal(await page.locator('.notice p').count(), 3);
  await page.getByText('has to be a sampler with its settings').waitFor();
});

test('where motion is not wanted, only the end is shown', async () => {
  const { page } = await open(SMALL, { reducedMotion: 'reduce' });
  await press(page, 'Run');
  await untilStatus(page, 'done');
  assert.equal(await shown(page), 400);
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await toTheEnd(page);
  await assertSoundEverywhere(page);
});
