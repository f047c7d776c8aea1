import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { createEngine } from '../../dist/node.js';
import { clusteredRows, noiseAlone } from '../../www/lib/structured-tables.js';
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

const LAB = 'labs/structure-search/';
/** A search of a fraction of a second. */
const SMALL =
  '#data=clusters&noise=0.5&standardize=whole&maxDepth=1&keep=1&numFolds=3&seed=1&order=found';
const SETTINGS = { standardize: 'whole', maxDepth: 1, keep: 1, numFolds: 3, seed: 1 };
const TABLE = 'canvas[data-picture="The table"]';
const PRODUCT = 'canvas[data-picture="The structure"]';

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

/** What a picture shows, and what it says of itself. */
async function pictureOf(page, selector) {
  const canvas = page.locator(selector);
  return {
    pixels: await canvas.evaluate((element) => element.toDataURL()),
    alt: await canvas.getAttribute('aria-label'),
  };
}

/** The nodes of a level of the tree, folded ones too: text, gain on G, and whether they are on the best path. */
function nodesOf(page, level) {
  return page.locator(`[data-level="${level}"] li:not(.none)`).evaluateAll((all) =>
    all.map((node) => ({
      text: node.querySelector('span').textContent,
      gain: Number((node.querySelector('.gain')?.textContent ?? '0').replace('−', '-')),
      isOnPath: node.classList.contains('path'),
    })),
  );
}

/** The digest that the code shown prints in Node. */
async function digestOfCode(page, cwd) {
  const stdout = await outputOfCode(page, cwd);
  return stdout.split('\n')[0];
}

const near = (actual, expected, tolerance) =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

test('a search finds what the package finds: the tree, the matrices and the table sorted by them', async () => {
  const { page, problems } = await open();
  const raw = await pictureOf(page, TABLE);
  assert.match(raw.alt, /Rows and columns as in the table/);
  const empty = await pictureOf(page, PRODUCT);
  const digest = await search(page);
  const result = await engine.structure({ ...clusteredRows(0.5, 1), ...SETTINGS });
  assert.equal(digest, result.digest);
  assert.equal(await digestOfCode(page), digest);
  assert.equal(result.text, 'MG + G');
  assert.equal(await numberOf(page, 'Structure'), result.text);
  assert.equal(await page.locator('#search-title').textContent(), result.text);
  assert.equal(await page.locator('[data-structure]').textContent(), 'Clusters of rows.');
  near(Number((await numberOf(page, 'Score')).replace('−', '-')), result.score, 0.006);

  // Every candidate is there, the best first, and the way to the best is marked.
  const [[base], level] = result.levels.map(({ candidates }) => candidates);
  const best = [...level].sort((a, b) => b.score - a.score);
  const nodes = await nodesOf(page, 1);
  assert.deepEqual(
    nodes.map(({ text }) => text),
    best.map(({ text }) => text),
  );
  for (const [n, { gain }] of nodes.entries()) near(gain, best[n].score - base.score, 0.051);
  assert.deepEqual(
    nodes.map(({ isOnPath }) => isOnPath),
    best.map(({ text }) => text === result.text),
  );
  assert.deepEqual(await nodesOf(page, 0), [{ text: 'G', gain: 0, isOnPath: true }]);
  const findings = await page.locator('[data-findings]').textContent();
  assert.match(findings, /The structure found is MG \+ G: clusters of rows\./);
  const gain = `MG + G gains ${(best[0].score - base.score).toFixed(2)} ± ${best[0].gainError.toFixed(2)}`;
  assert.ok(findings.includes(gain), findings);
  assert.match(findings, /It is the structure that the table was made with\./);

  const product = await pictureOf(page, PRODUCT);
  assert.notEqual(product.pixels, empty.pixels);
  const [clusters] = result.matrices;
  assert.ok(product.alt.includes(`M 40 × ${clusters.numCols}`), product.alt);
  const sorted = await pictureOf(page, TABLE);
  assert.notEqual(sorted.pixels, raw.pixels);
  assert.match(sorted.alt, /Rows by cluster, columns by their strongest factor/);

  // The order of the table, by keyboard; the link says so.
  await page.getByRole('radio', { name: 'Sorted' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.locator(`${TABLE}[aria-label*="as in the table"]`).waitFor();
  assert.equal((await pictureOf(page, TABLE)).pixels, raw.pixels);
  assert.match(new URL(await copiedLink(page)).hash, /&order=table&digest=/);

  const { spec, order, result: saved } = JSON.parse(await download(page, 'Result, JSON'));
  assert.equal(saved.digest, digest);
  assert.deepEqual([spec.states.length, spec.dim, spec.keep], [1200, 30, 1]);
  const clusterOf = (row) =>
    clusters.values.indexOf(1, row * clusters.numCols) - row * clusters.numCols;
  const inOrder = order.rows.map(clusterOf);
  assert.deepEqual(
    inOrder,
    [...inOrder].sort((a, b) => a - b),
  );
  const tree = String(await download(page, 'Tree, CSV'))
    .trim()
    .split('\n');
  assert.equal(tree.length, 2 + level.length);
  assert.equal((await download(page, 'Pictures, PNG')).subarray(1, 4).toString(), 'PNG');
  assert.deepEqual(problems, []);
});

test('tables of the world are fetched, and the code shown makes the same search', async () => {
  for (const [data, standardize, shape] of [
    ['animals', 'columns', '101 × 16'],
    ['walking', 'columns', '100 × 30'],
    ['senate', 'whole', '102 × 48'],
  ]) {
    const { page, problems } = await open(
      `#data=${data}&noise=5&standardize=${standardize}&maxDepth=1&keep=1&numFolds=2&seed=1&order=found`,
    );
    assert.equal(await numberOf(page, 'Table'), shape);
    const digest = await search(page);
    assert.equal(await digestOfCode(page), digest, data);
    assert.deepEqual(problems, []);
  }
  // Chosen from the list, a table comes with how it is standardized.
  const { page } = await open();
  await page.getByLabel('Table', { exact: true }).selectOption('animals');
  await page.getByText('Ready: press Search.').waitFor();
  assert.equal(await numberOf(page, 'Table'), '101 × 16');
  assert.ok(await page.getByRole('radio', { name: 'Columns' }).isChecked());
});

test('the tree grows while structures are scored; paused or stopped, the search goes on to the same', async () => {
  const hash = SMALL.replace('maxDepth=1', 'maxDepth=2');
  const { page } = await open(hash);
  await interrupt(page, 'Pause', 'Search');
  const some = await page.locator('[data-tree] li:not(.none)').count();
  await press(page, 'Resume');
  await untilStatus(page, 'done');
  const digest = await digestOf(page);
  const all = await page.locator('[data-tree] li:not(.none)').count();
  assert.ok(some > 1 && some < all, `${some} of ${all}`);

  const { page: stopped } = await open(hash);
  await interrupt(stopped, 'Stop', 'Search');
  assert.equal(await digestOf(stopped), '');
  await press(stopped, 'Continue');
  await untilStatus(stopped, 'done');
  assert.equal(await digestOf(stopped), digest);
});

test('files and pasted tables are searched as in Node, and refused with what is wrong', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'unnorm-table-'));
  context.after(() => rm(folder, { recursive: true }));
  const { page, problems } = await open();
  const rows = Array.from({ length: 16 }, (_, row) =>
    Array.from({ length: 8 }, (_, column) =>
      (
        3 * Math.sin(((row % 2) + 2) * (column + 1) * 1.7) +
        0.5 * Math.sin(9.7 * (8 * row + column) ** 2)
      ).toFixed(4),
    ),
  );
  const body = rows.map((row) => row.join(',')).join('\n');
  const csv = `a,b,c,d,e,f,g,h\n${body}\n`;
  await chooseFile(page, 'mine.csv', csv);
  await page.getByText('mine.csv: 16 rows, 8 columns').waitFor();
  assert.equal(await page.getByLabel('Table', { exact: true }).inputValue(), 'own');
  assert.equal(await page.getByLabel('Noise', { exact: true }).count(), 0);
  assert.ok(await page.getByRole('radio', { name: 'Columns' }).isChecked());
  const digest = await search(page);
  const states = rows.flat().map(Number);
  const expected = { states, dim: 8, ...SETTINGS, standardize: 'columns' };
  assert.equal(digest, (await engine.structure(expected)).digest);
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

  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }, body);
  await page.getByText('pasted.csv: 16 rows, 8 columns').waitFor();
  assert.equal(await search(page), digest);

  const refusals = [
    ['few.csv', '1,2,3\n'.repeat(9), '9 rows and 3 columns; a search needs 6 or more of each'],
    ['long.csv', '1,2,3,4,5,6\n'.repeat(301), 'takes up to 300 of each and 10,000 numbers'],
    ['words.csv', '1,2\n3,many\n', 'Line 2, column 2 is not a number.'],
    ['ragged.csv', '1,2\n3\n', 'Line 2 has 1 numbers where the first has 2.'],
  ];
  for (const [name, text, words] of refusals) {
    await chooseFile(page, name, text);
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    assert.ok((await page.getByRole('alert').textContent()).includes(name));
  }
  // What was there is still there, and what the engine refuses has the name of the field.
  await page.getByText('pasted.csv: 16 rows, 8 columns').waitFor();
  await chooseFile(page, 'flat.csv', rows.map((row) => [...row, 7].join(',')).join('\n'));
  await page.getByText('flat.csv: 16 rows, 9 columns').waitFor();
  await press(page, 'Search');
  await untilStatus(page, 'failed');
  assert.match(await page.getByRole('alert').textContent(), /states: are all the same in column 8/);
  assert.deepEqual(problems, []);
});

test('with a least gain that no structure has, the table stays without one', async () => {
  const { page } = await open(SMALL.replace('&keep=1', '&keep=1&minGain=100'));
  const digest = await search(page);
  const spec = { ...clusteredRows(0.5, 1), ...SETTINGS, minGain: 100 };
  const { text, digest: expected } = await engine.structure(spec);
  assert.deepEqual([digest, text], [expected, 'G']);
  assert.equal(await numberOf(page, 'Structure'), 'G');
});

test('a link brings back the settings, and what it says wrong is said', async () => {
  const hash =
    '#data=walks&noise=2.5&standardize=columns&maxDepth=2&keep=4&minGain=0.25&numFolds=7&seed=9&order=table';
  const { page } = await open(hash);
  assert.equal(new URL(await copiedLink(page)).hash, hash);
  const given = (label) => page.getByLabel(label, { exact: true }).inputValue();
  assert.equal(await given('Table'), 'walks');
  assert.equal(await given('Productions'), '2');
  assert.equal(await given('Keep'), '4');
  assert.equal(await given('Least gain'), '0.25');
  assert.equal(await given('Folds'), '7');
  assert.equal(await given('Seed'), '9');
  assert.ok(await page.getByRole('radio', { name: 'Columns' }).isChecked());
  const slider = page.getByLabel('Noise', { exact: true });
  assert.equal(await slider.getAttribute('aria-valuetext'), '2.5');
  const before = await pictureOf(page, TABLE);
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  assert.match(new URL(await copiedLink(page)).hash, /&noise=3\.2&/);
  assert.notEqual((await pictureOf(page, TABLE)).pixels, before.pixels);

  const { page: wrong, problems } = await open('#data=<img src=x>&noise=11&maxDepth=2&depth=1');
  await wrong.getByText('as data, which has to be one of coClusters').waitFor();
  await wrong.getByText('“11” as noise, which has to be a number from 0.1 to 10').waitFor();
  await wrong.getByText('“depth”, which this page does not know').waitFor();
  assert.equal(await wrong.getByLabel('Productions', { exact: true }).inputValue(), '2');
  assert.deepEqual(problems, []);
});

test('where there is nothing, the search says so; what was found with other noise stays in view', async () => {
  const { page } = await open(SMALL.replace('data=clusters&noise=0.5', 'data=noise&noise=1'));
  assert.equal(
    await search(page),
    (await engine.structure({ ...noiseAlone(1, 1), ...SETTINGS })).digest,
  );
  assert.equal(await numberOf(page, 'Structure'), 'G');
  assert.equal(await amountOf(page, 'Structures tried'), 8);
  assert.equal(await page.getByRole('radio', { name: 'Sorted' }).count(), 0);
  const findings = page.locator('[data-findings]');
  await findings.getByText('The structure found is G: nothing but independent noise.').waitFor();
  await findings.getByText(/No structure gains as much on independent entries/).waitFor();
  // Beside the picture, too.
  await page
    .locator('.pictures')
    .getByText(/No structure gains as much on independent entries/)
    .waitFor();

  await page.getByLabel('Table', { exact: true }).selectOption('clusters');
  await search(page);
  await findings.getByText('The structure found is MG + G').waitFor();
  await page.getByLabel('Noise', { exact: true }).fill('1');
  await search(page);
  await findings.getByText('The structure found is G').waitFor();
  await findings.getByText('In the same table with other noise: MG + G at 1.0.').waitFor();
  await findings
    .getByText(
      /The table was made with MG \+ G, whose score is \S+ nats a row and column (lower|higher: not enough to be taken)\./,
    )
    .waitFor();
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await search(page);
  await page.getByText('and 1 more').click();
  await assertSoundEverywhere(page);
});
