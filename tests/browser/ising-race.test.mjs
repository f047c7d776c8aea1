import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { root } from '../../src/tools/run.mjs';
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

const RACE = 'labs/ising-race/';
/** A race that takes a second or two. */
const SMALL = '#rows=1000&numEpochs=2&seed=1';
/** One that is still running when it is stopped. */
const LONG = '#rows=20000&numEpochs=1000&seed=1';
const METHODS = ['mpf', 'pseudolikelihood', 'tap', 'cd1', 'cd10', 'pcd'];

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function race(page) {
  await page.getByText('Ready:').waitFor();
  await press(page, 'Race');
  await untilStatus(page, 'done');
}

/** A cell of a method's row in the table. */
function cell(page, method, column) {
  return page.locator(`tr[data-method="${method}"] td[data-label="${column}"]`);
}

async function statesOf(page) {
  const rows = page.locator('tr[data-method]');
  return Object.fromEntries(
    await rows.evaluateAll((found) => found.map(({ dataset }) => [dataset.method, dataset.state])),
  );
}

async function errorOf(page, method) {
  return Number((await cell(page, method, 'Mean square error').textContent()).split(',')[0]);
}

function digestsOf(page) {
  return page
    .locator('tr[data-method] [data-digest]')
    .evaluateAll((found) => found.map(({ dataset }) => dataset.digest));
}

/** Races with a page, and checks what every method ends with. */
async function raceAndCheck({ page, problems }) {
  await page.getByText('Ready:').waitFor();
  const empty = await pixelsOf(page, 'MPF');
  await race(page);
  assert.deepEqual(await statesOf(page), Object.fromEntries(METHODS.map((id) => [id, 'done'])));
  for (const method of METHODS) {
    assert.ok((await errorOf(page, method)) > 0, method);
    assert.match(await cell(page, method, 'Seconds').textContent(), /\d (ms|s)$/, method);
  }
  for (const title of ['MPF', 'Pseudolikelihood', 'TAP', 'CD-1', 'CD-10', 'Persistent CD']) {
    assert.notEqual(await pixelsOf(page, title), empty, title);
  }
  assert.equal(await cell(page, 'mpf', 'State').textContent(), 'converged');
  assert.equal(await cell(page, 'cd1', 'State').textContent(), 'budget used up');
  assert.deepEqual(problems, []);
  const digests = await digestsOf(page);
  assert.equal(new Set(digests).size, METHODS.length);
  return digests;
}

/** The downloads hold the courses of all. */
async function assertDownloads(page, digests) {
  const { methods } = JSON.parse(await download(page, 'Race, JSON'));
  assert.deepEqual(
    methods.map(({ digest }) => digest),
    digests,
  );
  for (const { course, couplings, meanSquareError } of methods) {
    assert.equal(couplings.length, 10_000);
    assert.equal(course.offDiagonal.at(-1), meanSquareError.offDiagonal);
    assert.equal(course.seconds.length, course.all.length);
  }
  const [head, ...lines] = (await download(page, 'Courses, CSV')).toString().trimEnd().split('\n');
  assert.equal(head, 'method,seconds,errorOffDiagonal,errorAll');
  assert.equal(
    lines.length,
    methods.reduce((sum, { course }) => sum + course.seconds.length, 0),
  );
  assert.equal((await download(page, 'Pictures, PNG')).toString('latin1', 1, 4), 'PNG');
}

test('the correlations of models on the way are measured after the race', async () => {
  const { page, problems } = await site.page(`${RACE}${SMALL}&methods=mpf.tap`);
  const panel = page.locator('[data-correlations]');
  const measure = panel.getByRole('button', { name: 'Measure' });
  assert.ok(await measure.isDisabled(), 'there is something to measure before a race');
  await race(page);
  const empty = await pixelsOf(page, 'Mean square error of the correlations');
  await measure.click();
  await panel.getByRole('button', { name: 'Measure again' }).waitFor();
  const [done, all] = /(\d+) of (\d+)/
    .exec(await panel.textContent())
    .slice(1)
    .map(Number);
  assert.ok(done === all && done > 2, `${done} of ${all}`);
  assert.notEqual(await pixelsOf(page, 'Mean square error of the correlations'), empty);
  const { methods } = JSON.parse(await download(page, 'Race, JSON'));
  const [{ couplings, correlations }] = methods;
  const shown = correlations.at(-1);

  // The last of flow by the package.
  const { createEngine, readNpy } = await import(pathToFileURL(join(root, 'dist/node.js')).href);
  const read = (name) => readFile(join(root, 'www/data', name));
  const bits = (await read('spin-glass-10x10.bits')).subarray(0, 1000 * 13);
  const truth = readNpy(await read('spin-glass-10x10.moments.npy')).values;
  const engine = await createEngine({ numWorkers: 2 });
  const { moments, momentErrors } = await engine.sample({
    model: { kind: 'ising', dim: 100, couplings: Float64Array.from(couplings) },
    transition: { kind: 'gibbs' },
    numChains: 500,
    numWarmup: 100,
    numDraws: 40,
    numStepsPerDraw: 5,
    moments: true,
    start: { kind: 'data', data: { kind: 'bits', dim: 100, numRows: 1000, bits } },
    seed: 1,
  });
  await engine.close();
  let [squares, noise] = [0, 0];
  for (let i = 0; i < 100; i++) {
    for (let j = i + 1; j < 100; j++) {
      const at = 100 * i + j;
      squares += ((moments[at] - truth[at]) ** 2 - momentErrors[at] ** 2) / 4950;
      noise += momentErrors[at] ** 2 / 4950;
    }
  }
  assert.ok(Math.abs(shown.meanSquare / squares - 1) < 1e-9, `${shown.meanSquare} ${squares}`);
  assert.ok(Math.abs(shown.noise / noise - 1) < 1e-9 && noise < squares, `${noise} ${squares}`);
  assert.deepEqual(problems, []);
});

test('taking turns or all at once, every method ends with its numbers and picture, and the digests of the code shown', async () => {
  const inTurns = await site.page(`${RACE}${SMALL}&order=turns`);
  const digests = await raceAndCheck(inTurns);
  await assertDownloads(inTurns.page, digests);
  const code = await inTurns.page
    .getByRole('region', { name: 'Code for these settings' })
    .textContent();
  // Inside of the repository, where the package goes by its own name.
  const folder = join(root, 'out', 'shown-code');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'race.mjs'), code);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'race.mjs')]);
  const lines = stdout.trim().split('\n');
  assert.deepEqual(
    lines.map((line) => line.split(' ').at(-1)),
    digests,
  );

  const options = { viewport: desk, bypassCSP: true };
  const together = await site.page(`${RACE}${SMALL}&order=together`, options);
  assert.deepEqual(await raceAndCheck(together), digests);
  // Axe finds nothing wrong and nothing sticks out.
  await assertSoundEverywhere(together.page);
});

test('the same page races again, in another order, to the same digests', async () => {
  const { page } = await site.page(`${RACE}${SMALL}&methods=mpf.tap`);
  await race(page);
  const digests = await digestsOf(page);
  assert.equal(digests.length, 2);
  await page.getByRole('radio', { name: 'All at once' }).check();
  await page.getByText('The settings have changed since this race.').waitFor();
  await press(page, 'Race again');
  await page.getByText('The race is over.').waitFor();
  assert.deepEqual(await digestsOf(page), digests);
});

test('what was found names the method with the least error in the table', async () => {
  const { page } = await site.page(`${RACE}${SMALL}&methods=mpf.tap.cd1`);
  const findings = page.locator('[data-findings]');
  assert.match(await findings.textContent(), /Nothing yet/);
  await race(page);
  const names = {
    mpf: 'Minimum probability flow',
    tap: 'TAP mean field',
    cd1: 'Contrastive divergence with 1 step',
  };
  for (const choice of ['All entries', 'Off the diagonal']) {
    await page.getByRole('radio', { name: choice }).check();
    const errors = {};
    for (const id of Object.keys(names)) errors[id] = await errorOf(page, id);
    const [best] = Object.keys(names).sort((a, b) => errors[a] - errors[b]);
    assert.ok((await findings.textContent()).includes(`${names[best]} has the least`), choice);
    assert.match(await cell(page, best, 'Mean square error').textContent(), /, the least/);
  }
});

for (const order of ['turns', 'together']) {
  test(`stop stops all at once, and continue goes on: ${order}`, async () => {
    const { page, problems } = await site.page(`${RACE}${LONG}&methods=cd1.cd10&order=${order}`);
    await page.getByText('Ready:').waitFor();
    await press(page, 'Race');
    for (const id of order === 'turns' ? ['cd1'] : ['cd1', 'cd10']) {
      await page.waitForFunction(
        (row) => Number.parseFloat(document.querySelector(row).textContent) > 0,
        `tr[data-method="${id}"] td`,
      );
    }
    await press(page, 'Stop');
    await untilStatus(page, 'stopped');
    const states = await statesOf(page);
    assert.equal(states.cd1, 'stopped');
    // One whose turn had not come stays as it was.
    assert.equal(states.cd10, order === 'turns' ? 'idle' : 'stopped');
    assert.ok((await errorOf(page, 'cd1')) > 0);
    const updates = await cell(page, 'cd1', 'Steps').textContent();
    await page.waitForTimeout(400);
    assert.equal(await cell(page, 'cd1', 'Steps').textContent(), updates);
    await press(page, 'Continue');
    const count = (text) => Number.parseInt(text.replaceAll(',', ''), 10);
    await page.waitForFunction((least) => {
      const text = document.querySelector('tr[data-method="cd1"] td[data-label="Steps"]');
      return Number.parseInt(text.textContent.replaceAll(',', ''), 10) > least;
    }, count(updates));
    await press(page, 'Stop');
    await untilStatus(page, 'stopped');
    assert.deepEqual(problems, []);
  });
}

test('a race can be paused and resumed', async () => {
  const { page } = await site.page(`${RACE}${LONG}&methods=cd1`);
  await page.getByText('Ready:').waitFor();
  await press(page, 'Race');
  await untilStatus(page, 'running');
  // The measurement of correlations has such a button, too.
  await page.locator('[data-action="secondary"]').click();
  await untilStatus(page, 'paused');
  const time = await cell(page, 'cd1', 'Seconds').textContent();
  await page.waitForTimeout(400);
  assert.equal(await cell(page, 'cd1', 'Seconds').textContent(), time);
  await press(page, 'Resume');
  await untilStatus(page, 'running');
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
});

test('one that fails says why and stops no other', async () => {
  const { page } = await site.page('');
  await page.addInitScript(() => {
    const post = Worker.prototype.postMessage;
    // The engine refuses a negative strength.
    Worker.prototype.postMessage = function (message, ...rest) {
      if (message?.spec?.objective?.kind === 'meanField') message.spec.objective.strength = -1;
      return post.call(this, message, ...rest);
    };
  });
  await page.goto(`${site.url}${RACE}${SMALL}&methods=tap.cd1`);
  await race(page);
  assert.deepEqual(await statesOf(page), { tap: 'failed', cd1: 'done' });
  assert.match(await page.locator('[data-message="tap"]').textContent(), /strength/);
  assert.match(await page.locator('[data-findings]').textContent(), /TAP mean field failed/);
});

test('the copied link brings back every setting', async () => {
  const state = '#rows=700&methods=mpf.pcd&order=together&numEpochs=3&rate=0.25&seed=42&error=all';
  const { page } = await site.page(RACE + state);
  await page.getByText('Ready: 2 methods, 700 rows.').waitFor();
  const link = await copiedLink(page);
  assert.equal(new URL(link).hash, state);
  const { page: other } = await site.page(link.slice(site.url.length));
  await other.getByText('Ready: 2 methods, 700 rows.').waitFor();
  assert.equal(await other.getByLabel('Epochs').inputValue(), '3');
  assert.equal(await other.getByLabel('Learning rate').inputValue(), '0.25');
  assert.equal(await other.getByLabel('Seed', { exact: true }).inputValue(), '42');
  assert.ok(await other.getByRole('radio', { name: 'All entries' }).isChecked());
  assert.ok(await other.getByRole('radio', { name: 'All at once' }).isChecked());
  assert.ok(!(await other.getByLabel('TAP mean field').isChecked()));
  await other.getByLabel('TAP mean field').check();
  await other.waitForFunction(() => location.hash.includes('methods=mpf.tap.pcd'));
});

test('without a method there is no race, and a hostile link is refused in words', async () => {
  const hostile = `#methods=${encodeURIComponent('mpf.<img src=x>')}&numEpochs=0`;
  const { page, problems } = await site.page(RACE + hostile);
  await page.getByText('which has to be some of mpf').waitFor();
  await page.getByText('Ready: 6 methods').waitFor();
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await page.getByText('Choose at least one method.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Race', exact: true }).isDisabled());
  await page.waitForFunction(() => location.hash.includes('methods=none'));
  assert.deepEqual(problems, []);
});
