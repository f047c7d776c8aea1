import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { interrupt } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  copiedLink,
  desk,
  download,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/score-field/';
/** Nine spots, at noise enough to be learned in a second or so. */
const SMALL =
  '#a=grid&b=none&method=denoising&most=0.8&least=0.4&levels=2&layers=2&units=16&rows=500&updates=600&steps=20&step=0.5&particles=300&seed=1';
const BOTH = SMALL.replace('a=grid&b=none', 'a=rows&b=columns');

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = SMALL, options = {}) {
  const opened = await site.page(LAB + hash, { reducedMotion: 'reduce', ...options });
  await opened.page.getByText(/^(Ready: press Learn|Draw some points first)\.$/).waitFor();
  return opened;
}

async function learn(page) {
  await press(page, 'Learn');
  await untilStatus(page, 'done');
  await flowOf(page, 'a');
}

/** Waits for the particles of a target. */
function flowOf(page, target) {
  return page.locator(`[data-flow="${target}"]`).waitFor();
}

async function show(page, name, target) {
  // The circle of the choice lies under its label.
  await page.getByRole('radio', { name, exact: true }).check({ force: true });
  await flowOf(page, target);
}

async function percent(page, name) {
  return Number.parseFloat(await numberOf(page, name));
}

test('a score is learned, and particles go by it to where the data are', async () => {
  const { page, problems } = await open();
  const picture = 'Energy and score of A';
  const empty = await pixelsOf(page, picture);
  await learn(page);
  assert.notEqual(await pixelsOf(page, picture), empty);
  assert.equal(await numberOf(page, 'Self-check'), 'passed');
  assert.ok((await percent(page, 'Relative error')) < 0.6);
  assert.ok((await percent(page, 'Angle')) < 45);
  assert.ok((await percent(page, 'Densities apart')) < 20);
  assert.ok((await percent(page, 'Samples inside')) > 85);
  // With reduced motion the end is shown, and nothing plays.
  assert.equal(await page.locator('[data-moment]').getAttribute('data-moment'), '40');
  const end = await pixelsOf(page, 'Langevin samples of A');
  await page.getByLabel('Moment shown').last().fill('0');
  await page.locator('[data-moment="0"]').waitFor();
  assert.notEqual(await pixelsOf(page, 'Langevin samples of A'), end);
  const learned = await pixelsOf(page, picture);
  await page.getByRole('radio', { name: 'And exact' }).check({ force: true });
  assert.notEqual(await pixelsOf(page, picture), learned);
  assert.deepEqual(problems, []);
});

test('the same link gives the same digests, and the code shown too', async () => {
  const { page } = await open();
  await learn(page);
  const digests = await titlesOf(page);
  assert.equal(digests.length, 4);
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  await learn(other);
  assert.deepEqual(await titlesOf(other), digests);
  assert.deepEqual(await linesOf(page), digests);
});

/** The digests on the page, of fits and of samples. */
function titlesOf(page) {
  const all = page.locator('td[title], [data-flow-digest]');
  return all.evaluateAll((all) => all.map(({ title }) => title));
}

/** The digests that the code shown prints in Node. */
async function linesOf(page) {
  const stdout = await outputOfCode(page);
  return stdout.match(/[0-9a-f]{64}/g);
}

test('two energies are put together: and, or', async () => {
  const { page, problems } = await open(BOTH);
  await learn(page);
  const pictures = new Set([await pixelsOf(page, 'Energy and score of A')]);
  for (const [name, target] of [
    ['A and B', 'and'],
    ['A or B', 'or'],
    ['B', 'b'],
  ]) {
    await show(page, name, target);
    assert.equal(await numberOf(page, 'Self-check'), 'passed', name);
    assert.ok((await percent(page, 'Samples inside')) > 80, name);
    pictures.add(await pixelsOf(page, `Energy and score of ${name}`));
  }
  assert.equal(pictures.size, 4);
  await show(page, 'A or B', 'or');
  // The code shown learns the same, and draws the same.
  const digests = await titlesOf(page);
  assert.equal(digests.length, 6);
  assert.deepEqual((await linesOf(page)).sort(), digests.sort());
  assert.deepEqual(problems, []);
});

test('all three ways to learn, and one or two layers', async () => {
  for (const [method, layers] of [
    ['scoreMatching', 1],
    ['scoreMatching', 2],
    ['persistent', 2],
  ]) {
    const { page, problems } = await open(
      SMALL.replace('method=denoising', `method=${method}`)
        .replace('layers=2', `layers=${layers}`)
        .replace('updates=600', 'updates=100'),
    );
    await learn(page);
    assert.ok((await percent(page, 'Relative error')) < 2, `${method} ${layers}`);
    assert.ok((await percent(page, 'Acceptance')) > 20, `${method} ${layers}`);
    assert.deepEqual(problems, []);
  }
});

test('points are drawn by pointer and by keyboard, and go into the link', async () => {
  const { page } = await open(SMALL.replace('a=grid', 'a=drawn'));
  assert.ok(await page.getByRole('button', { name: 'Learn', exact: true }).isDisabled());
  const pad = page.getByRole('button', { name: /^Draw data A/ });
  const { x, y, width, height } = await pad.boundingBox();
  await page.mouse.move(x + 0.2 * width, y + 0.5 * height);
  await page.mouse.down();
  await page.mouse.move(x + 0.8 * width, y + 0.5 * height, { steps: 30 });
  await page.mouse.up();
  const numPoints = async () =>
    Number((await pad.getAttribute('aria-label')).match(/: (\d+) of/)[1]);
  const drawn = await numPoints();
  assert.ok(drawn > 8 && drawn < 40, `${drawn}`);
  await pad.focus();
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  assert.equal(await numPoints(), drawn + 1);
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Enter');
  assert.equal(await numPoints(), drawn + 1);
  await page.getByText('Ready: press Learn.').waitFor();
  const { hash } = new URL(await copiedLink(page));
  assert.equal(new URLSearchParams(hash.slice(1)).get('pointsA').length, 4 * (drawn + 1));
  const { page: other } = await open(hash);
  assert.equal(
    await other.getByRole('button', { name: /^Draw data A/ }).getAttribute('aria-label'),
    (await pad.getAttribute('aria-label')).replace(/Cursor at [^T]*\. T/, 'Cursor at 0, 0. T'),
  );
  await learn(other);
  assert.ok((await percent(other, 'Samples inside')) > 80);
  await other.getByRole('button', { name: 'Clear' }).click();
  await other.getByText('Draw some points first.').waitFor();
});

test('a run is stopped and goes on to the same digests', async () => {
  const { page } = await open(SMALL.replace('updates=600', 'updates=2000'));
  await interrupt(page, 'Stop', 'Learn');
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  await flowOf(page, 'a');
  const { page: other } = await open(SMALL.replace('updates=600', 'updates=2000'));
  await learn(other);
  const titlesOf = (of) =>
    of.locator('td[title]').evaluateAll((all) => all.map(({ title }) => title));
  assert.deepEqual(await titlesOf(page), await titlesOf(other));
});

test('what is learned goes into files', async () => {
  const { page } = await open();
  await learn(page);
  const { sets, shown } = JSON.parse(await download(page, 'Learned energies, JSON'));
  assert.equal(sets[0].levels.length, 2);
  assert.equal(sets[0].states.length, 1000);
  assert.equal(sets[0].levels[1].model.kind, 'neural');
  assert.ok(shown.levels[1].judged.relative < 0.6);
  const csv = (await download(page, 'Field, CSV')).toString().trim().split('\n');
  assert.equal(csv.length, 1 + 126 * 126);
  assert.ok(csv[1].split(',').every((value) => Number.isFinite(Number(value))));
  assert.equal((await download(page, 'Samples, CSV')).toString().trim().split('\n').length, 301);
  assert.ok((await download(page, 'Pictures, PNG')).subarray(1, 4).toString() === 'PNG');
});

test('what a link has wrong is said', async () => {
  const { page } = await open('#a=circle&units=1e9&pointsA=xyz&steps=5');
  for (const name of ['a', 'units', 'pointsA']) {
    await page.locator('.notice').getByText(`as ${name},`).waitFor();
  }
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const drawn = BOTH.replace('a=rows', 'a=drawn&pointsA=hhhhmmmmhhmm');
  const { page } = await open(drawn, { viewport: desk, bypassCSP: true });
  await learn(page);
  await assertSoundEverywhere(page);
});
