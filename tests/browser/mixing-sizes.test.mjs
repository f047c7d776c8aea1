import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createEngine } from '../../dist/node.js';
import { holdRounds, letRoundsGo } from './holding.mjs';
import { near, openMixing } from './mixing-lab.mjs';
import { assertSound, desk, download, openSite, pixelsOf, press } from './site-under-test.mjs';

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

test('mixing against size: known gaps; it stops and goes on; a size that fails does not lose the others', async () => {
  // The engine gets no number of spins for one of them, and none of sites where it would take long.
  const setUp = () => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, transfer) {
      const { curieWeiss, model } = message?.spec ?? {};
      if (curieWeiss?.numSpins === 30) curieWeiss.numSpins = 0;
      if (model?.dim > 7) model.dim = 0;
      postMessage.call(this, message, transfer);
    };
  };
  const { page } = await openMixing(site, '', { viewport: desk, bypassCSP: true, setUp });
  const charts = ['Relaxation time, single spins, in steps', 'Single spins and clusters, β = 1.2'];
  const empty = await Promise.all(charts.map((title) => pixelsOf(page, title)));
  await holdRounds(page);
  await press(page, 'Compute all sizes');
  await page.locator('body[data-held]').waitFor({ state: 'attached' });
  await press(page, 'Stop computing');
  await page.locator('[data-sizes="stopped"]').waitFor();
  await letRoundsGo(page);
  await press(page, 'Go on computing');
  await page.locator('[data-sizes="done"]').waitFor();
  await page.getByText('41 of 41 chains done').waitFor();
  const failed = page.locator('[data-failed]');
  assert.deepEqual(await failed.evaluateAll((all) => all.map((one) => one.dataset.failed)), [
    ...[0.5, 1, 1.2].map((beta) => `curieWeiss-${beta}-30`),
    ...[8, 9, 10].map((size) => `swendsenWang-1.2-${size}`),
  ]);
  assert.match(await failed.first().textContent(), /numSpins/);
  assert.equal(await page.locator('[data-point]').count(), 35);
  const gapOf = async (id) =>
    Number((await page.locator(`[data-point="${id}"] [data-gap]`).textContent()).replace('−', '-'));
  // Those of an independent program, to as many digits as it gave: see tests/native/chain.
  const known = {
    'curieWeiss-0.5-200': 2.518e-3,
    'curieWeiss-1.2-50': 5.019e-4,
    'curieWeiss-1.2-100': 6.551e-5,
    'curieWeiss-1.2-200': 2.964e-6,
  };
  for (const [id, gap] of Object.entries(known)) near(await gapOf(id), gap, 4, id);
  // Two sites of coupling 0.6 that agree are bound with probability q = 1 − e^−1.2, and else drawn anew: λ₂ = q/2.
  near(await gapOf('swendsenWang-1.2-2'), 1 - (1 - Math.exp(-1.2)) / 2, 4);
  assert.match(await page.locator('[data-growth]').textContent(), /At β = 1\.2 .*exponentially/s);
  for (const [n, title] of charts.entries()) assert.notEqual(await pixelsOf(page, title), empty[n]);
  const lines = (await download(page, 'Sizes, CSV')).toString().trim().split('\n');
  assert.equal(lines.length, 36);
  const { digest } = await engine.chain({
    curieWeiss: { numSpins: 200, beta: 0.5 },
    transition: { kind: 'singleSite', rule: 'gibbs' },
    distances: false,
  });
  assert.ok(lines.some((line) => line.startsWith('curieWeiss,0.5,200,') && line.endsWith(digest)));
  await page.getByText('The numbers behind these charts').click();
  await assertSound(page, ['dark']);
});
