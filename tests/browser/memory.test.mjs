import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from '../../src/tools/run.mjs';
import { distance, isSet } from '../../www/lib/bit-pictures.js';
import { letterPicture } from '../../www/lib/letters.js';
import { randomRows } from '../../www/lib/random-bits.js';
import { interrupt, isThere, pressWhen } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSound,
  copiedLink,
  digestOf,
  download,
  numberOf,
  openSettings,
  openSite,
  phone,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/memory/';
/** Eight letters of 256 bits, by flow from spoiled copies: a second or so. */
const LETTERS =
  '#source=letters&letters=HOPFIELD&side=16&rule=mpf&corrupted=10&copies=50&noise=10&seed=1';
/** The same at 8×8, without copies: a blink. */
const SMALL = '#source=letters&letters=HAT&side=8&rule=mpf&corrupted=0&noise=5&seed=1';
const CAPACITY = '#task=capacity&units=12&trials=3&seed=4&rules=mpf.storkey.outerProduct';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash, options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByText('Ready to').waitFor();
  return opened;
}

async function store(page) {
  await press(page, 'Store');
  await untilStatus(page, 'done');
}

/** Recalls what stands on the grid, waits for the engine's word, and gives the flips, as the CSV has them. */
async function recall(page) {
  await press(page, 'Recall');
  await page.locator('[data-path-check="pass"]').waitFor();
  const [, ...lines] = (await download(page, 'Recall, CSV')).toString().trim().split('\n');
  return lines.map((line) => {
    const [flips, row, column, update, energy, differing] = line.split(',').map(Number);
    return { flips, row, column, update, energy, differing };
  });
}

function choose(page, option) {
  return page.getByRole('radio', { name: option, exact: true }).check();
}

async function memoryOf(page) {
  return JSON.parse(await download(page, 'Memory, JSON'));
}

const bitsOf = (text) => new Uint8Array(Buffer.from(text, 'base64'));

test('a spoiled letter comes back bit by bit, and the energy falls with every flip', async () => {
  const { page, problems } = await open(LETTERS);
  await store(page);
  await page.locator('[data-self-check="pass"]').waitFor();
  assert.equal(await numberOf(page, 'Pictures stored'), '8 of 8');
  await press(page, 'Spoil');
  const path = await recall(page);
  assert.equal(path[0].differing, 26);
  assert.equal(path.at(-1).differing, 0);
  assert.ok(path.length > 20);
  path.forEach(({ energy }, n) => {
    assert.ok(n === 0 || energy < path[n - 1].energy, `rises at flip ${n}`);
  });
  await page.locator('[data-verdict]').filter({ hasText: 'It came back: H' }).waitFor();
  assert.equal(await page.locator('[data-energy-check]').getAttribute('data-energy-check'), 'pass');

  const memory = await memoryOf(page);
  const h = letterPicture('H', 16);
  assert.deepEqual(bitsOf(memory.recall.end), h);
  assert.equal(distance(bitsOf(memory.recall.cue), h), 26);
  assert.deepEqual(bitsOf(memory.pictures.base64).slice(0, 32), h);
  assert.equal(memory.numStored, 8);
  assert.ok(memory.margins.every((margin) => margin > 0));
  assert.ok(memory.minima.some(({ kind }) => kind === 'spurious'));
  assert.deepEqual(problems, []);
});

test('the code shown gives the same digest in Node, and the link brings the same state back', async () => {
  const { page } = await open(LETTERS);
  await store(page);
  const digest = await digestOf(page);
  await press(page, 'Spoil');
  await recall(page);
  const end = (await memoryOf(page)).recall.end;
  const [found, recalled] = (await outputOfCode(page)).trim().split('\n');
  assert.ok(found.endsWith(digest), found);
  assert.equal(recalled.split(' ').at(-1), bitsOf(end).join());

  const link = await copiedLink(page);
  assert.ok(link.includes(digest.slice(0, 16)));
  const { page: again } = await open(link.slice(link.indexOf('#')));
  assert.equal(await again.getByLabel('Letters', { exact: true }).inputValue(), 'HOPFIELD');
  await store(again);
  await again.locator('[data-digest-check="same"]').waitFor();
});

test('the pointer smears, the keyboard flips, and what was changed can be put back', async () => {
  const { page } = await open(SMALL);
  const grid = page.locator('[data-grid]');
  const shown = () => grid.evaluate((canvas) => canvas.toDataURL());
  const letter = await shown();
  const { x, y, width } = await grid.boundingBox();
  await page.mouse.move(x + 0.3 * width, y + 0.3 * width);
  await page.mouse.down();
  await page.mouse.move(x + 0.8 * width, y + 0.5 * width, { steps: 5 });
  await page.mouse.up();
  assert.notEqual(await shown(), letter);
  await press(page, 'Put back');
  assert.equal(await shown(), letter);
  await choose(page, 'Flip');
  await choose(page, 'Fine');
  await grid.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Space');
  assert.notEqual(await shown(), letter);
  await page.keyboard.press('Space');
  assert.equal(await shown(), letter);
  await page.getByText(/^Row \d, column \d: (ink|paper)$/).waitFor({ state: 'attached' });
});

test('one flipped bit of a stored letter is put right', async () => {
  const { page } = await open(SMALL);
  await store(page);
  assert.equal(await numberOf(page, 'Pictures stored'), '3 of 3');
  await choose(page, 'Flip');
  await choose(page, 'Fine');
  await page.locator('[data-grid]').click({ position: { x: 4, y: 4 } });
  const path = await recall(page);
  // The margin is at least 1 nat: one flip, back to the picture, takes as much off the energy.
  assert.equal(path.length, 2);
  assert.deepEqual([path[1].row, path[1].column, path[1].differing], [0, 0, 0]);
  assert.ok(path[0].energy - path[1].energy >= 1);
});

test('a picture that is drawn is stored with the others, and goes with the link', async () => {
  const { page } = await open(SMALL);
  await press(page, 'Clear');
  await choose(page, 'Draw');
  await page.locator('[data-grid]').click({ position: { x: 200, y: 200 } });
  await press(page, 'Add to the pictures');
  await page.getByText('Ready to store 4 pictures.').waitFor();
  const link = await copiedLink(page);
  const { page: again } = await open(link.slice(link.indexOf('#')));
  await again.getByText('Ready to store 4 pictures.').waitFor();
  await store(again);
  const memory = await memoryOf(again);
  const drawn = bitsOf(memory.pictures.base64).slice(24);
  const ink = Array.from({ length: 64 }, (_, n) => isSet(drawn, n)).filter(Boolean).length;
  assert.equal(ink, 4);
});

test('a dropped picture becomes bits, ink where it is darker than half of it', async () => {
  const { page, problems } = await open(SMALL);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><rect width="80" height="80" fill="#fff"/><rect width="30" height="80" fill="#333"/></svg>`;
  // A bitmap: not every browser makes one of an SVG file.
  const png = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(source)}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 80;
    canvas.height = 80;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/png').split(',')[1];
  }, svg);
  const file = { name: 'half.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') };
  await page.getByLabel('Choose a picture').setInputFiles(file);
  await page.getByText('Ready to store 4 pictures.').waitFor();
  await store(page);
  const bits = bitsOf((await memoryOf(page)).pictures.base64).slice(24);
  assert.deepEqual([...bits], Array(8).fill(0b0000_0111));
  assert.deepEqual(problems, []);
});

test('outer products store less than flow, and their spurious minima are shown', async () => {
  const { page } = await open(
    LETTERS.replace('rule=mpf', 'rule=outerProduct').replace('corrupted=10', 'corrupted=0'),
  );
  await store(page);
  assert.equal(await numberOf(page, 'Pictures stored'), '0 of 8');
  const minimum = page.getByRole('group', { name: 'The minimum on the grid' }).getByRole('radio');
  assert.ok((await minimum.count()) > 0);
  await minimum.first().click();
  const path = await recall(page);
  assert.equal(path.length, 1, 'a minimum stays where it is');
});

test('curves of recall by flipped bits are those of the package, rule by rule', async () => {
  const { page, problems } = await open('#source=random&num=6&side=8&corrupted=0&seed=3');
  const panel = page.locator('[data-flip-curves]');
  await panel.getByRole('button', { name: 'Measure' }).click();
  await panel.getByRole('button', { name: 'Measure again' }).waitFor();
  const csv = (await download(page, 'By flipped bits, CSV')).toString().trim().split('\n');
  const points = csv.slice(1).map((line) => line.split(','));
  assert.equal(points.length, 4 * 17);
  const partOf = (rule, flips) => Number(points.find(([r, n]) => r === rule && n === flips)[2]);
  for (const rule of ['mpf', 'perceptron']) {
    assert.equal(partOf(rule, '0'), 1, rule);
    // Half of 64 bits flipped tells nothing of a pattern.
    assert.ok(partOf(rule, '32') < 0.2, csv.join(' '));
  }
  // As in the thesis: flow recalls from more flips than perceptron corrections do.
  assert.ok(partOf('mpf', '16') > partOf('perceptron', '16') + 0.2, csv.join(' '));
  const { createEngine } = await import(pathToFileURL(join(root, 'dist/node.js')).href);
  const engine = await createEngine({ numWorkers: 1 });
  const patterns = { kind: 'bits', dim: 64, numRows: 6, bits: randomRows(6, 64, 3, 1) };
  const { model } = await engine.memorize({
    model: { kind: 'ising', dim: 64 },
    patterns,
    rule: { kind: 'mpf' },
    seed: 3,
  });
  const noise = { numFlips: 12, numCopies: 17 };
  const { numRecovered } = await engine.recall({ model, cues: patterns, noise, seed: 3 });
  assert.equal(partOf('mpf', '12'), numRecovered / 102);
  await engine.close();
  assert.deepEqual(problems, []);
});

test('points of the capacity curve are those of the package, for the same patterns', async () => {
  const { page, problems } = await open(CAPACITY);
  await press(page, 'Measure');
  await untilStatus(page, 'done');
  const [head, ...lines] = (await download(page, 'Capacity, CSV')).toString().trim().split('\n');
  assert.match(head, /^units,rule,numPatterns,stored,error,bits,passes,trial1,trial2,trial3$/);
  const { createEngine } = await import(pathToFileURL(join(root, 'dist/node.js')).href);
  const engine = await createEngine({ numWorkers: 1 });
  for (const line of lines) {
    const [units, kind, m, stored, , , , ...trials] = line.split(',');
    const numRows = Number(m);
    for (const [trial, part] of trials.entries()) {
      const bits = randomRows(numRows, 12, 4, 1000 + trial);
      const result = await engine.memorize({
        model: { kind: 'ising', dim: Number(units) },
        patterns: { kind: 'bits', dim: 12, numRows, bits },
        rule: { kind },
        seed: 4,
      });
      assert.equal(Number(part), result.numStored / numRows, line);
    }
    // One pattern is stored by every rule; at one and three quarters a unit nothing stores all.
    if (numRows === 1) assert.equal(Number(stored), 1, line);
    if (numRows === 21) assert.ok(Number(stored) < 1, line);
  }
  await engine.close();
  const printed = (await outputOfCode(page))
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  assert.equal(printed.length, lines.length);
  for (const [numPatterns, kind, stored] of printed) {
    const line = lines.find((each) => each.startsWith(`12,${kind},${numPatterns},`));
    assert.ok(Math.abs(Number(line.split(',')[3]) - Number(stored)) < 1e-12, line);
  }
  assert.equal(new Set(lines.map((line) => line.split(',')[1])).size, 3);
  assert.deepEqual(problems, []);
});

test('capacity is measured of rules that see spoiled copies only, patterns and bits', async () => {
  const { page, problems } = await open(
    '#task=capacity&units=8&trials=2&seed=4&rules=mpf&spoiled=25',
  );
  await press(page, 'Measure');
  await untilStatus(page, 'done');
  const [, ...lines] = (await download(page, 'Capacity, CSV')).toString().trim().split('\n');
  const { createEngine } = await import(pathToFileURL(join(root, 'dist/node.js')).href);
  const engine = await createEngine({ numWorkers: 1 });
  for (const line of lines) {
    const [, , m, stored, , bits, , ...trials] = line.split(',').map(Number);
    const made = [];
    for (const trial of trials.keys()) {
      made.push(
        await engine.memorize({
          model: { kind: 'ising', dim: 8 },
          patterns: { kind: 'bits', dim: 8, numRows: m, bits: randomRows(m, 8, 4, 1000 + trial) },
          rule: { kind: 'mpf', optimizer: { kind: 'sgd', numEpochs: 40 } },
          noise: { numFlips: 2, numCopies: 50 },
          seed: 4,
        }),
      );
    }
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const wrong = ({ numWrong }) => numWrong.reduce((sum, count) => sum + count, 0);
    assert.ok(Math.abs(stored - mean(made.map(({ numStored }) => numStored / m))) < 1e-12, line);
    assert.ok(Math.abs(bits - mean(made.map((one) => 1 - wrong(one) / (8 * m)))) < 1e-12, line);
  }
  await engine.close();
  assert.deepEqual(problems, []);
});

test('the measurement of capacity can be stopped and goes on', async () => {
  const { page } = await open('#task=capacity&units=64&trials=10&rules=mpf.perceptron');
  const stopped = pressWhen(page, 'Stop', isThere, '[data-number="1 patterns"]');
  await press(page, 'Measure');
  await stopped;
  await untilStatus(page, 'stopped');
  const rows = await page.locator('tbody tr').count();
  await page.waitForTimeout(300);
  assert.ok((await page.locator('tbody tr').count()) - rows <= 1);
  const hasMore = (n) => document.querySelectorAll('tbody tr').length > n + 1;
  const again = pressWhen(page, 'Stop', hasMore, rows);
  await press(page, 'Continue');
  await again;
  await untilStatus(page, 'stopped');
});

test('storing can be stopped', async () => {
  const { page } = await open('#source=fingerprints&side=32&num=80&rule=mpf&corrupted=0');
  await interrupt(page, 'Stop', 'Store');
});

test('where little motion is wanted, recall shows its end at once', async () => {
  const { page } = await open(SMALL, { reducedMotion: 'reduce' });
  await store(page);
  await press(page, 'Spoil');
  // From here on no time passes in the page, in which anything could move.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await press(page, 'Recall');
  await page.locator('[data-verdict]').filter({ hasText: 'energy fell' }).waitFor();
});

test('axe finds nothing wrong in either theme, and nothing is wider than a phone', async () => {
  const { page } = await open(SMALL, { viewport: phone, bypassCSP: true });
  await openSettings(page);
  await assertSound(page);
  await store(page);
  await press(page, 'Spoil');
  await recall(page);
  await assertSound(page);
  await page.getByRole('button', { name: 'Labs' }).click();
  await assertSound(page);
  await page.keyboard.press('Escape');
  await choose(page, 'Capacity');
  await page.getByText('Ready to measure.').waitFor();
  await assertSound(page);
});
