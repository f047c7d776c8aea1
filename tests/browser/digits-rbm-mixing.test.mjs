/** The lab Digits: RBM, its panel that asks whether chains mix: its numbers are those of the package. */

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createEngine } from '../../dist/node.js';
import { countClasses, judge, readDigits } from '../repro/digits.mjs';
import { holdRounds, isThere, letRoundsGo, pressWhen } from './holding.mjs';
import { copiedLink, download, fit, openSite, pixelsOf, press } from './site-under-test.mjs';

const SMALL = '#numHidden=16&rows=400&numEpochs=4&seed=1&rungs=6';
const ROW_BYTES = 98;

let site;
let engine;
before(async () => {
  site = await openSite();
  engine = await createEngine();
});
afterEach(() => site?.closePages());
after(async () => {
  await engine?.close();
  await site?.close();
});

/** The lab with a machine that has learned. */
async function fitted(hash = SMALL) {
  const opened = await site.page(`labs/digits-rbm/${hash}`);
  await opened.page.getByText('Ready to fit').waitFor();
  await fit(opened.page);
  await opened.page.getByText('Fitted and sampled.').waitFor();
  return opened;
}

const panel = (page) => page.getByRole('region', { name: 'Do the chains mix?' });
const digestIn = (page, kind) =>
  page.locator(`[data-mixing="${kind}"]`).getAttribute('data-mixing-digest');

async function compare(page) {
  await panel(page).getByRole('button', { name: 'Compare' }).click();
  await page.locator('[data-mixing="ladder"]:not([data-mixing-digest=""])').waitFor({
    timeout: 300_000,
  });
}

/** What the package finds for a machine: chains alone, and on ladders. */
async function byPackage({ weights, visibleBias, hiddenBias }, rungs) {
  const digits = await readDigits();
  const heldOut = digits.slice(8000, 9000);
  const one = heldOut.labels.indexOf(1);
  const row = heldOut.bits.subarray(one * ROW_BYTES, (one + 1) * ROW_BYTES);
  const start = () => ({
    kind: 'data',
    data: {
      kind: 'bits',
      dim: 784,
      numRows: 4,
      bits: Uint8Array.from([row, row, row, row].flatMap((bytes) => [...bytes])),
    },
  });
  const rows = digits.slice(0, 400);
  const logOdds = Array.from({ length: 784 }, (_, pixel) => {
    let numOn = 1;
    for (let at = 0; at < 400; at++) {
      numOn += (rows.bits[at * ROW_BYTES + (pixel >> 3)] >> (pixel & 7)) & 1;
    }
    return Math.round(1024 * Math.log(numOn / (402 - numOn))) / 1024;
  });
  const model = { kind: 'rbm', numVisible: 784, numHidden: 16, weights, visibleBias, hiddenBias };
  const common = { model, numChains: 4, numDraws: 100, moments: false, seed: 1 };
  const transition = { kind: 'blockGibbs' };
  const alone = await engine.sample({
    ...common,
    transition,
    numWarmup: 128 * (rungs - 1),
    numStepsPerDraw: 10 * (rungs - 1),
    start: start(),
  });
  const ladder = await engine.sample({
    ...common,
    transition: { kind: 'parallelTempering', numRungs: rungs, logOdds, transition },
    numWarmup: 128,
    numStepsPerDraw: 10,
    recordPath: true,
    start: start(),
  });
  return { alone, ladder, training: digits.slice(0, 8000) };
}

test('chains alone and on ladders, with the numbers of the package', async () => {
  const { page, problems } = await fitted();
  const pictures = [
    'Draws: Block Gibbs alone',
    'Draws: On ladders',
    'Rungs of three replicas, first ladder',
  ];
  const before = await Promise.all(pictures.map((name) => pixelsOf(page, name)));
  await compare(page);
  for (const [n, name] of pictures.entries()) {
    assert.notEqual(await pixelsOf(page, name), before[n], name);
  }
  const { model } = JSON.parse(await download(page, 'Model, JSON'));
  const found = await byPackage(model, 6);
  for (const kind of ['alone', 'ladder']) {
    assert.equal(await digestIn(page, kind), found[kind].digest, kind);
    const labels = judge(found[kind].draws.bits, found.training).map(({ label }) => label);
    for (let chain = 0; chain < 4; chain++) {
      const own = labels.filter((_, row) => row % 4 === chain);
      const shown = own.filter((_, draw) => draw % 5 === 4).join(' ');
      const line = page.locator(`[data-mixing="${kind}"] li`).nth(chain);
      assert.equal(await line.locator('[data-labels]').textContent(), shown, `${kind} ${chain}`);
      const numVisited = countClasses(own).filter((count) => count > 0).length;
      assert.equal(await line.locator('[data-visited]').textContent(), `${numVisited} different`);
    }
  }
  const { tempering } = found.ladder;
  const facts = await page.locator('[data-mixing-facts]').textContent();
  const { logZ } = await engine.exact({ model: { kind: 'rbm', ...model } });
  for (const said of [
    `${tempering.logZ.toFixed(2)} ± ${tempering.logZError.toFixed(2)} nats`,
    `Exactly it is ${logZ.toFixed(2)}`,
    [...tempering.numRoundTrips].join(', '),
    ...tempering.warnings,
  ]) {
    assert.ok(facts.includes(said), `${said} in: ${facts}`);
  }
  assert.match(
    await page.locator('[data-mixing-finding]').textContent(),
    /With the same number of sweeps/,
  );
  assert.deepEqual(problems, []);

  // The rungs travel in the link, and change nothing of the fit.
  assert.match(await copiedLink(page), /rungs=6/);
  await panel(page).getByLabel('Rungs').fill('4');
  await panel(page).getByText('What is shown is of 6 rungs. Press Compare for these.').waitFor();
  await page.getByText('Fitted and sampled.').waitFor();
  await press(page, 'Fit again');
  await page.locator('[data-mixing="ladder"][data-mixing-digest=""]').waitFor();
});

test('it waits for a machine, and a stopped comparison goes on to the same digests', async () => {
  const { page } = await site.page(`labs/digits-rbm/${SMALL}`);
  await page.getByText('Ready to fit').waitFor();
  assert.ok(await panel(page).getByRole('button', { name: 'Compare' }).isDisabled());
  await fit(page);
  await page.getByText('Fitted and sampled.').waitFor();
  await compare(page);
  const digests = await Promise.all(['alone', 'ladder'].map((kind) => digestIn(page, kind)));

  await holdRounds(page, { numReports: 1 });
  const pressed = pressWhen(page, 'Stop', isThere, 'body[data-held]');
  await panel(page).getByRole('button', { name: 'Compare again' }).click();
  await pressed;
  await panel(page).getByRole('button', { name: 'Continue' }).waitFor();
  await letRoundsGo(page);
  assert.equal(await digestIn(page, 'ladder'), '');
  await panel(page).getByRole('button', { name: 'Continue' }).click();
  await page.locator('[data-mixing="ladder"]:not([data-mixing-digest=""])').waitFor({
    timeout: 300_000,
  });
  assert.deepEqual(
    await Promise.all(['alone', 'ladder'].map((kind) => digestIn(page, kind))),
    digests,
  );
});
