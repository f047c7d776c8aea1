import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import {
  bitsOf,
  expressionText,
  extend,
  nextRange,
  search,
} from '../../www/lib/number-sequences.js';
import {
  amountOf,
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

const LAB = 'labs/number-sequences/';
const PICTURE = 'The numbers explained';
const THESIS = [4, 13, 38, 87, 208];

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

/** Motion is not wanted, so that a run shows its end at once. */
async function open(hash = '', options = {}) {
  const opened = await site.page(LAB + hash, { reducedMotion: 'reduce', ...options });
  await opened.page.locator(`canvas[data-picture="${PICTURE}"]`).waitFor();
  return opened;
}

async function explain(page) {
  await press(page, 'Explain');
  await untilStatus(page, 'done');
}

const altOf = (page) => page.getByRole('img', { name: /^The numbers / }).getAttribute('aria-label');
const findings = (page) => page.locator('[data-findings]').textContent();
const expression = (page) => page.locator('[data-expression] code').textContent();
const next = (page) => page.locator('[data-next] strong').textContent();

async function type(page, text) {
  await page.getByRole('textbox', { name: 'Numbers' }).fill(text);
  await page.keyboard.press('Enter');
}

test('the example of the thesis is explained step by step, and goes on with 377', async () => {
  const { page, problems } = await open();
  await page.getByText('Ready: press Explain, or Step.').waitFor();
  const first = await pixelsOf(page, PICTURE);
  assert.equal(
    await altOf(page),
    `The numbers ${THESIS.join(', ')}: 46.9 bits. The last numbers are R, not explained.`,
  );
  let { best } = search(THESIS, 1).levels[0];
  for (const production of ['cumsum', 'square', 'nthprime', '1:N']) {
    const { low, high } = nextRange(best, 0.9);
    assert.equal(await next(page), `${low} to ${high}`);
    assert.ok((await findings(page)).startsWith('Nothing yet'));
    await press(page, 'Step');
    best = extend(best, production).made;
    assert.equal(await expression(page), expressionText(best.productions, 5));
    assert.equal(await numberOf(page, 'Bits'), bitsOf(best.score).toFixed(2));
    const score = await amountOf(page, 'Score');
    assert.ok(Math.abs(score / best.score - 1) < 1e-3, `${score}`);
    assert.equal(await numberOf(page, 'Self-check'), 'passed');
  }
  await page.getByText('Explained: nothing is left to R.').waitFor();
  assert.equal(await next(page), '377, 666, 1,027');
  const text = await findings(page);
  assert.match(
    text,
    /are cumsum\(square\(nthprime\(1:5\)\)\), which is 2\.03\s×\s10¹¹ times as probable/,
  );
  assert.match(
    text,
    /After step 3 another expression was ahead, cumsum\(square\(cumsum\(R\)\)\), by 1\.8 bits/,
  );
  assert.match(
    await altOf(page),
    /square of 2, 3, 5, 7, 11: 30\.3 bits\..* nothing is left: 9\.3 bits\.$/,
  );
  assert.notEqual(await pixelsOf(page, PICTURE), first);
  await page.locator('[data-tried="Step 2"]').getByText('cumsum(cumsum(R))').waitFor();
  await press(page, 'Back');
  await page.getByText('Stopped. Continue goes on from here.').waitFor();
  assert.equal(await expression(page), 'cumsum(square(nthprime(R)))');
  assert.deepEqual(problems, []);
});

test('presets end where they are said to, and what has no explanation stays R', async () => {
  const { page, problems } = await open();
  for (const [preset, end, followed] of [
    ['Primes', 'nthprime(1:6)', '17, 19, 23'],
    ['Sums of cubes', 'square(cumsum(1:5))', '441, 784, 1,296'],
    ['Tetrahedra', 'cumsum(cumsum(1:5))', '56, 84, 120'],
    ['Primes of primes', 'nthprime(nthprime(1:5))', '41, 59, 67'],
    ['Powers of two', 'cumsum(R)'],
    ['Fibonacci', 'R'],
    ['A first step that costs', 'R'],
    ['At random', 'R'],
  ]) {
    await page.getByLabel('Sequence', { exact: true }).selectOption({ label: preset });
    if (end !== 'R') await explain(page);
    await untilStatus(page, 'done');
    assert.equal(await expression(page), end, preset);
    if (followed) assert.equal(await next(page), followed, preset);
    const text = await findings(page);
    if (end === 'R') assert.match(text, /No explanation was found: the numbers stay R/, preset);
    if (end === 'cumsum(R)') assert.match(text, /in part: 1, 1, 2, 4, 8, 16 stay R/, preset);
  }
  await page.getByText('cumsum(R): 83 is not above 417').waitFor();
  await page.getByText('No step makes these numbers more probable than R.').waitFor();
  assert.deepEqual(problems, []);
});

test('numbers of one’s own are explained, or refused with what is wrong', async () => {
  const { page, problems } = await open();
  await type(page, '2 5 10 17 28');
  assert.equal(await page.getByLabel('Sequence', { exact: true }).inputValue(), '-1');
  await explain(page);
  assert.equal(await expression(page), 'cumsum(nthprime(1:5))');
  assert.equal(await next(page), '41, 58, 77');
  for (const [text, words] of [
    ['4, 2.5, 6', 'Numbers: “2.5” is not a whole number; give whole numbers from 1 to 1,000.'],
    ['4, 6', 'Numbers: there are 2; give at least 3.'],
    [
      '4, 6, 5000',
      'Numbers: 5000 is not from 1 to 1,000, where R draws its numbers; leave it out.',
    ],
  ]) {
    await type(page, text);
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    assert.equal(await expression(page), 'cumsum(nthprime(1:5))');
  }
  await type(page, '8 6 4');
  await page.getByText('3 to 10 whole numbers from 1 to 1,000.').waitFor();
  await page.getByText('No explanation was found: the numbers stay R.', { exact: true }).waitFor();
  assert.deepEqual(problems, []);
});

test('with one kept the search is greedy and ends too soon, and says so', async () => {
  const { page } = await open('#keep=1');
  await explain(page);
  assert.equal(await expression(page), 'cumsum(square(cumsum(R)))');
  assert.match(
    await findings(page),
    /with 5 kept it finds cumsum\(square\(nthprime\(1:5\)\)\), 80,897 times as probable/,
  );
  const kept = page.getByRole('group', { name: 'Kept at every step' });
  await kept.getByRole('radio', { name: '1' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('Ready: press Explain, or Step.').waitFor();
  await explain(page);
  assert.equal(await expression(page), 'cumsum(square(nthprime(1:5)))');
});

test('steps are chosen by keyboard, and a link brings them back', async () => {
  const { page } = await open('#numbers=1_9_36_100_225&keep=2&step=1');
  assert.equal(await expression(page), 'square(R)');
  const steps = page.getByRole('group', { name: 'Step shown' });
  await steps.getByRole('radio', { name: '1', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await expression(page), 'square(cumsum(R))');
  const { hash } = new URL(await copiedLink(page));
  assert.equal(hash, '#numbers=1_9_36_100_225&keep=2&step=2');
  await page.waitForFunction((wanted) => location.hash === wanted, hash);
  const { page: other } = await open(hash);
  await other.getByText('Stopped. Continue goes on from here.').waitFor();
  assert.equal(await expression(other), 'square(cumsum(R))');
  await other.getByRole('button', { name: 'Back' }).focus();
  await other.keyboard.press('Enter');
  assert.equal(await expression(other), 'square(R)');

  const { page: wrong, problems } = await open('#numbers=4_5&keep=9&step=2');
  await wrong.getByText('“4_5” as numbers, which has to be 3 to 10 whole numbers').waitFor();
  await wrong.getByText('“9” as keep').waitFor();
  assert.equal(await expression(wrong), 'cumsum(square(R))');
  assert.deepEqual(problems, []);
});

test('a run plays the steps, can be paused, and goes on', async () => {
  const { page } = await open('', { reducedMotion: 'no-preference' });
  // The page's own time, of which a run takes five seconds, passes as the test has it.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await press(page, 'Explain');
  await page.clock.runFor(2500);
  await press(page, 'Pause');
  await untilStatus(page, 'paused');
  assert.equal(await expression(page), 'cumsum(R)');
  await page.clock.runFor(2500);
  assert.equal(await expression(page), 'cumsum(R)');
  await press(page, 'Resume');
  await page.clock.runFor(5000);
  await untilStatus(page, 'done');
  assert.equal(await expression(page), 'cumsum(square(nthprime(1:5)))');
});

test('the code shown prints what the page shows, and downloads hold all of it', async () => {
  const { page } = await open('#step=9');
  const code = await page.getByRole('region', { name: 'Code for these settings' }).textContent();
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', code]);
  const { levels } = search(THESIS, 3);
  assert.deepEqual(stdout.trim().split('\n'), [
    ...levels.map(
      ({ best }) => `${expressionText(best.productions, 5)} ${bitsOf(best.score).toFixed(1)}`,
    ),
    'next 377 666 1027',
  ]);
  const found = JSON.parse(await download(page, 'Search, JSON'));
  assert.deepEqual(found.chain.at(-1).residues[2], [2, 3, 5, 7, 11]);
  assert.equal(found.levels[2].best.score, levels[2].best.score);
  assert.equal(found.levels[2].trials.length, 4);
  assert.deepEqual(found.next, [377, 666, 1027]);
  const png = await download(page, 'Picture, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open('#step=9', { viewport: desk, bypassCSP: true });
  await untilStatus(page, 'done');
  await assertSoundEverywhere(page);
});
