/** Fits by several objectives in the lab _Ising: learn_, by the same scores on rows held out. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createEngine } from '../node/package.mjs';
import { pressWhen } from './holding.mjs';
import {
  assertSoundEverywhere,
  copiedLink,
  desk,
  download,
  fit,
  LAB,
  openSite,
  press,
} from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const DIM = 7;

/** Rows in which neighbours tend to agree; the same every time. */
const rows = (() => {
  let state = 3;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: 503 }, () => {
    let last = random() < 0.4 ? 1 : 0;
    return Array.from({ length: DIM }, () => {
      if (random() < 0.25) last = 1 - last;
      return last;
    });
  });
})();
const isHeldOut = (_, n) => n % 5 === 4;
const heldOut = rows.filter(isHeldOut);
const training = rows.filter((row, n) => !isHeldOut(row, n));

async function openOwn(hash = '', options = {}) {
  const opened = await site.page(LAB + hash, options);
  const { page } = opened;
  await page.getByText('Ready to fit').waitFor();
  const buffer = Buffer.from(`${rows.map((row) => row.join(',')).join('\n')}\n`);
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer });
  await page.getByText(`rows.csv: 503 rows, ${DIM} columns`).waitFor();
  return opened;
}

async function compare(page, end = 'done') {
  await press(page, 'Compare objectives');
  await page.locator(`[data-comparison="${end}"]`).waitFor();
}

const cellOf = (page, id, label) =>
  page.locator(`tr[data-method="${id}"] td[data-label="${label}"]`).textContent();

/** E(x) = xᵀJx. */
function energyOf({ couplings }, row) {
  let sum = 0;
  for (let i = 0; i < DIM; i++)
    for (let j = 0; j < DIM; j++) sum += couplings[i * DIM + j] * row[i] * row[j];
  return sum;
}

/** By their definitions, over all states. */
function scoresOf(model) {
  const states = Array.from({ length: 2 ** DIM }, (_, n) =>
    Array.from({ length: DIM }, (_, i) => (n >> i) & 1),
  );
  const logZ = Math.log(states.reduce((sum, state) => sum + Math.exp(-energyOf(model, state)), 0));
  let [likelihood, pseudolikelihood] = [0, 0];
  for (const row of heldOut) {
    likelihood += (-energyOf(model, row) - logZ) / heldOut.length;
    for (let i = 0; i < DIM; i++) {
      const flipped = row.map((bit, j) => (j === i ? 1 - bit : bit));
      const gain = energyOf(model, row) - energyOf(model, flipped);
      pseudolikelihood -= Math.log(1 + Math.exp(gain)) / heldOut.length;
    }
  }
  return { likelihood, pseudolikelihood };
}

test('all objectives are scored on rows that none has seen, by the definitions of the scores', async () => {
  const all = 'flow.flowAll.pseudolikelihood.contrastive.persistentFlow.likelihood';
  const { page, problems } = await openOwn(`#compare=${all}`);
  await compare(page);
  const { fits, independentColumns, numHeldOut, numLearnedFrom } = JSON.parse(
    await download(page, 'Comparison, JSON'),
  );
  assert.deepEqual(
    fits.map(({ id }) => id),
    all.split('.'),
  );
  assert.deepEqual([numHeldOut, numLearnedFrom], [heldOut.length, training.length]);
  const engine = await createEngine();
  try {
    for (const found of fits) {
      const { model, digest } = await engine.fit({
        ...found.spec,
        data: { kind: 'rows', rows: training },
      });
      assert.equal(found.digest, digest, found.id);
      const { likelihood, pseudolikelihood } = scoresOf(model);
      assert.ok(Math.abs(found.logLikelihood - likelihood) < 1e-9, found.id);
      assert.ok(Math.abs(found.logPseudolikelihood - pseudolikelihood) < 1e-9, found.id);
      assert.equal(found.logZError, undefined);
      const shown = await cellOf(page, found.id, 'Log likelihood');
      assert.match(shown, /exact/);
      assert.equal(Number.parseFloat(shown.replace('−', '-')), Number(likelihood.toFixed(3)));
    }
  } finally {
    await engine.close();
  }
  const rates = Array.from(
    { length: DIM },
    (_, i) => training.reduce((sum, row) => sum + row[i], 0.5) / (training.length + 1),
  );
  const alone =
    heldOut.reduce(
      (sum, row) =>
        sum + row.reduce((log, bit, i) => log + Math.log(bit ? rates[i] : 1 - rates[i]), 0),
      0,
    ) / heldOut.length;
  assert.ok(Math.abs(independentColumns.logLikelihood - alone) < 1e-9);
  // Neighbours agree: whoever sees that is far above who does not.
  const best = Math.max(...fits.map(({ logLikelihood }) => logLikelihood));
  assert.ok(Math.abs(independentColumns.belowTheBest.mean - (best - alone)) < 1e-9);
  assert.ok(independentColumns.belowTheBest.mean > 6 * independentColumns.belowTheBest.error);
  assert.equal(await page.locator('td.best').count(), 1);
  await page.getByText('Values of different objectives do not compare.').waitFor();
  assert.deepEqual(problems, []);
});

test('where log Z cannot be had exactly it is annealed, with an error, and the likelihood is not maximized', async () => {
  const { page, problems } = await site.page(
    `${LAB}#rows=400&pattern=dense&compare=contrastive.likelihood`,
  );
  await page.getByText('Ready to fit').waitFor();
  await compare(page);
  assert.match(await cellOf(page, 'contrastive', 'Log likelihood'), /^−\d+\.\d+ ± \d/);
  await page.getByText('errs towards low log Z').waitFor();
  assert.equal(await cellOf(page, 'likelihood', 'State'), 'failed');
  await page
    .locator('[data-message="likelihood"]')
    .filter({ hasText: 'up to 20 units, and these rows have 100' })
    .waitFor();
  assert.deepEqual(problems, []);
});

test('on a lattice log Z is exact, and the objectives agree', async () => {
  const hash = '#rows=20000&pattern=lattice&compare=flow.pseudolikelihood';
  const { page } = await site.page(LAB + hash);
  await page.getByText('Ready to fit').waitFor();
  await compare(page);
  const { fits } = JSON.parse(await download(page, 'Comparison, JSON'));
  for (const { logZError, converged, belowTheBest } of fits) {
    assert.equal(logZError, undefined);
    assert.ok(converged && belowTheBest.mean < 0.2);
  }
});

test('it can be stopped, and leaves the fit of the page as it is', async () => {
  const { page, problems } = await site.page(
    `${LAB}#rows=2000&pattern=lattice&compare=flow.persistentFlow`,
  );
  await page.getByText('Ready to fit').waitFor();
  const digest = await fit(page);
  const isTime = () =>
    document.querySelector('tr[data-method="persistentFlow"][data-state="fitting"]') &&
    document.querySelector('[data-action="primary"]').disabled;
  const stopped = pressWhen(page, 'Stop comparing', isTime);
  await press(page, 'Compare objectives');
  await stopped;
  await page.getByText('Stopped after 1 of 2.').waitFor();
  assert.equal(await page.locator('[data-digest]').getAttribute('data-digest'), digest);
  assert.match(await cellOf(page, 'flow', 'Log likelihood'), /exact/);
  assert.equal(await cellOf(page, 'persistentFlow', 'Log likelihood'), '–');
  await page.getByLabel('Seed', { exact: true }).fill('5');
  await page.getByLabel('Seed', { exact: true }).blur();
  await page.getByText('The settings have changed since this comparison.').waitFor();
  assert.deepEqual(problems, []);
});

test('a link brings back the choice, and other data forget what was compared', async () => {
  const { page } = await openOwn('#compare=flow.pseudolikelihood');
  await page.getByRole('checkbox', { name: 'Flow, single flips' }).uncheck();
  assert.match(await copiedLink(page), /compare=pseudolikelihood(&|$)/);
  await compare(page);
  assert.equal(await page.locator('tr[data-method]').count(), 2);
  await page.getByRole('radio', { name: 'Spin glass' }).check();
  await page.locator('[data-comparison="idle"]').waitFor();
  assert.equal(await page.locator('tr[data-method]').count(), 0);
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await openOwn('#compare=flow.likelihood', { viewport: desk, bypassCSP: true });
  await compare(page);
  await assertSoundEverywhere(page);
});
