import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { normals } from '../../www/lib/random-models.js';
import { holdRounds, interrupt, isThere, letRoundsGo, pressWhen } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  chooseFile,
  copiedLink,
  desk,
  digestOf,
  download,
  fit,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/fit-energy/';
const FEW = '&rows=300&repeats=20&seed=1';
const BANANA = `#data=banana&method=scoreMatching${FEW}`;

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = BANANA, options = {}) {
  const opened = await site.page(LAB + hash, { reducedMotion: 'reduce', ...options });
  await isReady(opened.page);
  return opened;
}

function isReady(page) {
  return page
    .getByText(/^(Ready: press Fit|Drop a table of numbers first, or choose a file)\.$/)
    .waitFor();
}

/** The cells of a parameter's row in the table. */
async function rowOf(page, name) {
  const row = page.getByRole('table', { name: 'The parameters' }).getByRole('row');
  const mine = row.filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  return mine.getByRole('cell').allTextContents();
}

/** How many intervals of each parameter hold, as the table has it. */
async function heldOf(page, ...names) {
  const entries = [];
  for (const name of names) {
    const cell = (await rowOf(page, name)).find((text) => /^\d+ of \d+$/.test(text));
    entries.push([name, Number(cell.split(' ')[0])]);
  }
  return Object.fromEntries(entries);
}

/** log Z as it was found, with its error, and in truth. */
async function logZOf(page) {
  const [value, error] = (await numberOf(page, 'log Z')).replace('−', '-').split(' ± ').map(Number);
  const note = await page.locator('[data-number="log Z"] .note').textContent();
  return { value, error, truth: Number(/the truth is (.*)\.$/.exec(note)[1].replace('−', '-')) };
}

/** What the code shown prints in Node: the digest, and how many intervals hold. */
async function runCode(page, cwd) {
  const stdout = await outputOfCode(page, cwd);
  const lines = stdout.trim().split('\n');
  return { digest: lines[0], held: JSON.parse(lines.at(-1)) };
}

function type(page, formula) {
  return page.getByLabel(/^Energy of/).fill(formula);
}

const PEOPLE = (() => {
  const normal = normals(7);
  const rows = Array.from({ length: 200 }, () => {
    const height = 170 + 9 * normal();
    return `${height.toFixed(2)},${(62 + 0.8 * (height - 170) + 7 * normal()).toFixed(2)}`;
  });
  return `${['height,weight', ...rows].join('\n')}\n`;
})();

const WEATHER = (() => {
  const normal = normals(8);
  const rows = Array.from({ length: 300 }, () => {
    const [cloud, rain, wind] = [normal(), normal(), normal()];
    return [cloud > 0, rain + (cloud > 0 ? 0.8 : -0.8) > 0, wind > 0.3].map(Number).join(',');
  });
  return `${['cloud,rain,wind', ...rows].join('\n')}\n`;
})();

test('parameters come with errors that hold, and the code shown finds the same', async () => {
  const { page, problems } = await open();
  const empty = await pixelsOf(page, 'Rows, over the fitted density');
  const noInterval = await pixelsOf(page, 'Parameter a');
  const digest = await fit(page);
  assert.notEqual(await pixelsOf(page, 'Rows, over the fitted density'), empty);
  assert.notEqual(await pixelsOf(page, 'Parameter a'), noInterval);
  assert.equal(await numberOf(page, 'Self-check'), 'passed');
  assert.equal(await numberOf(page, 'Converged'), 'yes');
  const [estimate, , truth] = await rowOf(page, 'b');
  const [value, error] = estimate.split(' ± ').map(Number);
  assert.ok(Math.abs(value - 2) < 5 * error, estimate);
  assert.match(truth, /^2\.00, \d\.\d standard errors away$/);
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /of the truth; [abm]\s+is farthest/,
  );
  const held = await heldOf(page, 'a', 'm', 'b');
  assert.equal(await page.locator('[data-coverage]').getAttribute('data-coverage'), `${held.a}/20`);
  assert.deepEqual(await runCode(page), { digest, held });
  // Another parameter has a picture of its own.
  await page.getByLabel('Parameter', { exact: true }).selectOption('b');
  await page.locator(`[data-coverage="${held.b}/20"]`).waitFor();
  assert.deepEqual(problems, []);
});

test('the link brings back the same digest', async () => {
  const { page } = await open(
    `#data=ring&formula=${encodeURIComponent('s*(log(x^2 + y^2)/2 - log(r))^2')}&starts=s:3%2B,r:0.7%2B&method=ballFlow${FEW}`,
  );
  const digest = await fit(page);
  assert.ok((await numberOf(page, 'Radius')) !== '–');
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  assert.equal(await fit(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();
});

test('every example is fitted by every method that its data have', async () => {
  const { page, problems } = await open('#data=banana&rows=200&repeats=0&seed=2');
  const digests = new Set();
  for (const [example, methods] of [
    ['ring', ['Score matching', 'Minimum probability flow', 'Noise-contrastive estimation']],
    ['funnel', ['Score matching', 'Minimum probability flow', 'Noise-contrastive estimation']],
    ['valley', ['Score matching', 'Minimum probability flow', 'Noise-contrastive estimation']],
    ['tails', ['Score matching', 'Minimum probability flow', 'Noise-contrastive estimation']],
    [
      'threeBody',
      [
        'Minimum probability flow',
        'Pseudolikelihood',
        'Noise-contrastive estimation',
        'Maximum likelihood',
      ],
    ],
  ]) {
    await page.getByLabel('Data', { exact: true }).selectOption(example);
    for (const label of methods) {
      await page.getByLabel('Fitted by').selectOption({ label });
      await isReady(page);
      digests.add(await fit(page));
      assert.equal(await numberOf(page, 'Converged'), 'yes', `${example}, ${label}`);
      if (label.startsWith('Noise')) {
        const { value, error, truth } = await logZOf(page);
        // Of five examples with fixed seeds.
        assert.ok(Math.abs(value - truth) < 6 * error, `${example}: ${value} ± ${error}, ${truth}`);
      }
      // Five standard errors of one of these parameters are passed once in 10⁵ seeds; the seed is fixed.
      assert.match(
        await page.locator('[data-findings]').textContent(),
        /standard errors? of the truth/,
      );
    }
  }
  assert.equal(digests.size, 16);
  assert.deepEqual(problems, []);
});

test('a formula of one’s own: its parameters appear, and what is wrong with it is said', async () => {
  const { page, problems } = await open(BANANA.replace('repeats=20', 'repeats=10'));
  await type(page, 'a*(x - m)^2 + b*(y - c*x^2)^');
  await page.getByText('The formula needs a change.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Fit', exact: true }).isDisabled());
  await type(page, 'x^2 + y^2');
  await page.getByText('There is nothing to fit: name a parameter, such as a in a*x^2.').waitFor();
  await type(page, 'a*(x - m)^2 + log(b - 100)*y^2');
  await page.getByText(/the energy of row 1 is not finite/).waitFor();
  await type(page, 'a*(x - m)^2 + b*(y - c*x^2)^2');
  await isReady(page);
  await page.getByLabel('Start of c').fill('0.5');
  await page.getByLabel('Start of c').press('Enter');
  await page.getByLabel('c is greater than 0').check();
  await isReady(page);
  const digest = await fit(page);
  // The truth has no c: rows are resampled, and nothing is said to be true.
  assert.equal((await rowOf(page, 'c')).length, 4);
  const found = await page.locator('[data-findings]').textContent();
  assert.match(found, /This is not the energy that the data come from\./);
  const held = await heldOf(page, 'a', 'm', 'b', 'c');
  assert.deepEqual(await runCode(page), { digest, held });
  assert.deepEqual(problems, []);
  // A start that is none is said, and not taken.
  await page.getByLabel('Start of c').fill('many');
  await page.getByLabel('Start of c').press('Enter');
  await page.getByText('This has to be a number. 0.5 is used.').waitFor();
});

test('a table of numbers, and one of bits, are fitted here and by the code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unnorm-fit-'));
  try {
    for (const [name, text, variables, formula] of [
      [
        'people.csv',
        PEOPLE,
        'height, weight',
        'a*(height - m)^2/2 + b*(height - m)*(weight - n) + c*(weight - n)^2/2',
      ],
      ['weather.csv', WEATHER, 'cloud, rain, wind', undefined],
    ]) {
      const { page, problems } = await open('#data=own&repeats=10');
      await chooseFile(page, name, text);
      await page.getByText(`${name}: ${formula ? 200 : 300} rows of ${variables}`).waitFor();
      if (formula) {
        await type(page, formula);
        const starts = { a: 0.01, m: 170, b: 0, n: 60, c: 0.01 };
        for (const [parameter, value] of Object.entries(starts)) {
          await page.getByLabel(`Start of ${parameter}`).fill(String(value));
          await page.getByLabel(`Start of ${parameter}`).press('Enter');
        }
      }
      await isReady(page);
      const digest = await fit(page);
      assert.equal(await numberOf(page, 'Converged'), 'yes');
      await writeFile(join(folder, name), text);
      const names = formula ? ['a', 'm', 'b', 'n', 'c'] : ['h1', 'h2', 'h3', 'j12', 'j13', 'j23'];
      assert.deepEqual(await runCode(page, folder), { digest, held: await heldOf(page, ...names) });
      // The link knows the file again.
      const { page: other } = await open(new URL(await copiedLink(page)).hash);
      await other.getByText(/^This link was made with a file of/).waitFor();
      await chooseFile(other, name, text);
      await isReady(other);
      assert.equal(await fit(other), digest);
      await other.locator('[data-digest-check="same"]').waitFor();
      assert.deepEqual(problems, []);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a bad file changes nothing', async () => {
  const { page } = await open();
  const digest = await fit(page);
  for (const [text, message] of [
    ['x,y\n1,2\n3,z\n', 'Line 3, column 2 is not a number.'],
    ['1,2\n3,4\n', 'The file “bad.csv” needs ten rows at least.'],
    [`${Array(12).fill('1,2,3,4,5,6,7,8,9').join('\n')}\n`, /12 rows and 9 columns/],
  ]) {
    await chooseFile(page, 'bad.csv', text);
    await page.getByText(message).waitFor();
    assert.equal(await digestOf(page), digest);
  }
});

test('stopped in the first fit, or among the others, it goes on to the same end', async () => {
  const { page } = await open();
  const digest = await fit(page);
  const held = await heldOf(page, 'a', 'm', 'b');
  const { page: first } = await open();
  await interrupt(first, 'Stop');
  await press(first, 'Continue');
  await untilStatus(first, 'done');
  assert.equal(await digestOf(first), digest);
  assert.deepEqual(await heldOf(first, 'a', 'm', 'b'), held);
  const { page: second } = await open();
  await holdRounds(second, { numFree: 7 });
  const pressed = pressWhen(second, 'Stop', isThere, 'body[data-held]');
  await press(second, 'Fit');
  await pressed;
  await letRoundsGo(second);
  await untilStatus(second, 'stopped');
  assert.equal(await digestOf(second), digest);
  await press(second, 'Continue');
  await untilStatus(second, 'done');
  assert.deepEqual(await heldOf(second, 'a', 'm', 'b'), held);
});

test('settings of another kind of data are mended, and said', async () => {
  const { page } = await open('#data=threeBody&method=scoreMatching&rows=100&repeats=0');
  await page.getByText(/The link's method does not go with its data/).waitFor();
});

test('by keyboard, and what is downloaded', async () => {
  const { page } = await open();
  await page.getByRole('button', { name: 'Fit', exact: true }).focus();
  await page.keyboard.press('Enter');
  await untilStatus(page, 'done');
  const json = JSON.parse(await download(page, 'Result, JSON'));
  assert.equal(json.result.digest, await digestOf(page));
  assert.equal(json.otherFits.length, 20);
  const names = json.result.errors.parameters.map(({ name }) => name);
  assert.deepEqual([...names].sort(), ['a', 'b', 'm']);
  const lines = String(await download(page, 'Parameters, CSV'))
    .trim()
    .split('\n');
  assert.equal(lines[0], 'parameter,estimate,standardError,lower,upper,truth');
  assert.equal(lines.length, 4);
  assert.equal(
    String(await download(page, 'Other fits, CSV'))
      .trim()
      .split('\n').length,
    61,
  );
  const data = String(await download(page, 'Data, CSV'))
    .trim()
    .split('\n');
  assert.deepEqual([data.length, data[0]], [301, 'x,y']);
  const png = await download(page, 'Pictures, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
});

test('nothing is wrong with the page, in light, dark and on a phone', async () => {
  const { page } = await open(BANANA, { viewport: desk, bypassCSP: true });
  await fit(page);
  await assertSoundEverywhere(page);
});
