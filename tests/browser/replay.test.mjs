import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { holdRounds, interrupt, letRoundsGo } from './holding.mjs';
import {
  amountOf,
  assertSoundEverywhere,
  desk,
  digestOf,
  drawn,
  fit,
  LAB,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

/** Some thirty evaluations of some milliseconds each. */
const LONG = '#rows=20000&pattern=dense';
/** Hundreds of evaluations, more than are kept: 2,000 rows hardly settle 5,050 parameters. */
const MANY = '#rows=2000&pattern=dense&tolerance=1e-15&maxIterations=800';

/** What has to follow the step shown. */
const PICTURES = [
  'Learned couplings',
  'Learned lattice',
  'Learned against true',
  'Objective above its optimum',
  'Mean square error of J',
];

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const slider = (page) => page.getByRole('slider', { name: 'Step shown' });
const place = async (page) => Number(await slider(page).inputValue());
const lastPlace = async (page) => Number(await slider(page).getAttribute('max'));
/** The number of the step shown, of how many, and its objective, as they are written. */
async function stepOf(page) {
  // Both at once: a fit that goes on may write between two looks.
  const { text, value } = await page.evaluate(() => ({
    text: document.querySelector('[data-replay-text]').textContent,
    value: document.querySelector('[data-replay] input').getAttribute('aria-valuetext'),
  }));
  const match = /^Step ([\d,]+) of ([\d,]+), K = ([\d.]+)$/.exec(text);
  assert.ok(match, text);
  assert.equal(value, text);
  const [step, last, objective] = match.slice(1).map((part) => Number(part.replace(',', '')));
  return { step, last, objective };
}
const all = (page) => Promise.all(PICTURES.map((picture) => pixelsOf(page, picture)));

/** A fit of which the page hears every step: otherwise it misses those that come while it draws. */
async function fitInStep(page) {
  await holdRounds(page, { numReports: Infinity });
  const digest = await fit(page);
  await letRoundsGo(page);
  return digest;
}

test('every picture and number goes back with the slider, and forward again to the same pixels', async () => {
  const { page, problems } = await site.page(LAB + LONG);
  const digest = await fitInStep(page);
  await drawn(page);
  const end = await stepOf(page);
  assert.equal(end.step, end.last);
  assert.equal(await place(page), await lastPlace(page));
  assert.equal(await amountOf(page, 'Evaluations'), end.last);
  const atEnd = await all(page);
  const objective = await amountOf(page, 'Objective K');

  await slider(page).focus();
  await page.keyboard.press('Home');
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight');
  await drawn(page);
  const early = await stepOf(page);
  assert.equal(await place(page), 3);
  assert.ok(early.step >= 4 && early.step < end.last);
  assert.ok(early.objective > end.objective);
  const atEarly = await all(page);
  PICTURES.forEach((picture, n) => {
    assert.notEqual(atEarly[n], atEnd[n], `${picture} did not follow`);
  });
  assert.equal(await amountOf(page, 'Evaluations'), early.step);
  assert.equal(Number((await amountOf(page, 'Objective K')).toPrecision(5)), early.objective);
  // The result stays the result.
  assert.equal(await digestOf(page), digest);

  await page.keyboard.press('End');
  await drawn(page);
  assert.deepEqual(await all(page), atEnd);
  assert.equal(await amountOf(page, 'Objective K'), objective);
  assert.deepEqual(problems, []);
});

test('the steps of a fit are kept one by one while they are few', async () => {
  const { page } = await site.page(LAB + LONG);
  await fitInStep(page);
  const { last } = await stepOf(page);
  const kept = (await lastPlace(page)) + 1;
  assert.equal(kept, last);
  await slider(page).focus();
  await page.keyboard.press('Home');
  let before = 0;
  for (let n = 0; n < kept; n++) {
    const { step } = await stepOf(page);
    assert.ok(step > before, `step ${step} after ${before}`);
    before = step;
    await page.keyboard.press('ArrowRight');
  }
  assert.equal(before, last);
});

test('of many steps at most 200 are kept, evenly', async () => {
  const { page } = await site.page(LAB + MANY);
  await fitInStep(page);
  const { last } = await stepOf(page);
  assert.ok(last > 800, `only ${last} evaluations`);
  const most = await lastPlace(page);
  assert.ok(most >= 99 && most < 200, `${most + 1} kept`);
  const steps = await slider(page).evaluate(async (input) => {
    const shown = [];
    for (let n = 0; n <= Number(input.max); n++) {
      input.value = String(n);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((done) => setTimeout(done));
      const text = document.querySelector('[data-replay-text]').textContent;
      shown.push(Number(/Step ([\d,]+)/.exec(text)[1].replace(',', '')));
    }
    return shown;
  });
  assert.equal(steps.at(-1), last);
  // The same number of steps lie between any two, but before the last one.
  const apart = new Set(steps.slice(1, -1).map((step, n) => step - steps[n]));
  assert.equal(apart.size, 1, `steps ${steps}`);
});

test('play runs through all steps in about six seconds, and can be paused', async () => {
  const { page } = await site.page(LAB + LONG);
  await fitInStep(page);
  const most = await lastPlace(page);
  // The page's own time passes as the test has it, a tenth of a second at once.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const pass = async (tenths) => {
    const places = [];
    for (let n = 0; n < tenths; n++) {
      await page.clock.runFor(100);
      places.push(await place(page));
    }
    return places;
  };
  const isPlaying = async () =>
    (await page.getByRole('button', { name: 'Pause the replay' }).count()) === 1;
  await press(page, 'Play the steps');
  // It starts from the last step, where the run left it, by going to the first.
  const places = await pass(57);
  assert.ok(await isPlaying());
  assert.ok(places[0] <= most / 10, `it begins at ${places[0]}`);
  assert.ok(Math.abs(places[29] - most / 2) <= 1 + most / 20, `${places[29]} after half the time`);
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.ok(new Set(places).size > most / 2);
  assert.equal((await pass(5)).at(-1), most);
  assert.ok(!(await isPlaying()), 'it has come to its end');

  await press(page, 'Play the steps');
  const paused = (await pass(15)).at(-1);
  await press(page, 'Pause the replay');
  assert.ok(paused >= 1 && paused < most);
  assert.equal((await pass(10)).at(-1), paused);
  // From here on, not from the beginning.
  await press(page, 'Play the steps');
  const later = await pass(15);
  assert.ok(later[0] >= paused && later.at(-1) > paused, `${later} after ${paused}`);
  // Whoever takes the slider has it.
  await slider(page).focus();
  await page.keyboard.press('ArrowLeft');
  const taken = await place(page);
  assert.equal((await pass(10)).at(-1), taken);
});

test('nothing plays by itself', async () => {
  for (const reducedMotion of ['reduce', 'no-preference']) {
    const { page } = await site.page(LAB + LONG, { reducedMotion });
    await fitInStep(page);
    const { step, last } = await stepOf(page);
    assert.equal(step, last);
    await page.waitForTimeout(500);
    assert.equal((await stepOf(page)).step, last);
    await page.getByRole('button', { name: 'Play the steps' }).waitFor();
    // Pictures that seldom move lose no step.
    assert.equal((await lastPlace(page)) + 1, last);
  }
});

test('while a fit goes on one can look back; the end of the slider follows it again', async () => {
  const { page } = await site.page(`${LAB}#rows=20000&pattern=dense&tolerance=1e-15`);
  await page.getByText('Ready to fit').waitFor();
  await interrupt(page, 'Pause');
  await page.waitForFunction(() => !document.querySelector('[data-replay] input').disabled);
  await slider(page).focus();
  await page.keyboard.press('Home');
  const early = await stepOf(page);
  await drawn(page);
  const couplings = await pixelsOf(page, 'Learned couplings');
  await press(page, 'Resume');
  await untilStatus(page, 'done');
  const later = await stepOf(page);
  assert.equal(later.step, early.step);
  assert.ok(later.last > early.last);
  assert.equal(await pixelsOf(page, 'Learned couplings'), couplings);
  await slider(page).focus();
  await page.keyboard.press('End');
  assert.equal((await stepOf(page)).step, later.last);
});

test('a stopped fit keeps its steps and adds to them when it goes on; a new one starts over', async () => {
  const { page } = await site.page(LAB + LONG);
  await page.getByText('Ready to fit').waitFor();
  await interrupt(page, 'Stop');
  const stopped = await stepOf(page);
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const done = await stepOf(page);
  assert.ok(done.last > stopped.last);
  await slider(page).focus();
  await page.keyboard.press('Home');
  const { step } = await stepOf(page);
  assert.ok(step <= stopped.last);

  // Without waiting for the end of the new run: the choice of the old one must not live on.
  await press(page, 'Fit again');
  await untilStatus(page, 'done');
  const again = await stepOf(page);
  assert.equal(again.step, again.last);
  assert.equal(again.last, done.last);
});

test('the bar stays in view over the pictures, and its focus does not scroll the page', async () => {
  const phone = { viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, hasTouch: true };
  for (const options of [{}, phone]) {
    const { page } = await site.page(LAB + LONG, options);
    assert.equal(await page.locator('[data-replay]').isVisible(), false);
    await fit(page);
    for (const picture of ['Learned couplings', 'Learned lattice', 'Learned against true']) {
      await page
        .locator(`canvas[data-picture="${picture}"]`)
        .evaluate((canvas) => canvas.scrollIntoView({ block: 'center', behavior: 'instant' }));
      const before = await page.evaluate(() => scrollY);
      await page.getByRole('button', { name: 'Play the steps' }).focus();
      await slider(page).focus();
      await page.keyboard.press('ArrowLeft');
      assert.equal(await page.evaluate(() => scrollY), before, picture);
      const box = await page.locator('[data-replay]').boundingBox();
      const { height, width } = page.viewportSize();
      assert.ok(box.y > 0 && box.y + box.height <= height, `${picture}: bar at ${box.y}`);
      assert.ok(box.x >= 0 && box.x + box.width <= width);
      const clipped = await page
        .locator('[data-replay-text]')
        .evaluate((text) => text.scrollWidth > text.clientWidth + 1);
      assert.equal(clipped, false);
      await slider(page).evaluate((input) => input.blur());
    }
  }
});

test('axe finds nothing wrong in the middle of a replay, in both themes, on a desk and a phone', async () => {
  const { page } = await site.page(LAB + LONG, { viewport: desk, bypassCSP: true });
  await fit(page);
  await slider(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('PageUp');
  assert.ok((await place(page)) > 0);
  await assertSoundEverywhere(page);
});
