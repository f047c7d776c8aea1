import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../src/tools/run.mjs';
import { interrupt } from './holding.mjs';
import {
  amountOf,
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

const DIGITS = 'labs/digits-rbm/';
/** A fit that takes a second or so. */
const SMALL = '#numHidden=16&rows=400&numEpochs=4&seed=1';
/** One that is still running when it is stopped. */
const LONG = '#numHidden=100&rows=2000&numEpochs=3&seed=1';
const PICTURES = ['Filters', 'Samples', 'Reconstructions'];
const CURVES = [
  'Reconstruction error',
  'Negative log pseudolikelihood',
  'Contrast',
  'Log likelihood, exact',
];

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash, options) {
  const opened = await site.page(DIGITS + hash, options);
  await opened.page.getByText('Ready to fit').waitFor();
  return opened;
}

/** Fits, waits for what comes after, and gives the digest. */
async function fitAndSample(page) {
  const digest = await fit(page);
  await page.getByText('Fitted and sampled.').waitFor();
  return digest;
}

/** A number of the table that may have a minus sign. */
async function signedAmountOf(page, name) {
  return Number((await numberOf(page, name)).replace('−', '-').replaceAll(',', ''));
}

/** The downloads hold model, weights, curves and pictures. */
async function assertDownloads(page, digest) {
  const result = JSON.parse(await download(page, 'Model, JSON'));
  assert.equal(result.digest, digest);
  assert.equal(result.model.weights.length, 16 * 784);
  assert.equal(result.model.visibleBias.length, 784);
  assert.equal(result.spec.objective.kind, 'persistentContrastiveDivergence');

  const npy = await download(page, 'Weights, NPY');
  const start = 10 + npy.readUInt16LE(8);
  assert.match(npy.toString('latin1', 10, start), /'descr': '<f8'.*'shape': \(16, 784\)/);
  result.model.weights.forEach((weight, n) => {
    assert.equal(npy.readDoubleLE(start + 8 * n), weight);
  });

  const [head, ...lines] = (await download(page, 'Curves, CSV')).toString().trimEnd().split('\n');
  assert.equal(head, 'updates,seconds,reconstruction,pseudolikelihood,logLikelihood,logZ');
  assert.equal(lines.length, result.heldOut.updates.length);
  assert.equal(Number(lines.at(-1).split(',')[0]), 16);
  assert.equal(Number(lines.at(-1).split(',')[4]), result.heldOut.logLikelihood.at(-1));
  assert.equal((await download(page, 'Pictures, PNG')).toString('latin1', 1, 4), 'PNG');
}

test('a fit draws filters, samples, reconstructions and curves, without an error, and is downloaded', async () => {
  const { page, problems } = await open(SMALL);
  const all = [...PICTURES, ...CURVES];
  const before = await Promise.all(all.map((picture) => pixelsOf(page, picture)));
  const digest = await fitAndSample(page);
  assert.match(digest, /^[0-9a-f]{64}$/);
  const after = await Promise.all(all.map((picture) => pixelsOf(page, picture)));
  all.forEach((picture, n) => {
    assert.notEqual(after[n], before[n], `${picture} did not move`);
  });
  assert.equal(await numberOf(page, 'Sweeps of the samples'), '1,000');
  await assertDownloads(page, digest);
  await page.getByRole('radio', { name: 'Pixels', exact: true }).check();
  await page.waitForFunction(() => location.hash.includes('view=pixels'));
  assert.notEqual(await pixelsOf(page, 'Samples'), after[1]);
  // What is only looked at changes no digest; settings do.
  assert.equal(await digestOf(page), digest);
  await page.getByLabel('Epochs').fill('7');
  await page.getByLabel('Epochs').blur();
  await page.getByText('The settings have changed since this fit.').waitFor();
  assert.equal(await digestOf(page), '');
  assert.deepEqual(problems, []);

  // Where motion is to be reduced, the result is the same.
  const { page: still } = await open(SMALL, { reducedMotion: 'reduce' });
  assert.equal(await fitAndSample(still), digest);
});

test('with 16 hidden units log Z agrees with another program, and digits beat independent pixels', async () => {
  const { page } = await open('#numHidden=16&rows=2000&numEpochs=6&seed=1');
  await fitAndSample(page);
  await page.locator('[data-self-check="pass"]').waitFor();
  const exact = await signedAmountOf(page, 'Log likelihood, exact');
  const independent = await signedAmountOf(page, 'Log likelihood of independent pixels');
  assert.ok(exact > independent + 5, `${exact} against ${independent}`);
  // Each pixel is easier to tell from all others than the whole is.
  assert.ok((await amountOf(page, 'Negative log pseudolikelihood')) < -exact);
});

test('with more hidden units the likelihood is said not to be computable', async () => {
  const { page } = await open('#numHidden=25&rows=200&numEpochs=1');
  await fitAndSample(page);
  await page.getByText('the likelihood is not computable by enumeration').waitFor();
  assert.equal(await numberOf(page, 'Log likelihood, exact'), '–');
  assert.equal(await page.locator('canvas[data-picture="Log likelihood, exact"]').count(), 0);
});

test('one worker and two give the same digest, and so does the code shown, in Node', async () => {
  const { page } = await open(`${SMALL}&start=digits`);
  const digest = await fitAndSample(page);
  const code = await page.getByRole('region', { name: 'Code for these settings' }).textContent();
  for (const workers of ['1', '2']) {
    const { page: other } = await open(`${SMALL}&start=digits`);
    const field = other.getByLabel('Workers');
    // A machine with one processor offers one.
    if (!(await field.locator(`option[value="${workers}"]`).count())) continue;
    await field.selectOption(workers);
    assert.equal(await fit(other), digest, `with ${workers} workers`);
  }
  // Inside of the repository, where the package goes by its own name.
  const folder = join(root, 'out', 'shown-code');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'digits.mjs'), code);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'digits.mjs')]);
  assert.equal(stdout.trim(), `${40 * 50} ${digest}`);
});

test('the copied link brings back settings and digest', async () => {
  const { page } = await open(
    '#method=cd&numHidden=25&rows=400&numEpochs=2&rate=0.05&numSteps=2&penalty=0&noise=0.02&seed=42&start=digits&view=pixels',
  );
  const digest = await fit(page);
  const link = await copiedLink(page);
  const { page: other } = await site.page(link.slice(site.url.length));
  await other.getByText('promises a digest').waitFor();
  assert.equal(await other.getByLabel('Seed', { exact: true }).inputValue(), '42');
  assert.equal(await other.getByLabel('Steps', { exact: true }).inputValue(), '2');
  assert.equal(await other.getByLabel('Method').inputValue(), 'cd');
  assert.ok(await other.getByRole('radio', { name: 'Held-out digits' }).isChecked());
  assert.equal(await fit(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();
});

test('every method fits, with settings that suit it', async () => {
  const rates = { pcd: '0.1', cd: '0.1', mpf: '0.005', pseudolikelihood: '0.005' };
  const { page } = await open(SMALL);
  const digests = new Set();
  for (const [method, rate] of Object.entries(rates).reverse()) {
    await page.getByLabel('Method').selectOption(method);
    assert.equal(await page.getByLabel('Learning rate').inputValue(), rate);
    assert.equal(
      await page.getByLabel('Steps', { exact: true }).count(),
      method.endsWith('cd') ? 1 : 0,
    );
    await page.getByLabel('Epochs').fill('2');
    await page.getByLabel('Epochs').blur();
    await page.locator('[data-action="primary"]').click();
    await page.getByText('Fitted').waitFor();
    digests.add(await digestOf(page));
  }
  assert.equal(digests.size, 4);
});

test('stopped, a fit keeps its pictures and continues to the same digest', async () => {
  const { page: whole } = await open(LONG);
  const digest = await fit(whole);

  const { page } = await open(LONG);
  const nothing = await pixelsOf(page, 'Filters');
  await interrupt(page, 'Stop');
  assert.equal(await digestOf(page), '');
  assert.notEqual(await pixelsOf(page, 'Filters'), nothing);
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  assert.equal(await digestOf(page), digest);
});

test('a fit can be paused and resumed, and the replay shows earlier filters', async () => {
  const { page } = await open(LONG);
  await interrupt(page, 'Pause');
  const updates = await numberOf(page, 'Updates');
  await page.waitForTimeout(400);
  assert.equal(await numberOf(page, 'Updates'), updates);
  await press(page, 'Resume');
  await fitted(page);
  const last = await pixelsOf(page, 'Filters');
  const slider = page.getByLabel('Step shown');
  await slider.focus();
  await page.keyboard.press('Home');
  assert.notEqual(await pixelsOf(page, 'Filters'), last);
  await page.locator('[data-numbers-at]').waitFor();
  await page.keyboard.press('End');
  assert.equal(await pixelsOf(page, 'Filters'), last);
});

async function fitted(page) {
  await page.getByText('Fitted and sampled.').waitFor();
}

test('a hostile link is refused in words and does no harm', async () => {
  const hostile = `#numHidden=17&rows=9000&method=${encodeURIComponent('<img src=x onerror=alert(1)>')}`;
  const { page, problems } = await open(hostile);
  await page.getByText('which has to be one of 16, 25, 100, 400').waitFor();
  await page.getByText('which has to be a whole number from 200 to 8,000').waitFor();
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(problems, []);
});

const PLACES = 'h2, .pictures canvas';
for (const viewport of [desk, phone]) {
  test(`axe finds nothing wrong in either theme, and nothing moves or is too wide: ${viewport.width} px`, async () => {
    const { page } = await open(SMALL, { viewport, bypassCSP: true });
    await drawn(page);
    const before = await placesOf(page, PLACES);
    await assertFits(page, 'before');
    await fitAndSample(page);
    await page.evaluate(() => scrollTo(0, 0));
    // What is below the digest may have moved: it has come.
    assert.deepEqual((await placesOf(page, PLACES)).slice(0, -2), before.slice(0, -2));
    await assertSound(page);
  });
}
