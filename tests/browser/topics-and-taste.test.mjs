import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { interrupt } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  copiedLink,
  digestOf,
  download,
  numberOf,
  openSite,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/topics-and-taste/';
/** Machines that learn in a moment. */
const FEW = '#people=1500&tastes=6&epochs=40';
const SHORT = '#task=topics&topics=6&passes=80';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash, options = {}) {
  const opened = await site.page(LAB + hash, { reducedMotion: 'reduce', ...options });
  await opened.page.getByText('Ready: press Fit').waitFor();
  return opened;
}

async function openAndFit(hash, options) {
  const opened = await open(hash, options);
  await press(opened.page, 'Fit');
  await untilStatus(opened.page, 'done');
  await untilRead(opened.page);
  return opened;
}

const meansOf = (page, attribute) =>
  page
    .locator('[data-thing]')
    .evaluateAll(
      (rows, name) =>
        rows.map((row) => [row.dataset.thing, row.querySelector(`[${name}]`).textContent]),
      attribute,
    );

/** Until what is shown is said by the machine shown, of the ratings and the text shown. */
const untilRead = (page) => page.locator('[aria-busy="false"]').first().waitFor();

const textOf = (page) => page.getByRole('textbox', { name: 'A text of yours' });

/** What the lines that the page shows print. */
async function runCode(page) {
  const stdout = await outputOfCode(page);
  return stdout;
}

test('tastes are learned from few ratings: better than frequencies, no better than the truth', async () => {
  const { page, problems } = await open(FEW);
  const before = await meansOf(page, 'data-true-mean');
  assert.equal(before.length, 30);
  assert.ok((await meansOf(page, 'data-mean')).every(([, mean]) => mean === '–'));
  await press(page, 'Fit');
  await untilStatus(page, 'done');
  const { heldOut, course, digest, model } = JSON.parse(await download(page, 'Model, JSON'));
  const [alone, learned, truth] = ['alone', 'learned', 'truth'].map((of) => heldOut[of].nats);
  assert.ok(learned.value < alone.value, `${learned.value} by ${alone.value}`);
  // Over the same 400 people: beyond six standard errors by chance once in 10⁹.
  assert.ok(learned.value > truth.value - 6 * learned.error, `${learned.value}, ${truth.value}`);
  assert.ok(truth.value < alone.value);
  assert.equal(course.nats.at(-1), learned.value);
  assert.equal(model.weights.length, 6 * 200);
  assert.equal(digest, await digestOf(page));

  // What is shown for each film is what is in the table, best first.
  await untilRead(page);
  const means = await meansOf(page, 'data-mean');
  assert.deepEqual(
    means.map(([, mean]) => Number(mean)),
    means.map(([, mean]) => Number(mean)).toSorted((one, other) => other - one),
  );
  const [head, ...lines] = (await download(page, 'Predictions, CSV')).toString().trim().split('\n');
  assert.equal(head.split(',').length, 14);
  assert.equal(lines.length, 40);
  // Titles have commas, and stand in quotation marks.
  const cells = lines.map((line) => line.replace(/^"[^"]*"/, 'film').split(','));
  for (const [thing, mean] of means) assert.equal(Number(cells[thing][2]).toFixed(2), mean);
  for (const row of cells) {
    const sum = row.slice(3, 8).reduce((total, p) => total + Number(p), 0);
    assert.ok(Math.abs(sum - 1) < 1e-9);
  }
  assert.match(await page.locator('[data-findings]').textContent(), /beyond how films are rated/);
  assert.deepEqual(problems, []);
});

test('one rating more, by keyboard, moves what is foretold, and is in the link', async () => {
  const { page } = await openAndFit(FEW);
  const before = Object.fromEntries(await meansOf(page, 'data-mean'));
  await page.getByLabel('Another').selectOption({ label: 'Airlock Blues' });
  await page.getByRole('button', { name: 'Add', exact: true }).focus();
  await page.keyboard.press('Enter');
  const row = page.getByRole('radiogroup', { name: 'Airlock Blues' });
  await row.getByRole('radio', { name: 'not rated' }).focus();
  for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowRight');
  await row.getByRole('radio', { name: '5' }).and(page.locator(':checked')).waitFor();
  await page.locator('[data-thing="7"]').waitFor({ state: 'detached' });
  await untilRead(page);
  const after = Object.fromEntries(await meansOf(page, 'data-mean'));
  assert.equal(Object.keys(after).length, 29);
  // Who likes one film full of songs will rather like another.
  assert.ok(Number(after['17']) > Number(before['17']));

  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  const [mine, theirs] = await Promise.all(
    [page, other].map((one) => meansOf(one, 'data-true-mean').then(Object.fromEntries)),
  );
  assert.deepEqual(mine, theirs);
  await press(other, 'Clear all');
  await other.locator('[data-thing="0"]').waitFor();
  assert.equal(await other.locator('[data-thing]').count(), 40);
});

test('the code of the tastes has the digest of the page, stopped on the way or not', async () => {
  const { page } = await open(`${FEW}&seed=4`);
  await interrupt(page, 'Stop', 'Fit');
  assert.equal(await digestOf(page), '');
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const printed = await runCode(page);
  assert.equal(/digest (\w+)/.exec(printed)[1], await digestOf(page));
  // The means of the code are those of the page.
  await untilRead(page);
  for (const [thing, mean] of await meansOf(page, 'data-mean')) {
    assert.match(printed, new RegExp(`^${thing} ${mean}$`, 'm'));
  }
});

test('topics are learned: paragraphs held out are less of a surprise, and a text turns topics on', async () => {
  const { page, problems } = await openAndFit(SHORT);
  const [learned, alone] = await Promise.all(
    ['Perplexity', 'By frequencies'].map((name) => numberOf(page, name).then(Number)),
  );
  assert.ok(learned > 1 && learned < alone, `${learned} by ${alone}`);
  assert.equal(await page.locator('[data-topic]').count(), 6);
  const bars = () => page.getByRole('list', { name: 'Topics that are on' }).textContent();
  assert.equal(await page.locator('[data-nearest] li').count(), 3);
  const before = await bars();
  await textOf(page).fill(
    'A worker of the page loads the file of the package, and the engine runs on every browser.',
  );
  await untilRead(page);
  assert.notEqual(await bars(), before);
  const links = page.locator('[data-nearest] a');
  for (const href of await links.evaluateAll((all) => all.map(({ href }) => href))) {
    const { status } = await page.request.get(href).then((answer) => ({ status: answer.status() }));
    assert.equal(status, 200, href);
  }
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  assert.match(await textOf(other).inputValue(), /^A worker of the page/);

  await textOf(page).fill('xyzzy');
  await page.locator('[data-known="0"]').waitFor();
  assert.equal(await page.locator('[data-nearest]').count(), 0);
  assert.deepEqual(problems, []);
});

test('the code of the topics has the digest and the perplexity of the page', async () => {
  const { page } = await openAndFit(`${SHORT}&passes=40`);
  // They fetch the words from the server under test.
  const printed = await runCode(page);
  assert.equal(/digest (\w+)/.exec(printed)[1], await digestOf(page));
  assert.equal(/perplexity (\S+)/.exec(printed)[1], await numberOf(page, 'Perplexity'));
  const { words, model } = JSON.parse(await download(page, 'Model, JSON'));
  const lines = (await download(page, 'Words, CSV')).toString().trim().split('\n');
  assert.equal(lines.length, 1 + words.length);
  assert.equal(Number(lines[1].split(',')[2]), model.weights[0]);
});

test('what a link has wrong is said', async () => {
  const { page } = await open('#ratings=12&tastes=99');
  for (const said of ['“12” as ratings', '“99” as tastes']) await page.getByText(said).waitFor();
});

for (const [name, hash] of Object.entries({ taste: FEW, topics: `${SHORT}&passes=40` })) {
  test(`axe finds nothing wrong and nothing sticks out: ${name}`, async () => {
    const { page } = await openAndFit(hash, { bypassCSP: true });
    await assertSoundEverywhere(page);
  });
}
