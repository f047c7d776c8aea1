import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import { interrupt } from './holding.mjs';
import { fitAndJudge, nodeCanvas, openLab, SMALL, signedAmountOf } from './pictures-lab.mjs';
import {
  assertFits,
  assertSound,
  copiedLink,
  desk,
  digestOf,
  download,
  drawn,
  fit,
  numberOf,
  openSite,
  phone,
  pixelsOf,
  placesOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

/** One that is still running when it is stopped. */
const LONG = '#side=10&components=60&patches=3000&iterations=60&seed=1';
const PATCHES = ['Patches', 'Less their mean', 'Whitened', 'Variance by component', 'Test patches'];
const LEARNED = [
  'Filters',
  'Samples of the model',
  'Log likelihood of test patches',
  'Negative log likelihood',
];

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('patches come by themselves, a fit draws filters, samples and curves, without an error', async () => {
  const { page, problems } = await openLab(site, SMALL);
  const blank = await page.evaluate(() => document.createElement('canvas').toDataURL());
  for (const picture of PATCHES) assert.notEqual(await pixelsOf(page, picture), blank, picture);
  const before = await Promise.all(LEARNED.map((picture) => pixelsOf(page, picture)));
  assert.match(await fitAndJudge(page), /^[0-9a-f]{64}$/);
  const after = await Promise.all(LEARNED.map((picture) => pixelsOf(page, picture)));
  LEARNED.forEach((picture, n) => {
    assert.notEqual(after[n], before[n], `${picture} did not move`);
  });
  await page.getByRole('radio', { name: 'On the photograph' }).check();
  await page.waitForFunction(() => location.hash.includes('filters=photograph'));
  assert.notEqual(await pixelsOf(page, 'Filters'), after[0]);
  await page.getByRole('radio', { name: 'Whitened', exact: true }).check();
  await page.waitForFunction(() => location.hash.includes('samples=whitened'));
  assert.notEqual(await pixelsOf(page, 'Samples of the model'), after[1]);
  assert.deepEqual(problems, []);
});

test('likelihoods agree with another program, and the model beats a Gaussian', async () => {
  const { page } = await openLab(site, '#side=8&components=16&patches=2000&iterations=60&seed=1');
  await page.locator('[data-self-check="gaussian"][data-passed="true"]').waitFor();
  await fitAndJudge(page);
  await page.locator('[data-self-check="likelihood"][data-passed="true"]').waitFor();
  const model = await signedAmountOf(page, 'Log likelihood, training patches');
  const gaussian = await signedAmountOf(page, 'Gaussian, training patches');
  // Of whitened patches, whatever they show: −½ · 16 · (ln 2π + 1).
  assert.ok(Math.abs(gaussian + 8 * (Math.log(2 * Math.PI) + 1)) < 1e-3, `Gaussian: ${gaussian}`);
  assert.ok(model > gaussian + 1, `${model} against ${gaussian}`);
  const objective = await signedAmountOf(page, 'Negative log likelihood');
  assert.ok(Math.abs(objective + model) < 1e-3, `${objective} against ${model}`);
  assert.ok((await signedAmountOf(page, 'Log likelihood, test patches')) < 0);
});

test('every model fits by every method that suits it; with more filters the likelihood has an error', async () => {
  const { page, problems } = await openLab(site, `${SMALL}&model=studentT`);
  const options = (label) =>
    page
      .getByLabel(label, { exact: true })
      .locator('option')
      .evaluateAll((all) => all.map(({ value }) => value));
  const digests = new Set();
  const fitBy = async (method) => {
    await page.getByLabel('Method', { exact: true }).selectOption(method);
    if (method === 'persistentMpf') {
      await page.getByLabel('Refreshes').fill('4');
      await page.getByLabel('Refreshes').blur();
    }
    await page.getByText('Cutting and whitening').waitFor({ state: 'detached' });
    await page.locator('[data-action="primary"]').click();
    await page.locator('[data-samples="final"]').waitFor();
    digests.add(await digestOf(page));
  };
  assert.deepEqual(await options('Method'), [
    'maximumLikelihood',
    'persistentMpf',
    'denoisingScoreMatching',
  ]);
  for (const method of await options('Method')) await fitBy(method);
  await page.getByLabel('Model', { exact: true }).selectOption('laplace');
  await page.getByRole('radio', { name: '1.5' }).check();
  assert.deepEqual(await options('Method'), ['persistentMpf']);
  await fitBy('persistentMpf');
  assert.match(await numberOf(page, 'Log likelihood, test patches'), /^−?[\d.]+ ± [\d.]+$/);
  await page.getByText('nobody knows Z', { exact: false }).first().waitFor();
  await page.getByLabel('Model', { exact: true }).selectOption('ica');
  assert.deepEqual(await options('Method'), ['maximumLikelihood', 'persistentMpf']);
  await fitBy('persistentMpf');
  assert.equal(digests.size, 5);
  assert.deepEqual(problems, []);
});

test('one worker and two give the same digest, and so does the code shown, in Node', async () => {
  const hash = `${SMALL}&photographs=camera.rocket`;
  const { page } = await openLab(site, hash);
  const digest = await fitAndJudge(page);
  const code = await page.getByRole('region', { name: 'Code for these settings' }).textContent();
  for (const workers of ['1', '2']) {
    const { page: other } = await openLab(site, hash);
    const field = other.getByLabel('Workers');
    // A machine with one processor offers one.
    if (!(await field.locator(`option[value="${workers}"]`).count())) continue;
    await field.selectOption(workers);
    assert.equal(await fit(other), digest, `with ${workers} workers`);
  }
  const folder = await nodeCanvas();
  await writeFile(join(folder, 'pictures.mjs'), `import './canvas.mjs';\n${code}`);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'pictures.mjs')]);
  const [likelihood, last] = stdout.trim().split('\n');
  assert.equal(last, `${40 * 16} ${16 * 64} ${digest}`);
  const shown = await signedAmountOf(page, 'Log likelihood, test patches');
  assert.ok(Math.abs(Number(likelihood) - shown) < 1e-3, `${likelihood} against ${shown}`);
});

test('a Boltzmann machine learns by chains, and the code shown gives the same machine', async () => {
  const hash = `${SMALL}&photographs=camera.rocket&model=gaussianRbm&factor=2&epochs=3`;
  const { page, problems } = await openLab(site, hash);
  const methods = page.getByLabel('Method', { exact: true }).locator('option');
  assert.deepEqual(await methods.evaluateAll((all) => all.map(({ value }) => value)), [
    'persistentContrastiveDivergence',
  ]);
  const digest = await fitAndJudge(page);
  assert.match(await numberOf(page, 'Log likelihood, test patches'), /^−?[\d.]+ ± [\d.]+$/);
  // Three epochs of six batches of a hundred.
  assert.equal(await numberOf(page, 'Updates'), '18');
  const code = await page.getByRole('region', { name: 'Code for these settings' }).textContent();
  const folder = await nodeCanvas();
  await writeFile(join(folder, 'machine.mjs'), `import './canvas.mjs';\n${code}`);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'machine.mjs')]);
  const [likelihood, last] = stdout.trim().split('\n');
  assert.equal(last, `${40 * 16} ${32 * 64} ${digest}`);
  const shown = await signedAmountOf(page, 'Log likelihood, test patches');
  assert.ok(
    Math.abs(Number(likelihood.split(' ')[0]) - shown) < 0.1,
    `${likelihood} against ${shown}`,
  );
  assert.deepEqual(problems, []);
});

test('the copied link brings back settings and digest', async () => {
  const { page } = await openLab(
    site,
    '#photographs=brick.grass&side=12&components=20&patches=700&model=studentT&factor=2&method=denoisingScoreMatching&iterations=12&seed=42&filters=photograph&samples=whitened',
  );
  const digest = await fit(page);
  const link = await copiedLink(page);
  const { page: other } = await site.page(link.slice(site.url.length));
  await other.getByText('promises a digest').waitFor();
  assert.equal(await other.getByLabel('Seed', { exact: true }).inputValue(), '42');
  assert.equal(
    await other.getByLabel('Method', { exact: true }).inputValue(),
    'denoisingScoreMatching',
  );
  assert.ok(await other.getByRole('radio', { name: '12', exact: true }).isChecked());
  assert.ok(await other.getByRole('checkbox', { name: 'Brick' }).isChecked());
  assert.equal(await other.getByRole('checkbox', { name: 'Camera' }).isChecked(), false);
  await other.getByText('Ready to fit').waitFor();
  assert.equal(await fit(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();
});

test('stopped, a fit keeps its pictures and continues to the same digest', async () => {
  const { page: whole } = await openLab(site, LONG);
  const digest = await fit(whole);

  const { page } = await openLab(site, LONG);
  const nothing = await pixelsOf(page, 'Filters');
  await interrupt(page, 'Stop');
  assert.equal(await digestOf(page), '');
  assert.notEqual(await pixelsOf(page, 'Filters'), nothing);
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  assert.equal(await digestOf(page), digest);
});

test('the replay shows earlier filters', async () => {
  const { page } = await openLab(site, SMALL);
  await fitAndJudge(page);
  const last = await pixelsOf(page, 'Filters');
  await page.getByLabel('Step shown').focus();
  await page.keyboard.press('Home');
  assert.notEqual(await pixelsOf(page, 'Filters'), last);
  await page.locator('[data-numbers-at]').waitFor();
  await page.keyboard.press('End');
  assert.equal(await pixelsOf(page, 'Filters'), last);
});

test('changed settings hide the digest; those of the pictures do not', async () => {
  const { page } = await openLab(site, SMALL);
  const digest = await fitAndJudge(page);
  await page.getByRole('radio', { name: 'On the photograph' }).check();
  assert.equal(await digestOf(page), digest);
  await page.getByLabel('Iterations').fill('7');
  await page.getByLabel('Iterations').blur();
  assert.equal(await digestOf(page), '');
  await page.getByText('The settings have changed since this fit.').waitFor();
});

test('hostile and impossible links are refused in words and do no harm', async () => {
  const hostile = `#side=11&components=3&model=${encodeURIComponent('<img src=x onerror=alert(1)>')}`;
  const { page, problems } = await openLab(site, hostile);
  await page.getByText('which has to be one of 8, 10, 12, 16').waitFor();
  await page.getByText('which has to be a whole number from 4 to 256').waitFor();
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  const { page: other } = await openLab(
    site,
    '#side=8&components=200&patches=600&method=denoisingScoreMatching',
  );
  await other.getByText('What the link says of components does not go with the rest').waitFor();
  await other.getByText('What the link says of method does not go with the rest').waitFor();
  assert.deepEqual(problems, []);
});

test('the downloads hold model, filters, receptive fields and pictures', async () => {
  const { page } = await openLab(site, SMALL);
  const digest = await fitAndJudge(page);
  const result = JSON.parse(await download(page, 'Model, JSON'));
  assert.equal(result.digest, digest);
  assert.equal(result.model.filters.length, 16 * 16);
  assert.equal(result.patches.transform.components.length, 16 * 64);
  assert.equal(result.patches.pictures.length, 7);
  assert.equal(result.spec.objective.kind, 'maximumLikelihood');
  const npy = await download(page, 'Filters, NPY');
  const start = 10 + npy.readUInt16LE(8);
  assert.match(npy.toString('latin1', 10, start), /'descr': '<f8'.*'shape': \(16, 16\)/);
  result.model.filters.forEach((weight, n) => {
    assert.equal(npy.readDoubleLE(start + 8 * n), weight);
  });
  const fields = await download(page, 'Receptive fields, NPY');
  assert.match(fields.toString('latin1', 10, 200), /'shape': \(16, 8, 8\)/);
  assert.equal((await download(page, 'Pictures, PNG')).toString('latin1', 1, 4), 'PNG');
});

test('the lab works from the keyboard alone, and with reduced motion gives the same result', async () => {
  const { page: usual } = await openLab(site, SMALL);
  const digest = await fit(usual);
  const { page } = await openLab(site, SMALL, { reducedMotion: 'reduce' });
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  for (let n = 0; n < 40 && (await focused()) !== 'Fit'; n++) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Fit');
  await page.keyboard.press('Enter');
  await untilStatus(page, 'done');
  assert.equal(await digestOf(page), digest);
});

const PLACES = 'h2, .pictures canvas';
for (const viewport of [desk, phone]) {
  test(`axe finds nothing wrong in either theme, and nothing moves or is too wide: ${viewport.width} px`, async () => {
    const { page } = await openLab(site, SMALL, { viewport, bypassCSP: true });
    await drawn(page);
    const before = await placesOf(page, PLACES);
    await assertFits(page, 'before');
    await fitAndJudge(page);
    await page.evaluate(() => scrollTo(0, 0));
    // What is below the findings may have moved: they have come, and the digest.
    assert.deepEqual((await placesOf(page, PLACES)).slice(0, -3), before.slice(0, -3));
    await assertSound(page);
  });
}
