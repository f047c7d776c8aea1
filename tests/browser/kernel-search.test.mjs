import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { createEngine } from '../../dist/node.js';
import {
  meansOver,
  scoresOf,
  timesAfter,
  trendAndSeason,
  whiteNoise,
} from '../../www/lib/time-series.js';
import { interrupt } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  amountOf,
  assertSoundEverywhere,
  chooseFile,
  copiedLink,
  desk,
  digestOf,
  download,
  numberOf,
  openSite,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/kernel-search/';
/** A search that takes a fraction of a second. */
const SMALL =
  '#data=season&hide=third&meansOver=2&baseKernels=SE.PER.LIN&maxDepth=2&restarts=0&seed=1';
const SETTINGS = { baseKernels: ['SE', 'PER', 'LIN'], maxDepth: 2, numRestarts: 0, seed: 1 };
const CHART = 'canvas[data-picture^="The series continued"]';

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
  await opened.page.getByText('Ready: press Search.').waitFor();
  return opened;
}

async function search(page) {
  await press(page, 'Search');
  await untilStatus(page, 'done');
  return digestOf(page);
}

/** The same search in Node, on the first `numSeen` values. */
function searchHere({ times, values }, numSeen, predict = times) {
  const [inputs, seen] = [times.slice(0, numSeen), values.slice(0, numSeen)];
  return engine.kernels({ inputs, values: seen, predict, ...SETTINGS });
}

/** What the large chart shows, and what it says of itself. */
async function chartOf(page) {
  const chart = page.locator(CHART);
  return {
    pixels: await chart.evaluate((canvas) => canvas.toDataURL()),
    alt: await chart.getAttribute('aria-label'),
  };
}

/** A number of a level in the table. */
async function amountIn(page, level, column) {
  const cell = page.locator(`tr[data-method="${level}"] td[data-label="${column}"] > span`);
  return Number.parseFloat((await cell.textContent()).replace('−', '-'));
}

/** The digest that the code shown prints in Node. */
async function digestOfCode(page, cwd) {
  const stdout = await outputOfCode(page, cwd);
  return stdout.split('\n')[0];
}

function near(actual, expected, tolerance) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);
}

test('a search finds what the package finds, level by level, and takes the series apart', async () => {
  const { page, problems } = await open();
  const before = await chartOf(page);
  assert.match(before.alt, /60 values from 0\.5.* the last 20 hidden from the search/);
  const digest = await search(page);
  const series = meansOver(trendAndSeason(1), 2);
  const result = await searchHere(series, 40);
  assert.equal(digest, result.digest);
  assert.equal(await digestOfCode(page), digest);
  assert.equal(await numberOf(page, 'Kernel'), result.text);
  near(await amountOf(page, 'Noise'), Math.sqrt(result.noiseVariance), 1e-4);
  assert.ok((await amountOf(page, 'Sum of the parts')) < 1e-8);
  const hidden = series.values.slice(40);
  for (const [n, { bic, logEvidence, prediction, noiseVariance, candidates }] of Object.entries(
    result.levels,
  )) {
    const level = Number(n) + 1;
    const ahead = {
      means: prediction.means.slice(40),
      variances: prediction.variances.slice(40),
    };
    const { rmse, logDensity } = scoresOf(ahead, noiseVariance, hidden);
    near(await amountIn(page, level, 'BIC'), bic, 0.06);
    near(await amountIn(page, level, 'ln p, nats'), logEvidence, 0.06);
    near(await amountIn(page, level, 'RMSE'), rmse, 1e-3 * rmse);
    near(await amountIn(page, level, 'Log density, nats a value'), logDensity, 6e-4);
    assert.equal(await amountIn(page, level, 'Kernels tried'), candidates.length);
  }
  // LIN has three parameters, PER three, and the noise one.
  assert.equal(result.text, 'PER + LIN');
  assert.equal(await amountIn(page, 1, 'Parameters'), 4);
  assert.equal(await amountIn(page, 2, 'Parameters'), 7);
  assert.equal(await page.locator('tr[data-method="2"]').getAttribute('data-state'), 'best');
  const pictures = page.locator('section[data-components] canvas');
  const titles = await pictures.evaluateAll((all) => all.map(({ dataset }) => dataset.picture));
  assert.deepEqual(titles, ['A yearly season', 'A straight line', 'Noise']);
  const isInside = (value, at) =>
    Math.abs(value - result.prediction.means[40 + at]) <=
    1.96 * Math.sqrt(result.prediction.variances[40 + at] + result.noiseVariance);
  const findings = await page.locator('[data-findings]').textContent();
  assert.match(findings, /is PER \+ LIN: a yearly season, plus a straight line\./);
  assert.match(findings, /It is the kernel that the series was made with/);
  const numInside = hidden.filter(isInside).length;
  assert.ok(findings.includes(`${numInside} of 20 hidden values lie in the band`), findings);
  const found = await chartOf(page);
  assert.notEqual(found.pixels, before.pixels);
  assert.match(found.alt, /Level 2, PER \+ LIN: at the end the mean is/);

  // Another level is looked at, by keyboard, and the link says so.
  const levels = page.getByRole('radio', { name: '2, best' });
  await levels.focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('[data-level="1"]').waitFor();
  const first = await chartOf(page);
  assert.notEqual(first.pixels, found.pixels);
  assert.match(first.alt, /Level 1, LIN: /);
  assert.match(new URL(await copiedLink(page)).hash, /&level=1&digest=/);
  assert.deepEqual(problems, []);
});

test('the band is there when the first level is done; paused or stopped, the search goes on to the same', async () => {
  const { page } = await open();
  const before = await chartOf(page);
  await interrupt(page, 'Pause', 'Search');
  await page.locator('[data-level="1"]').waitFor();
  const first = await chartOf(page);
  assert.notEqual(first.pixels, before.pixels);
  assert.match(first.alt, /Level 1, LIN: /);
  await press(page, 'Resume');
  await untilStatus(page, 'done');
  const digest = await digestOf(page);
  assert.notEqual((await chartOf(page)).pixels, first.pixels);

  const { page: stopped } = await open();
  await interrupt(stopped, 'Stop', 'Search');
  assert.equal(await digestOf(stopped), '');
  await press(stopped, 'Continue');
  await untilStatus(stopped, 'done');
  assert.equal(await digestOf(stopped), digest);
});

test('files and pasted numbers are searched as in Node, and refused with what is wrong', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'unnorm-series-'));
  context.after(() => rm(folder, { recursive: true }));
  const { page, problems } = await open();
  const values = trendAndSeason(7).values.slice(0, 45);
  const month = (n) => `${1990 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`;
  const rows = values.map((value, n) => `${month(n)},${value}`);
  const csv = `month,sold\n${rows.join('\n')}\n`;
  await chooseFile(page, 'mine.csv', csv);
  await page.getByText('mine.csv: 45 values').waitFor();
  assert.equal(await page.getByLabel('Series', { exact: true }).inputValue(), 'own');
  assert.match(
    (await chartOf(page)).alt,
    /^sold against the month: 45 values from 1990 to 1993\.67/,
  );
  const digest = await search(page);
  const times = values.map((_, n) => 1990 + Math.floor(n / 12) + (n % 12) / 12);
  assert.equal(digest, (await searchHere({ times, values }, 30)).digest);
  await writeFile(join(folder, 'mine.csv'), csv);
  assert.equal(await digestOfCode(page, folder), digest);

  // A link holds no data, but the digest they gave.
  const link = await copiedLink(page);
  const { page: other } = await site.page(LAB + new URL(link).hash);
  await other.getByText('This link was made with a file').waitFor();
  assert.ok(await other.getByRole('button', { name: 'Search', exact: true }).isDisabled());
  await chooseFile(other, 'mine.csv', csv);
  await other.getByText('Ready: press Search.').waitFor();
  assert.equal(await search(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();

  // One column: the times are 1, 2, 3, …
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, values.join('\n'));
  await page.getByText('pasted.csv: 45 values').waitFor();
  const numbered = { times: values.map((_, n) => n + 1), values };
  assert.equal(await search(page), (await searchHere(numbered, 30)).digest);

  const refusals = [
    ['few.csv', '1\n2\n3\n', 'has 3 values; this page takes 15 to 10,000'],
    ['wide.csv', '1,2,3\n4,5,6\n', 'There are 3 columns; give one of values, or two'],
    ['still.csv', '7,1\n'.repeat(20), 'has the same time in every row'],
    ['words.csv', '1,2\n3,many\n', 'Line 2, column 2 is not a number.'],
  ];
  for (const [name, text, words] of refusals) {
    await chooseFile(page, name, text);
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    assert.ok((await page.getByRole('alert').textContent()).includes(name));
  }
  // What was there is still there, and what the engine refuses has the name of the field.
  await page.getByText('pasted.csv: 45 values').waitFor();
  await chooseFile(page, 'flat.csv', '1\n'.repeat(20));
  await page.getByText('flat.csv: 20 values').waitFor();
  await press(page, 'Search');
  await untilStatus(page, 'failed');
  assert.match(await page.getByRole('alert').textContent(), /values: are all the same/);
  assert.deepEqual(problems, []);
});

test('a link brings back the settings, and what it says wrong is said', async () => {
  const hash =
    '#data=smooth&hide=nothing&meansOver=3&baseKernels=SE.RQ&maxDepth=3&restarts=1&seed=9';
  const { page } = await open(hash);
  assert.equal(new URL(await copiedLink(page)).hash, hash);
  const given = (label) => page.getByLabel(label, { exact: true }).inputValue();
  assert.equal(await given('Series'), 'smooth');
  assert.ok(await page.getByRole('radio', { name: 'Nothing' }).isChecked());
  assert.equal(await given('Means over'), '3');
  assert.ok(await page.getByRole('checkbox', { name: /^RQ/ }).isChecked());
  assert.ok(!(await page.getByRole('checkbox', { name: /^LIN/ }).isChecked()));
  assert.equal(await given('Levels'), '3');
  assert.equal(await given('Restarts'), '1');
  assert.equal(await given('Seed'), '9');
  // Every series comes with the means that suit it.
  await page.getByLabel('Series', { exact: true }).selectOption('co2');
  assert.equal(await given('Means over'), '3');
  await page.getByLabel('Series', { exact: true }).selectOption('airline');
  assert.equal(await given('Means over'), '1');
  await page.getByText('The search sees 144 of 144 values.').waitFor();
  // The code fetches the series from the site.
  const short = '#data=airline&hide=third&maxDepth=1&restarts=0&seed=1&level=1';
  const { page: airline } = await open(short);
  assert.equal(await digestOfCode(airline), await search(airline));

  const { page: wrong, problems } = await open('#data=<img src=x>&maxDepth=11&restarts=1');
  await wrong.getByText('as data, which has to be one of airline').waitFor();
  await wrong.getByText('“11” as maxDepth').waitFor();
  assert.equal(await wrong.getByLabel('Restarts', { exact: true }).inputValue(), '1');
  assert.deepEqual(problems, []);
});

test('white noise is continued past its end, and the search says that there is nothing', async () => {
  const { page, problems } = await open(
    '#data=noise&hide=nothing&meansOver=1&baseKernels=SE.PER.LIN&maxDepth=2&restarts=0&seed=1',
  );
  const digest = await search(page);
  const series = whiteNoise(1);
  const predict = [...series.times, ...timesAfter(series.times, 40)];
  assert.equal(digest, (await searchHere(series, 120, predict)).digest);
  assert.equal(await digestOfCode(page), digest);
  assert.equal(await page.locator('td[data-label="RMSE"]').count(), 0);
  const findings = await page.locator('[data-findings]').textContent();
  assert.match(findings, /No kernel has a lower BIC than noise alone/);
  // Beside the picture, too.
  await page.locator('.pictures').getByText('No kernel has a lower BIC than noise alone').waitFor();
  const bands = String(await download(page, 'Bands, CSV'))
    .trim()
    .split('\n');
  assert.equal(bands[0], 'time,value,seen,mean,lower,upper');
  assert.equal(bands.length, 161);
  const [time, value, seen, mean, lower, upper] = bands.at(-1).split(',');
  assert.deepEqual([time, value, seen], ['159', '', '0']);
  assert.ok(Number(lower) < Number(mean) && Number(mean) < Number(upper));
  const { spec, result, hidden } = JSON.parse(await download(page, 'Result, JSON'));
  assert.equal(result.digest, digest);
  assert.deepEqual([spec.predict.length, hidden.length], [160, 0]);
  const components = String(await download(page, 'Components, CSV'))
    .trim()
    .split('\n');
  assert.equal(components.length, 161);
  const png = await download(page, 'Pictures, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.deepEqual(problems, []);
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await search(page);
  await assertSoundEverywhere(page);
});
