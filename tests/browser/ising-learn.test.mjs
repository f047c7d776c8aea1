import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../src/tools/run.mjs';
import { interrupt } from './holding.mjs';
import {
  amountOf,
  copiedLink,
  digestOf,
  fit,
  LAB,
  numberOf,
  openSite,
  pixelsOf,
  press,
  SMALL,
  untilStatus,
} from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('a fit draws its course, converges and shows a digest, without an error', async () => {
  const { page, problems } = await site.page(LAB + SMALL);
  await page.getByText('Ready to fit').waitFor();
  const pictures = [
    'Learned couplings',
    'Learned lattice',
    'Objective',
    'Mean square error of J',
    'Learned against true',
  ];
  const before = await Promise.all(pictures.map((picture) => pixelsOf(page, picture)));
  const digest = await fit(page);
  assert.match(digest, /^[0-9a-f]{64}$/);
  await page.getByText('Converged.').waitFor();
  const after = await Promise.all(pictures.map((picture) => pixelsOf(page, picture)));
  pictures.forEach((picture, n) => {
    assert.notEqual(after[n], before[n], `${picture} did not move`);
  });
  assert.deepEqual(problems, []);
});

test('from all the data on the lattice the true couplings are found, and the known optimum', async () => {
  const { page } = await site.page(`${LAB}#rows=20000&pattern=lattice`);
  await fit(page);
  assert.ok((await amountOf(page, 'Mean square error, off the diagonal')) < 0.001);
  await page.locator('[data-self-check="pass"]').waitFor();
});

test('one worker and two give the golden digest', async () => {
  const golden = JSON.parse(
    await readFile(new URL('../golden/fit-spin-glass.json', import.meta.url), 'utf8'),
  );
  const { data, seed } = golden.spec;
  const hash = `#rows=${data.numRows}&pattern=dense&seed=${seed}`;
  for (const workers of ['1', '2']) {
    const { page } = await site.page(LAB + hash);
    await page.getByText('Ready to fit').waitFor();
    const field = page.getByLabel('Workers');
    // A machine with one processor offers one.
    if (await field.locator(`option[value="${workers}"]`).count()) {
      await field.selectOption(workers);
    } else {
      assert.equal(await page.evaluate(() => navigator.hardwareConcurrency), 1);
    }
    assert.equal(await fit(page), golden.digest, `with ${workers} workers`);
  }
});

test('the copied link brings back settings and digest, noise and all', async () => {
  const { page } = await site.page(`${LAB}#rows=300&pattern=lattice&noise=0.25&seed=42`);
  const digest = await fit(page);
  const link = await copiedLink(page);
  const { page: other } = await site.page(link.slice(site.url.length));
  await other.getByText('promises a digest').waitFor();
  assert.equal(await other.getByLabel('Seed', { exact: true }).inputValue(), '42');
  assert.equal(await fit(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();
});

test('the code that the lab shows gives the same digest in Node', async () => {
  const { page } = await site.page(`${LAB}#rows=400&pattern=lattice&noise=0.1&seed=9`);
  const digest = await fit(page);
  const code = await page.getByRole('region', { name: 'Code for these settings' }).textContent();
  // Inside of the repository, where the package goes by its own name.
  const folder = join(root, 'out', 'shown-code');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'fit.mjs'), code);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'fit.mjs')]);
  assert.equal(stdout.trim().split(' ').at(-1), digest);
});

test('another seed of the noise is another fit', async () => {
  const digests = [];
  for (const seed of [1, 2]) {
    const { page } = await site.page(
      `${LAB}#rows=300&pattern=lattice&noise=0.5&maxIterations=3&seed=${seed}`,
    );
    digests.push(await fit(page));
  }
  assert.notEqual(digests[0], digests[1]);
});

test('stopped, a fit keeps its picture and continues to the same digest', async () => {
  const long = `${LAB}#rows=20000&pattern=dense&tolerance=1e-9`;
  const { page: whole } = await site.page(long);
  const digest = await fit(whole);

  const { page } = await site.page(long);
  await page.getByText('Ready to fit').waitFor();
  const nothing = await pixelsOf(page, 'Learned couplings');
  await interrupt(page, 'Stop');
  assert.equal(await digestOf(page), '');
  const learned = await pixelsOf(page, 'Learned couplings');
  assert.notEqual(learned, nothing);
  assert.ok((await amountOf(page, 'Evaluations')) > 0);
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  assert.equal(await digestOf(page), digest);
});

test('stopped before the engine has come, a fit is as if it had not been started', async () => {
  const { page, problems } = await site.page(LAB + SMALL);
  await page.getByText('Ready to fit').waitFor();
  await page.evaluate(async () => {
    const button = document.querySelector('[data-action="primary"]');
    button.click();
    await Promise.resolve();
    button.click();
  });
  await untilStatus(page, 'idle');
  assert.match(await fit(page), /^[0-9a-f]{64}$/);
  assert.deepEqual(problems, []);
});

test('a fit can be paused and resumed', async () => {
  const { page } = await site.page(`${LAB}#rows=20000&pattern=dense&tolerance=1e-9`);
  await interrupt(page, 'Pause');
  // From then on nothing may move.
  const evaluations = await numberOf(page, 'Evaluations');
  const time = await numberOf(page, 'Time');
  await page.waitForTimeout(500);
  assert.equal(await numberOf(page, 'Evaluations'), evaluations);
  assert.equal(await numberOf(page, 'Time'), time);
  await press(page, 'Resume');
  await untilStatus(page, 'done');
  assert.match(await digestOf(page), /^[0-9a-f]{64}$/);
});

test('changed settings do not continue an old run, and hide its digest', async () => {
  const { page } = await site.page(LAB + SMALL);
  await fit(page);
  await page.getByLabel('Most iterations').fill('7');
  await page.getByLabel('Most iterations').blur();
  assert.equal(await digestOf(page), '');
  await page.getByText('The settings have changed since this fit.').waitFor();
});

test('a hostile link is refused in words and does no harm', async () => {
  const hostile = `#rows=-5&pattern=${encodeURIComponent('<img src=x onerror=alert(1)>')}&seed=1e999&nonsense=1&noise=NaN`;
  const { page, problems } = await site.page(LAB + hostile);
  await page.getByText('which has to be a whole number from 100 to 20,000').waitFor();
  assert.equal(await page.getByLabel('Rows').inputValue(), '20000');
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(problems, []);
});

test('the address follows the settings', async () => {
  const { page } = await site.page(LAB);
  await page.getByLabel('Seed', { exact: true }).fill('123');
  await page.getByLabel('Seed', { exact: true }).blur();
  await page.waitForFunction(() => location.hash.includes('seed=123'));
});

test('a setting out of range is refused with a word on what is right', async () => {
  const { page } = await site.page(LAB);
  const field = page.getByLabel('Most iterations');
  await field.fill('-1');
  await field.blur();
  await page.getByText('This has to be a whole number from 1').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
});
