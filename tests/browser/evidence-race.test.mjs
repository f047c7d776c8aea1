import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createEngine } from '../../dist/node.js';
import { root } from '../../src/tools/run.mjs';
import { centred } from '../../www/lib/own-table.js';
import { isThere, pressWhen } from './holding.mjs';
import {
  assertSoundEverywhere,
  chooseFile,
  copiedLink,
  desk,
  download,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/evidence-race/';
/** A race that is over in a second or so. */
const SMALL = '#rows=12&columns=4&k=2&trials=4&longest=100&seed=3';
/** The spec of its jobs, but for the estimator. */
const COMMON = {
  model: {
    kind: 'clustering',
    dim: 4,
    numClusters: 2,
    variances: { kind: 'fixed', signal: 1, noise: 1 },
  },
  simulate: { numRows: 12 },
  numTrials: 4,
  seed: 3,
};
const LINES = [
  'forward',
  'reverse',
  'integration',
  'particles',
  'sequentialHarmonic',
  'nested',
  'chib',
  'variational',
  'symmetric',
  'bic',
  'weighting',
  'harmonic',
];
const MODELS = ['clustering', 'lowRank', 'binaryAttributes'];

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

async function open(hash = SMALL, options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByText('Ready: press Race.').waitFor();
  return opened;
}

async function race(page) {
  await press(page, 'Race');
  await untilStatus(page, 'done');
}

async function compare(page) {
  await press(page, 'Compare models');
  await page.locator('[data-contest="done"]').waitFor({ state: 'attached' });
}

function cell(page, line, column) {
  return page.locator(`tr[data-method="${line}"] td[data-label="${column}"]`);
}

/** A number of the table. */
async function amountIn(page, line, column) {
  return Number.parseFloat((await cell(page, line, column).textContent()).replace('−', '-'));
}

function digestOf(page, line) {
  return page.locator(`tr[data-method="${line}"] [data-digest]`).getAttribute('data-digest');
}

/** ln p(Y) as a cell of the comparison has it. */
async function comparedOf(page, maker, model) {
  const text = await page.locator(`[data-cell="${maker}-${model}"] span`).textContent();
  return Number(text.replace('−', '-'));
}

test('the table is drawn by itself, and new data are another one', async () => {
  const { page, problems } = await open('#rows=20&columns=6&k=3');
  const drawn = await pixelsOf(page, 'The table Y');
  await press(page, 'Make new data');
  await page.waitForFunction(
    ([title, old]) => document.querySelector(`canvas[data-picture="${title}"]`).toDataURL() !== old,
    ['The table Y', drawn],
  );
  assert.equal(await page.getByLabel('Seed', { exact: true }).inputValue(), '2');
  assert.deepEqual(problems, []);
});

test('every estimator ends with the numbers of the package, against the middle of annealing', async () => {
  const { page, problems } = await open();
  const [unsorted, empty] = [
    await pixelsOf(page, 'The table Y'),
    await pixelsOf(page, 'Z · A, the table explained'),
  ];
  assert.match(await page.locator('[data-findings]').textContent(), /Nothing yet/);
  await race(page);
  for (const line of LINES) {
    assert.equal(
      await page.locator(`tr[data-method="${line}"]`).getAttribute('data-state'),
      'done',
    );
    assert.match(await cell(page, line, 'A trial').textContent(), /\d (ms|s)$/, line);
  }
  const annealing = { kind: 'annealing', numDistributions: 100, reverse: true };
  const { trials, reverse, bounds, digest } = await engine.evidence({
    ...COMMON,
    estimator: annealing,
  });
  assert.equal(await digestOf(page, 'forward'), digest);
  assert.equal(await digestOf(page, 'reverse'), digest);
  const meanOf = (values) => values.reduce((sum, value) => sum + value) / values.length;
  const forward = Math.log(meanOf(trials.map((trial) => Math.exp(trial - trials[0])))) + trials[0];
  const middle = (forward + reverse.logZ.value) / 2;
  assert.ok(
    Math.abs((await amountIn(page, 'forward', 'Mean error')) - meanOf(trials) + middle) < 6e-3,
  );
  assert.ok(Math.abs((await amountIn(page, 'forward', 'ln p(Y), all trials')) - forward) < 6e-3);
  const back = meanOf(reverse.trials) - middle;
  assert.ok(Math.abs((await amountIn(page, 'reverse', 'Mean error')) - back) < 6e-3);
  const truth = (await page.locator('[data-truth]').textContent()).replaceAll('−', '-');
  for (const number of [middle, bounds.lower, bounds.upper]) {
    assert.ok(truth.includes(number.toFixed(2)), `${number} in ${truth}`);
  }
  assert.match(truth, /95 %.*an exact draw of the posterior/s);

  const chib = await engine.evidence({ ...COMMON, estimator: { kind: 'chib', numSweeps: 100 } });
  assert.equal(await digestOf(page, 'chib'), chib.digest);
  assert.ok(Math.abs((await amountIn(page, 'chib', 'ln p(Y), all trials')) - chib.logZ) < 6e-3);

  const findings = await page.locator('[data-findings]').textContent();
  assert.match(findings, /Annealing there and back, with 100 distributions, is [\d.]+ nats apart/);
  // ln 2!, of two names for two clusters.
  assert.match(findings, /log of their number, 0\.7 nats/);
  assert.match(findings, /Kass and Raftery a mean error up to 1\.2 nats/);
  assert.notEqual(await pixelsOf(page, 'The table Y'), unsorted);
  assert.notEqual(await pixelsOf(page, 'Z · A, the table explained'), empty);
  await page.getByText('Rows by their cluster: 12 × 4').waitFor();
  assert.deepEqual(problems, []);
});

test('the code shown prints the digests of the page', async () => {
  const { page } = await open(`${SMALL}&model=lowRank`);
  await race(page);
  const code = await page.getByRole('region', { name: 'Code for these settings' }).textContent();
  // Inside of the repository, where the package goes by its own name.
  const folder = join(root, 'out', 'shown-code');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'evidence-race.mjs'), code);
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(folder, 'evidence-race.mjs'),
  ]);
  for (const line of LINES) assert.ok(stdout.includes(await digestOf(page, line)), line);
});

test('every table is compared under every model, and the findings say who wins', async () => {
  const { page, problems } = await open('#rows=30&columns=12&k=2&signal=2&longest=300&seed=3');
  await compare(page);
  const annealing = { kind: 'annealing', numDistributions: 300, reverse: true };
  const variances = (signal) => ({ kind: 'fixed', signal });
  const common = { estimator: annealing, numTrials: 4, seed: 3 };
  const clusters = { kind: 'clustering', dim: 12, numClusters: 2, variances: variances(2) };
  const made = await engine.evidence({ ...common, model: clusters, simulate: { numRows: 30 } });
  const factors = { kind: 'lowRank', dim: 12, numFactors: 2, variances: variances(1) };
  const { states } = made.simulated;
  const other = await engine.evidence({ ...common, model: factors, states });
  const shown = await comparedOf(page, 'clustering', 'clustering');
  assert.ok(Math.abs(shown - made.logZ) < 0.06, `${shown} is not ${made.logZ}`);
  assert.ok(Math.abs((await comparedOf(page, 'clustering', 'lowRank')) - other.logZ) < 0.06);
  for (const maker of MODELS) {
    const best = page.locator(`[data-cell="${maker}-${maker}"]`);
    assert.match(await best.textContent(), /best/, maker);
  }
  const findings = await page.locator('[data-findings]').textContent();
  assert.match(findings, /Every table is the most probable under the model that made it/);
  assert.deepEqual(problems, []);
});

test('a race is stopped after its first job, and goes on to the same digests', async () => {
  const { page } = await open(`${SMALL}&model=binaryAttributes`);
  const pressed = pressWhen(page, 'Stop', isThere, '[data-truth] strong');
  await press(page, 'Race');
  await pressed;
  await untilStatus(page, 'stopped');
  assert.equal(await cell(page, 'forward', 'Settings').textContent(), '1 of 2');
  assert.equal(await cell(page, 'harmonic', 'Settings').textContent(), '0 of 1');
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const spec = {
    ...COMMON,
    model: {
      kind: 'binaryAttributes',
      dim: 4,
      numAttributes: 2,
      variances: { kind: 'fixed', signal: 1 },
    },
  };
  const { digest } = await engine.evidence({
    ...spec,
    estimator: { kind: 'harmonicMean', numDraws: 100 },
  });
  assert.equal(await digestOf(page, 'harmonic'), digest);
});

test('a table of one’s own has a lower bound only, and the page says why', async () => {
  const { page, problems } = await open();
  const rows = Array.from({ length: 12 }, (_, i) =>
    Array.from({ length: 4 }, (_, j) => 100 + 10 * j * (i % 2) + Math.sin(1 + 7 * i + 3 * j * j)),
  );
  await chooseFile(page, 'mine.csv', `a,b,c,d\n${rows.map((row) => row.join(',')).join('\n')}\n`);
  await page.getByText('mine.csv: 12 rows, 4 columns. Their means are subtracted').waitFor();
  await page.getByText('Ready: press Race.').waitFor();
  await race(page);
  const model = { ...COMMON.model, variances: { kind: 'sampled' } };
  const common = { model, states: centred(rows), numTrials: 4, seed: 3 };
  const annealing = { kind: 'annealing', numDistributions: 100, reverse: true };
  const { digest, bounds } = await engine.evidence({ ...common, estimator: annealing });
  assert.equal(await digestOf(page, 'forward'), digest);
  const truth = await page.locator('[data-truth]').textContent();
  assert.ok(truth.includes(`at least ${bounds.lower.toFixed(2).replace('-', '−')}`), truth);
  assert.match(truth, /97\.5 %.*From above nothing is certain: nobody knows a draw/s);
  await compare(page);
  assert.equal(await page.locator('[data-cell]').count(), 3);
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /Your table is the most probable under the model of .*, by/,
  );
  const code = await page.getByRole('region', { name: 'Code for these settings' }).textContent();
  assert.match(code, /readFile\("mine\.csv", 'utf8'\)/);
  assert.match(code, /states: centred\(rowsOfText\(text\)\)/);
  assert.deepEqual(problems, []);

  await chooseFile(page, 'wrong.csv', '1,2\n3,x\n');
  await page.getByText('Line 2, column 2 is not a number.').waitFor();
});

test('a link brings back the settings, and what it says wrong is said', async () => {
  const hash =
    '#data=simulated&model=lowRank&rows=15&columns=5&k=3&signal=0.5&trials=6&longest=300&seed=9';
  const { page } = await open(hash);
  const link = await copiedLink(page);
  assert.equal(new URL(link).hash, hash);
  const { page: other } = await open(new URL(link).hash);
  const given = (label) => other.getByLabel(label, { exact: true }).inputValue();
  assert.equal(await given('Model'), 'lowRank');
  assert.equal(await given('Rows, N'), '15');
  assert.equal(await given('Factors, K'), '3');
  assert.equal(await given('Longest annealing'), '300');
  // Another model has its own usual size.
  await other.getByLabel('Model', { exact: true }).selectOption('binaryAttributes');
  assert.equal(await given('Rows, N'), '40');
  assert.equal(await given('Attributes, K'), '5');

  const { page: wrong, problems } = await open('#model=<img src=x>&rows=4&k=3');
  await wrong.getByText('as model, which has to be one of clustering').waitFor();
  await wrong.getByText('“4” as rows').waitFor();
  assert.equal(await wrong.getByLabel('Clusters, K', { exact: true }).inputValue(), '3');
  assert.deepEqual(problems, []);

  const { page: own } = await site.page(`${LAB}#data=own`);
  await own.getByText('Drop a table of numbers first').waitFor();
  assert.ok(await own.getByRole('button', { name: 'Race', exact: true }).isDisabled());
});

test('downloads hold every job', async () => {
  const { page } = await open();
  await race(page);
  const { jobs, truth, states } = JSON.parse(await download(page, 'Race, JSON'));
  assert.equal(states.length, 48);
  assert.ok(truth.isCertified && truth.lower < truth.middle && truth.middle < truth.upper);
  assert.ok(jobs.every(({ result }) => result.trials.length === 4));
  const [head, ...lines] = (await download(page, 'Errors, CSV')).toString().trim().split('\n');
  // Annealing has two lines of every job.
  const annealings = jobs.filter(({ estimator }) => estimator.kind === 'annealing');
  assert.equal(lines.length, jobs.length + annealings.length);
  for (const line of lines) assert.equal(line.split(',').length, head.split(',').length);
  const png = await download(page, 'Pictures, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await race(page);
  await compare(page);
  await assertSoundEverywhere(page);
});
