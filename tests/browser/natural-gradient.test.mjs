import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, test } from 'node:test';
import {
  descend,
  divergence,
  gradient,
  LARGEST_STEP,
  naturalGradient,
} from '../../www/lib/badly-scaled-gaussian.js';
import { outputOfCode } from './shown-code.mjs';
import {
  amountOf,
  assertSoundEverywhere,
  copiedLink,
  desk,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/natural-gradient/';
/** Descents of few steps, 4 and 22: the start is straight across the valley. */
const SHORT = '#theta1=1&theta2=0.11&steepest=0.1&natural=0.3';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = '', options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByRole('button', { name: /^Start at/ }).waitFor();
  return opened;
}

/** The number of steps to the target, by the descent itself. */
function stepsOf(slope, start, stepSize) {
  return descend(slope, { start, stepSize, target: 1e-6, limit: 20_000 }).length - 1;
}

function handle(page) {
  return page.getByRole('button', { name: /^Start at/ });
}

function stepsTo(page, name) {
  return numberOf(page, `Steps to 10⁻⁶, ${name}`);
}

test('a run ends with both descents where the exact answer says', async () => {
  const { page, problems } = await open();
  const empty = await pixelsOf(page, 'Paths over θ');
  await press(page, 'Run');
  await untilStatus(page, 'done');
  await page.getByText('Both have arrived.').waitFor();
  const counts = {
    steepest: stepsOf(gradient, [1, -1], 0.2),
    natural: stepsOf(naturalGradient, [1, -1], 0.2),
  };
  assert.ok(counts.natural * 100 < counts.steepest, JSON.stringify(counts));
  for (const [name, count] of Object.entries(counts)) {
    assert.equal(await stepsTo(page, name), count.toLocaleString('en'));
    assert.ok((await amountOf(page, `Divergence, ${name}`)) <= 1.001e-6);
  }
  assert.equal(await numberOf(page, 'Self-check'), 'passed');
  const found = await page.locator('[data-findings]').textContent();
  assert.match(found, new RegExp(`arrives after ${counts.steepest.toLocaleString('en')} steps`));
  assert.notEqual(await pixelsOf(page, 'Paths over θ'), empty);
  assert.deepEqual(problems, []);
});

test('the package takes the same descents', async () => {
  const { page, problems } = await open(SHORT, { reducedMotion: 'reduce' });
  await press(page, 'Run');
  await untilStatus(page, 'done');
  await page.getByText('the same ends').waitFor();
  assert.equal(await numberOf(page, 'By the package'), 'the same ends');
  assert.deepEqual(problems, []);
});

test('the code shown prints the steps of the table', async () => {
  const { page } = await open(SHORT);
  await press(page, 'Run');
  await untilStatus(page, 'done');
  await page.getByText('the same ends').waitFor();
  const stdout = await outputOfCode(page);
  const digest = /digest ([0-9a-f]{12})…/.exec(await page.locator('main').textContent())?.[1];
  const printed = stdout.trim().split('\n');
  for (const [at, name] of ['steepest', 'natural'].entries()) {
    const steps = (await stepsTo(page, name)).replace(',', '');
    assert.match(printed[at], new RegExp(`^${name} ${steps} steps `));
    const end = Number(printed[at].split(' ')[3]);
    const shown = await amountOf(page, `Divergence, ${name}`);
    assert.ok(Math.abs(end / shown - 1) < 1e-3, `${end} is not ${shown}`);
  }
  assert.ok(digest && printed[1].split(' ')[4].startsWith(digest), printed[1]);
});

test('one step at a time, on from there, and back', async () => {
  const { page } = await open(SHORT);
  for (let n = 1; n <= 3; n++) await press(page, 'Step');
  assert.equal(await numberOf(page, 'Steps shown'), '3');
  const path = descend(naturalGradient, { start: [1, 0.11], stepSize: 0.3, limit: 3 });
  const expected = divergence(path[3]);
  const shown = await amountOf(page, 'Divergence, natural');
  assert.ok(Math.abs(shown / expected - 1) < 1e-3, `${shown} is not ${expected}`);
  assert.equal(await numberOf(page, 'Self-check'), 'passed');

  const { page: other } = await site.page(LAB + new URL(await copiedLink(page)).hash);
  await other.getByText('Stopped. Continue goes on from here.').waitFor();
  assert.equal(await numberOf(other, 'Steps shown'), '3');

  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const total = await numberOf(page, 'Steps shown');
  assert.equal(total, await stepsTo(page, 'natural'));
  await press(page, 'Reset');
  assert.equal(await numberOf(page, 'Steps shown'), '0');
  await page.getByText('Ready:').waitFor();
});

test('a run can be paused, goes on, and can be stopped', async () => {
  const { page } = await open();
  // The page's own time, of which a run takes five seconds, passes as the test has it.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await press(page, 'Run');
  await page.clock.runFor(1500);
  assert.ok((await page.evaluate(() => document.querySelector('progress').value)) > 5);
  await press(page, 'Pause');
  await untilStatus(page, 'paused');
  const steps = await numberOf(page, 'Steps shown');
  await page.clock.runFor(1500);
  assert.equal(await numberOf(page, 'Steps shown'), steps);
  assert.ok(await handle(page).isDisabled(), 'the start can be moved under a run');
  await press(page, 'Resume');
  await page.clock.runFor(1000);
  assert.notEqual(await numberOf(page, 'Steps shown'), steps);
  await press(page, 'Stop');
  await page.getByText('Stopped. Continue goes on from here.').waitFor();
  assert.ok(await handle(page).isEnabled());
});

test('the start is moved with the pointer', async () => {
  const { page } = await open(`${SHORT}&steps=5`);
  const { x, y, width, height } = await handle(page).boundingBox();
  const [middle, centre] = [x + width / 2, y + height / 2];
  await page.mouse.move(middle, centre);
  await page.mouse.down();
  await page.mouse.move(middle - 40, centre + 60, { steps: 4 });
  await page.mouse.up();
  const first = Number(await page.getByLabel('Start, θ₁').inputValue());
  const second = Number(await page.getByLabel('Start, θ₂').inputValue());
  assert.ok(first < 0.9 && first > 0.3 && second < -0.2 && second > -1, `${first} ${second}`);
  // The descents begin anew, and the address follows.
  assert.equal(await numberOf(page, 'Steps shown'), '0');
  await page.waitForFunction((wanted) => location.hash.includes(wanted), `theta1=${first}&`);
  // As far as the plane goes, and no further.
  await page.mouse.move(middle - 40, centre + 60);
  await page.mouse.down();
  await page.mouse.move(middle - 40, centre + 4000);
  await page.mouse.up();
  assert.equal(await page.getByLabel('Start, θ₂').inputValue(), '-1.5');
});

test('the start is moved with the keyboard', async () => {
  const { page } = await open(SHORT);
  await handle(page).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Shift+ArrowUp');
  assert.equal(await page.getByLabel('Start, θ₁').inputValue(), '0.9');
  assert.equal(await page.getByLabel('Start, θ₂').inputValue(), '0.22');
  assert.equal(
    await handle(page).getAttribute('aria-label'),
    'Start at θ₁ = +0.90, θ₂ = +0.22. The arrow keys move it.',
  );
});

test('too large a step diverges, and the page says so', async () => {
  assert.ok(LARGEST_STEP > 0.2165 && LARGEST_STEP < 0.2175);
  for (const [stepSize, outcome] of [
    [0.2165, /^[\d,]+$/],
    [0.2175, /^never: it diverges$/],
  ]) {
    const { page } = await open(`#steepest=${stepSize}`, { reducedMotion: 'reduce' });
    await press(page, 'Run');
    await untilStatus(page, 'done');
    assert.match(await stepsTo(page, 'steepest'), outcome);
  }
});

test('where motion is not wanted, a run shows its end at once', async () => {
  const { page } = await open(SHORT, { reducedMotion: 'reduce' });
  const statuses = await page.evaluate(() => {
    const seen = [];
    const region = document.querySelector('[role=status][data-status]');
    return new Promise((resolve) => {
      new MutationObserver(() => {
        seen.push(region.dataset.status);
        if (region.dataset.status === 'done') resolve(seen);
      }).observe(region, { attributes: true });
      [...document.querySelectorAll('[data-action=primary]')][0].click();
    });
  });
  assert.deepEqual(statuses, ['done']);
});

test('downloads hold every step', async () => {
  const { page } = await open(SHORT);
  const download = async (label) => {
    await press(page, 'Download');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: label }).click(),
    ]);
    return (await readFile(await file.path())).toString('latin1');
  };
  const { descents } = JSON.parse(await download('Descents, JSON'));
  const path = descend(gradient, { start: [1, 0.11], stepSize: 0.1, target: 1e-6, limit: 20_000 });
  assert.deepEqual(descents[0].path, path);
  const lines = (await download('Descents, CSV')).trim().split('\n');
  assert.equal(lines.length, 1 + descents[0].path.length + descents[1].path.length);
  assert.equal((await download('Pictures, PNG')).slice(1, 4), 'PNG');
});

test('what a link says wrong is said and not used', async () => {
  const { page } = await open('#theta1=9&steps=1e9&natural=0.5');
  assert.equal(await page.getByLabel('Start, θ₁').inputValue(), '1');
  assert.equal(await numberOf(page, 'Steps shown'), '0');
  await page.getByText('“9” as theta1').waitFor();
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(`${SHORT}&steps=9`, { viewport: desk, bypassCSP: true });
  await assertSoundEverywhere(page);
});
