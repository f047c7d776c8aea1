import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createEngine } from '../../dist/node.js';
import { letterPicture } from '../../www/lib/letters.js';
import { holdRounds, interrupt, isThere, letRoundsGo, pressWhen } from './holding.mjs';
import {
  bitsOf,
  compared,
  energyOf,
  meansOf,
  modelOf,
  openRestore,
  openAndRun as openRunAt,
  packed,
  plain,
  seenIn,
  shareOff,
} from './restore-lab.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  amountOf,
  assertSound,
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

/** Few draws: enough to be compared. */
const FEW = '#draws=20';
const ANSWERS = ['Descent', 'Minimum cut', 'Posterior mean', 'Pixel by pixel'];

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

const open = (hash, options) => openRestore(site, hash, options);
const openAndRun = (hash, options) => openRunAt(site, hash, options);
const restoration = async (page) => JSON.parse(await download(page, 'Restoration, JSON'));

/** The digests and energies of the package for what the page says it has seen. */
async function answersTo(given, { numDraws = 20, seed = 1 } = {}) {
  const model = modelOf(given);
  const cues = { kind: 'bits', dim: model.dim, numRows: 1, bits: packed(given.seen) };
  const [descent, cut, draws] = await Promise.all([
    engine.recall({ model, cues, seed }),
    engine.mode({ model }),
    engine.sample({
      model,
      transition: { kind: 'gibbs' },
      numChains: 20,
      numWarmup: 200,
      numDraws,
      numStepsPerDraw: 2,
      moments: false,
      energies: true,
      seed,
    }),
  ]);
  return { descent, cut, draws };
}

test('a letter is restored in four ways, with the numbers of the package', async () => {
  const { page, problems } = await open(FEW);
  const before = await Promise.all(ANSWERS.map((name) => pixelsOf(page, name)));
  await press(page, 'Restore');
  await untilStatus(page, 'done');
  for (const [n, name] of ANSWERS.entries()) {
    assert.notEqual(await pixelsOf(page, name), before[n], name);
  }

  const found = await restoration(page);
  const truth = bitsOf(found.picture);
  assert.deepEqual(packed(truth), letterPicture('R', 64));
  const given = seenIn(found);
  assert.ok(Math.abs(given.eta - 0.5 * Math.log(0.8 / 0.2)) < 1e-6);
  // A fifth of 4,096 pixels, within six standard deviations.
  assert.ok(Math.abs(shareOff(given.seen, truth) - 0.2) < 6 * Math.sqrt((0.2 * 0.8) / 4096));

  const { descent, cut, draws } = await answersTo(given);
  assert.equal(found.descent.digest, descent.digest);
  assert.equal(found.cut.digest, cut.digest);
  assert.equal(await digestOf(page), draws.digest);
  const means = meansOf(draws.draws);
  assert.deepEqual(found.draws.means, means);
  const likeliest = means.map((mean) => Number(mean > 0.5));
  const pictures = {
    true: truth,
    descent: bitsOf(Buffer.from(descent.states.bits)),
    cut: bitsOf(Buffer.from(cut.state.bits)),
    likeliest,
  };
  for (const [id, bits] of Object.entries(pictures)) {
    const off = plain(await compared(page, 'Pixels off', id));
    assert.ok(Math.abs(off - 100 * shareOff(bits, truth)) < 0.0051, id);
    const energy = plain(await compared(page, 'Energy, nats', id));
    assert.ok(Math.abs(energy - energyOf(bits, given)) < 0.0051, id);
  }
  assert.ok(plain(await compared(page, 'Above the cut', 'descent')) > 0);
  // In the engine’s own scale the two are as far apart.
  const gap = found.descent.engineEnergy - found.cut.engineEnergy;
  assert.ok(Math.abs(gap - (found.descent.energy - found.cut.energy)) < 1e-8);

  const expected = means.reduce((sum, m) => sum + Math.min(m, 1 - m), 0) / means.length;
  assert.ok(Math.abs(found.draws.expected.value - expected) < 1e-12);
  const shown = Number.parseFloat(await numberOf(page, 'Expected off'));
  assert.ok(Math.abs(shown - 100 * expected) <= 100 * found.draws.expected.error);
  assert.equal(
    plain(await numberOf(page, 'Truly off')),
    plain(await compared(page, 'Pixels off', 'likeliest')),
  );
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /No picture has a lower energy than the minimum cut/,
  );
  assert.deepEqual(problems, []);
});

test('the code prints the digests of the page, and a stopped run goes on to the same', async () => {
  const { page } = await open(`${FEW}&hole=middle&seed=7`);
  await interrupt(page, 'Stop', 'Restore');
  assert.equal(await digestOf(page), '');
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const { descent, cut } = await restoration(page);
  const stdout = await outputOfCode(page);
  const digests = /digests (\w+) (\w+) (\w+)/.exec(stdout).slice(1);
  assert.deepEqual(digests, [descent.digest, cut.digest, await digestOf(page)]);

  await press(page, 'Restore again');
  await page.locator('[data-digest=""]').waitFor({ state: 'attached' });
  await untilStatus(page, 'done');
  assert.equal(await digestOf(page), digests[2]);
});

test('the posterior mean forms as draws come, and stays as it is when the run is stopped', async () => {
  const { page } = await open('#draws=2000');
  const empty = await pixelsOf(page, 'Posterior mean');
  // Descent and the cut are let be. Warm-up of the draws takes four rounds, whose number the spec alone decides.
  await holdRounds(page, { numFree: 2, numReports: 6 });
  const pressed = pressWhen(page, 'Stop', isThere, 'body[data-held]');
  await press(page, 'Restore');
  await pressed;
  await untilStatus(page, 'stopped');
  await letRoundsGo(page);
  const said = await page.getByText('draws of each chain').textContent();
  const numDraws = plain(said.replace('draws of each chain', ''));
  assert.ok(numDraws >= 1 && numDraws < 2000, said);
  assert.notEqual(await pixelsOf(page, 'Posterior mean'), empty);
  assert.equal(await digestOf(page), '');
  assert.equal(await compared(page, 'Pixels off', 'likeliest'), '–');
});

test('what is painted is unknown: nothing holds it to what is seen, by pointer and by keys', async () => {
  const { page, problems } = await openAndRun(`${FEW}&noise=0.1`);
  const whole = await digestOf(page);
  const grid = page.locator('[data-grid]');
  await grid.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await grid.boundingBox();
  await page.mouse.move(x + 0.2 * width, y + 0.2 * height);
  await page.mouse.down();
  await page.mouse.move(x + 0.8 * width, y + 0.4 * height, { steps: 4 });
  await page.mouse.up();
  await page.getByText('Ready: press Restore').waitFor();
  const byPointer = Number(
    /([\d,]+) pixels/.exec(await page.locator('[data-seen]').textContent())[1],
  );
  assert.ok(byPointer > 100, `${byPointer} pixels`);
  // The corner at the top left, where the keys begin.
  await page.getByRole('radio', { name: 'Fine' }).check();
  await grid.focus();
  for (let n = 0; n < 64; n++) await page.keyboard.press('ArrowLeft');
  for (let n = 0; n < 64; n++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await page.getByText('Row 1, column 1: unknown').waitFor({ state: 'attached' });
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText(`${byPointer + 2} pixels`).waitFor();

  await press(page, 'Restore');
  await untilStatus(page, 'done');
  const found = await restoration(page);
  const given = seenIn(found);
  assert.equal(
    given.hole.reduce((sum, one) => sum + one, 0),
    byPointer + 2,
  );
  assert.deepEqual(given.hole.slice(0, 3), [1, 1, 0]);
  const { descent, cut, draws } = await answersTo(given);
  assert.deepEqual(
    [found.descent.digest, found.cut.digest, await digestOf(page)],
    [descent.digest, cut.digest, draws.digest],
  );
  assert.notEqual(draws.digest, whole);
  assert.match(await page.locator('[data-findings]').textContent(), /In the hole/);

  // The link has what was painted.
  const { page: other } = await openAndRun(new URL(await copiedLink(page)).hash);
  assert.equal(await digestOf(other), draws.digest);

  await page.getByRole('radio', { name: 'Give back' }).check();
  await grid.focus();
  await page.keyboard.press('Space');
  await page.getByText(`${byPointer + 1} pixels`).waitFor();
  await press(page, 'Clear the hole');
  await press(page, 'Restore');
  await untilStatus(page, 'done');
  assert.equal(await digestOf(page), whole);
  assert.deepEqual(problems, []);
});

test('where log Z is known the draws are checked, for a picture that Swendsen–Wang drew', async () => {
  const { page, problems } = await openAndRun(
    '#picture=small&beta=0.42&noise=0.1&draws=200&seed=3',
  );
  const found = await restoration(page);
  const pattern = { kind: 'lattice', numRows: 16, numCols: 16 };
  const { draws } = await engine.sample({
    model: { kind: 'ising', dim: 256, pattern, uniform: { coupling: 0.42 } },
    transition: { kind: 'swendsenWang' },
    numChains: 1,
    numWarmup: 1000,
    numDraws: 1,
    moments: false,
    seed: 3,
  });
  assert.equal(found.picture, Buffer.from(draws.bits).toString('base64'));
  const model = modelOf(seenIn(found));
  const whole = await engine.exact({ model });
  assert.equal(found.checks.length, 6);
  for (const { site, drawn, exact } of found.checks) {
    const held = await engine.exact({ model, observed: { sites: [site], values: [1] } });
    assert.ok(Math.abs(exact - Math.exp(held.logZ - whole.logZ)) < 1e-9, `pixel ${site}`);
    // Twenty chains: beyond 12 standard errors by chance once in 10⁹.
    assert.ok(Math.abs(drawn.value - exact) <= 12 * drawn.error + 1e-3, `pixel ${site}`);
    const row = page.locator(`[data-check="${site}"]`);
    assert.equal(await row.locator('[data-exact]').textContent(), exact.toFixed(6));
  }
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /Of 6 pixels the exact probability is known/,
  );
  assert.deepEqual(problems, []);
});

test('too strong a prior: the lowest energy is not the best picture, and the page says so', async () => {
  const { page } = await openAndRun('#picture=digit&digit=4&noise=0.1&beta=1&draws=50');
  const off = async (id) => plain(await compared(page, 'Pixels off', id));
  assert.ok((await off('cut')) > (await off('descent')));
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /The lowest energy is not the best picture: descent has fewer pixels off/,
  );
  // Without neighbours every answer is what is seen.
  await page.getByLabel('Coupling, β').fill('0');
  await press(page, 'Restore');
  await untilStatus(page, 'done');
  const { seen, descent, cut } = await restoration(page);
  assert.deepEqual([descent.bits, cut.bits], [seen, seen]);
  assert.equal(await amountOf(page, 'η'), 1.0986);
});

test('downloads hold every pixel, and a link brings back the settings', async () => {
  const { page } = await openAndRun(`${FEW}&picture=fingerprint&number=2&hole=right&mark=off`);
  const [head, ...rows] = (await download(page, 'Pixels, CSV')).toString().trim().split('\n');
  assert.equal(head, 'row,column,true,seen,descent,cut,likeliest,mean');
  assert.equal(rows.length, 4096);
  assert.deepEqual(rows[40].split(',').slice(0, 2), ['0', '40']);
  assert.equal(rows[40].split(',')[3], '', 'in the hole nothing is seen');
  const png = await download(page, 'Pictures, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  const given = (label) => other.getByLabel(label, { exact: true }).inputValue();
  assert.deepEqual(await Promise.all(['Picture', 'Number', 'Unknown', 'Draws'].map(given)), [
    'fingerprint',
    '2',
    'right',
    '20',
  ]);
  assert.ok(await other.getByLabel('Mark what is off').isChecked());

  const { page: wrong } = await open('#picture=none&noise=0.9&beta=2&holeRuns=1..2');
  for (const said of ['“none” as picture', '“0.9” as noise', '“2” as beta', '“1..2” as holeRuns']) {
    await wrong.getByText(said).waitFor();
  }
});

test('axe finds nothing wrong and nothing sticks out, with a hole and marks', async () => {
  const { page } = await openAndRun(
    '#picture=small&draws=20&hole=middle&mark=off&noise=0.1&beta=0.42',
    {
      bypassCSP: true,
    },
  );
  await assertSound(page, ['light']);
  await assertSoundEverywhere(page);
});
