import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { ProbabilityFlow } from '../../www/lib/probability-flow.js';
import { interrupt } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  amountOf,
  assertSoundEverywhere,
  copiedLink,
  desk,
  digestOf,
  download,
  fit,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/flow/';
const PICTURE = 'Probability at time t';
/** A ferromagnet of three spins, and data that it does not like. */
const SMALL = '#spins=3&model=ferromagnet&strength=0.5&bias=0&data=100.5_010.2_110.1_101.3_011.1';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = '', options = {}) {
  const opened = await site.page(LAB + hash, { reducedMotion: 'reduce', ...options });
  await opened.page.getByText('Ready: play the flow').waitFor();
  return opened;
}

/** The flow of `SMALL`, by itself. */
function smallFlow() {
  const couplings = Array.from({ length: 9 }, (_, n) => (n % 4 === 0 ? 2 : -1));
  const start = new Float64Array(8);
  // 100 is the state of the number 1.
  const counts = { 1: 5, 2: 2, 3: 1, 5: 3, 6: 1 };
  for (const [state, count] of Object.entries(counts)) start[state] = count / 12;
  return new ProbabilityFlow(couplings, 3, start, false);
}

function near(found, expected, digits = 1e-5) {
  assert.ok(Math.abs(found / expected - 1) < digits, `${found} is not ${expected}`);
}

/** Until every self-check says so. */
function passed(page) {
  return page.waitForFunction(() => {
    const values = [...document.querySelectorAll('[data-number^="Self-check"] .value')];
    return values.length === 3 && values.every(({ textContent }) => textContent === 'passed');
  });
}

async function countOf(page, name) {
  return Number(await page.locator(`[data-state="${name}"]`).getAttribute('data-count'));
}

/** The moment shown, and all of the probability at it. */
function momentOf(page) {
  return page.locator('[data-t]').getAttribute('data-t').then(Number);
}

test('the numbers of the couplings given are those of the flow by itself', async () => {
  const { page, problems } = await open(SMALL);
  const flow = smallFlow();
  near(await amountOf(page, 'K, couplings given'), flow.objective(false));
  near(await amountOf(page, 'Slope at t = 0'), flow.objective(true));
  near(await amountOf(page, 'Divergence at equilibrium'), flow.divergenceAtEquilibrium);
  const lambda2 = await numberOf(page, 'λ₂');
  near(Number(lambda2.replace('−', '-')), flow.lambda2);
  assert.equal(await numberOf(page, 'Divergence at t'), '0');
  assert.equal(await numberOf(page, 'Outside the data at t'), '0');
  assert.deepEqual(problems, []);
});

test('the slider moves the picture and the numbers', async () => {
  const { page } = await open(SMALL);
  const flow = smallFlow();
  const start = await pixelsOf(page, PICTURE);
  const slider = page.getByLabel('Moment shown').last();
  await slider.fill('0.5');
  await page.locator('[data-t="0"]').waitFor({ state: 'detached' });
  const t = await momentOf(page);
  near(await amountOf(page, 'Divergence at t'), flow.divergenceAfter(t));
  assert.notEqual(await pixelsOf(page, PICTURE), start);
  await slider.fill('1');
  await page.waitForFunction(
    (before) => Number(document.querySelector('[data-t]').dataset.t) > before,
    t,
  );
  // Six relaxation times: as good as the model.
  near(await amountOf(page, 'Divergence at t'), flow.divergenceAtEquilibrium, 0.02);
  await page.getByText(/^All states at/).click();
  const now = await page.locator('[data-state-row="111"] td').nth(2).textContent();
  near(Number(now), flow.equilibrium[7], 0.02);
});

test('it plays from the data to the model and can be held', async () => {
  const { page } = await open(SMALL, { reducedMotion: 'no-preference' });
  // The page's own time, of which it takes six seconds, passes as the test has it.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const bar = page.getByRole('group', { name: 'Moment shown' });
  await bar.getByRole('button', { name: 'Play' }).click();
  await page.clock.runFor(1500);
  const first = await momentOf(page);
  assert.ok(first > 0);
  await page.clock.runFor(1000);
  assert.ok((await momentOf(page)) > first);
  await bar.getByRole('button', { name: 'Pause' }).click();
  const held = await momentOf(page);
  await page.clock.runFor(1000);
  assert.equal(await momentOf(page), held);
});

test('a fit makes K small, stops the flow and agrees with the engine', async () => {
  const { page, problems } = await open();
  const before = await amountOf(page, 'K, couplings given');
  const slope = await amountOf(page, 'Slope at t = 0');
  const picture = await pixelsOf(page, PICTURE);
  await fit(page);
  await passed(page);
  assert.equal(await amountOf(page, 'K, couplings given'), before);
  assert.ok((await amountOf(page, 'K, couplings shown')) < 0.6 * before);
  assert.ok((await amountOf(page, 'Slope at t = 0')) < 0.1 * slope);
  assert.ok((await amountOf(page, 'Divergence at equilibrium')) < 0.05);
  assert.notEqual(await pixelsOf(page, PICTURE), picture);
  const found = await page.locator('[data-findings]').textContent();
  assert.match(found, /Flow to states that are not data has nearly stopped/);
  assert.match(found, /K itself does not come to 0/);

  // All steps are there to be looked at: the first is that of the couplings given.
  const steps = page.getByLabel('Step shown');
  assert.ok(Number(await steps.getAttribute('max')) >= 8);
  await steps.fill('0');
  await page.getByText('at evaluation 1 of the fit', { exact: true }).waitFor();
  assert.equal(await amountOf(page, 'K, couplings shown'), before);
  assert.deepEqual(problems, []);
});

test('flow between data that is left out leaves the model anywhere, and the page says so', async () => {
  const { page } = await open('#between=out');
  near(await amountOf(page, 'K, couplings given'), await amountOf(page, 'Slope at t = 0'));
  await fit(page);
  await passed(page);
  assert.ok((await amountOf(page, 'K, couplings shown')) < 1e-3);
  assert.ok((await amountOf(page, 'Divergence at equilibrium')) > 1);
  assert.match(await page.locator('[data-findings]').textContent(), /was left out/);
});

for (const spins of [2, 3, 5, 6]) {
  test(`the example of ${spins} spins, with flips of all bits, passes its checks`, async () => {
    const { page, problems } = await open(
      `#spins=${spins}&connectivity=singleAndAllFlips&model=random`,
    );
    assert.equal(await page.locator('[data-state]').count(), 2 ** spins);
    await fit(page);
    await passed(page);
    const [given, shown] = await Promise.all(
      ['given', 'shown'].map((which) => amountOf(page, `K, couplings ${which}`)),
    );
    assert.ok(shown < given, `${shown} < ${given}`);
    assert.deepEqual(problems, []);
  });
}

test('the same link gives the same state and the same digest', async () => {
  const { page } = await open(SMALL);
  await page.getByLabel('Moment shown').last().fill('0.4');
  await page.locator('[data-state="111"]').click();
  await page.getByRole('radio', { name: 'One or all' }).check({ force: true });
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  for (const name of ['K, couplings given', 'Divergence at t', 'λ₂'])
    assert.equal(await numberOf(other, name), await numberOf(page, name), name);
  assert.equal(await countOf(other, '111'), 1);
  assert.equal(await momentOf(other), await momentOf(page));
  assert.equal(await pixelsOf(other, PICTURE), await pixelsOf(page, PICTURE));
  assert.equal(await fit(other), await fit(page));
});

test('the code shown prints the numbers of the page', async () => {
  const { page } = await open('#connectivity=singleAndAllFlips&moment=400');
  const digest = await fit(page);
  const stdout = await outputOfCode(page);
  const [, k, slope, divergence, fitted, printed] =
    /^K (\S+) slope (\S+) divergence at t (\S+)\nfitted K (\S+) digest (\S+)/.exec(stdout) ?? [];
  near(Number(k), await amountOf(page, 'K, couplings given'));
  near(Number(fitted), await amountOf(page, 'K, couplings shown'));
  assert.equal(printed, digest);
  await page.getByLabel('Step shown').fill('0');
  await page.getByText('at evaluation 1 of the fit', { exact: true }).waitFor();
  near(Number(slope), await amountOf(page, 'Slope at t = 0'));
  near(Number(divergence), await amountOf(page, 'Divergence at t'));
});

test('data are chosen with the pointer and with the keyboard, and some always stay', async () => {
  const { page } = await open(SMALL);
  await page.locator('[data-state="000"]').click();
  assert.equal(await countOf(page, '000'), 1);
  await page.keyboard.press('ArrowUp');
  assert.equal(await countOf(page, '000'), 2);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.state), '100');
  await page.keyboard.press('ArrowDown');
  assert.equal(await countOf(page, '100'), 4);
  await page.keyboard.press('Space');
  assert.equal(await countOf(page, '100'), 0);
  await page.keyboard.press('End');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.state), '111');
  await page.getByLabel('Data', { exact: true }).fill('111:2');
  await page.keyboard.press('Tab');
  await page.locator('[data-state="111"][data-count="2"]').waitFor();
  await page.locator('[data-state="111"]').click();
  assert.equal(await countOf(page, '111'), 2);
  await page.getByLabel('Data', { exact: true }).fill('11:2');
  await page.keyboard.press('Tab');
  await page.getByText('These have to be states of 3 bits').waitFor();
  assert.equal(await countOf(page, '111'), 2);
  await press(page, 'Example');
  await page.locator('[data-state="111"][data-count="1"]').waitFor();
});

test('couplings of one’s own begin as those shown, and change the flow', async () => {
  const { page } = await open(SMALL);
  const before = await numberOf(page, 'K, couplings given');
  await page.getByLabel('Model', { exact: true }).selectOption('own');
  assert.equal(await page.getByLabel('Bias of x2').inputValue(), '2');
  assert.equal(await numberOf(page, 'K, couplings given'), before);
  await page.getByLabel('J of x1 and x3').fill('1.5');
  await page.keyboard.press('Tab');
  await page.waitForFunction(
    (old) =>
      document.querySelector('[data-number="K, couplings given"] .value').textContent !== old,
    before,
  );
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  assert.equal(await other.getByLabel('J of x1 and x3').inputValue(), '1.5');
  await page.getByLabel('J of x1 and x3').fill('9');
  await page.keyboard.press('Tab');
  await page.getByText('This has to be a number from -5 to 5. 1.5 is used.').waitFor();
});

test('a fit can be stopped and goes on, and what is changed forgets it', async () => {
  const { page } = await open('#spins=6');
  await interrupt(page, 'Stop');
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const digest = await digestOf(page);
  const { page: other } = await open('#spins=6');
  assert.equal(await fit(other), digest);
  await page.locator('[data-state="000000"]').click();
  await untilStatus(page, 'idle');
  assert.equal(await numberOf(page, 'Self-check, K'), '–');
});

test('what a link says wrong is said and not used', async () => {
  const { page } = await open('#spins=3&data=0110.3&moment=7000');
  await page.getByText('“7000” as moment').waitFor();
  await page.getByText('The data of the link are not states of 3 bits').waitFor();
  assert.equal(await page.locator('[data-state]').count(), 8);
});

test('downloads hold the flow, the states and the pictures', async () => {
  const { page } = await open(SMALL);
  await fit(page);
  const read = async (label) => (await download(page, label)).toString('latin1');
  const flow = JSON.parse((await download(page, 'Flow, JSON')).toString());
  assert.equal(flow.rates.length, 64);
  assert.ok(flow.steps.length > 3);
  assert.equal(flow.result.digest, await digestOf(page));
  assert.equal((await read('States, CSV')).trim().split('\n').length, 9);
  assert.equal(JSON.parse(await read('Spec, JSON')).data.rows.length, 12);
  assert.equal((await read('Pictures, PNG')).slice(1, 4), 'PNG');
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  for (const hash of [
    SMALL.replace('model=ferromagnet', 'model=own&couplings=1_1_1_0_0_-1'),
    '#spins=6',
  ]) {
    const { page } = await open(hash, { viewport: desk, bypassCSP: true });
    await fit(page);
    await passed(page);
    await page.getByText(/^All states at/).click();
    await assertSoundEverywhere(page);
  }
});
