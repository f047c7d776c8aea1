import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { logZ, pathCost, shortfall } from '../../www/lib/gaussian-paths.js';
import { drawn, linear, sigmoidal } from '../../www/lib/schedules.js';
import { holdRounds, isThere, letRoundsGo, pressWhen } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  copiedLink,
  desk,
  download,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/annealing/';
const PATHS = ['geometric', 'momentAverages'];
/** Two numbers of distributions, few particles. */
const SMALL = '#most=25&particles=500';
const PAPER = [
  { mean: [-10, 0], covariance: [1, -0.85, 1] },
  { mean: [10, 0], covariance: [1, 0.85, 1] },
];

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = SMALL, options = {}) {
  const opened = await site.page(LAB + hash, options);
  await opened.page.getByText(/^Ready/).waitFor();
  // What a drag goes by is there once the pictures have their size.
  await handle(opened.page, 'Start, mean').waitFor();
  return opened;
}

async function anneal(page) {
  await press(page, 'Anneal');
  await untilStatus(page, 'done');
}

/** Anneals, and shows the largest number of distributions once its particles are there. */
async function annealAndShow(page, label) {
  await anneal(page);
  await choose(page, label);
}

async function choose(page, label) {
  await page.getByRole('radio', { name: label, exact: true }).check();
  await page.locator(`[data-shown="${label.replace(',', '')}"]`).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('figure[data-moments]').length === 2);
}

/** A handle of the first picture. */
function handle(page, name) {
  return page
    .locator('figure[data-path="geometric"]')
    .getByRole('button', { name: new RegExp(`^${name}`) });
}

async function cell(page, name, of) {
  const text = await page.locator(`[data-number="${name}"] [data-of="${of}"]`).textContent();
  return text.trim();
}

/** The first number in a cell. */
async function valueIn(page, name, of) {
  const text = (await cell(page, name, of)).replaceAll(',', '').replaceAll('−', '-');
  return Number(text.match(/[-+]?[\d.]+/)[0]);
}

async function resultsOf(page) {
  const { runs } = JSON.parse(await download(page, 'Results, JSON'));
  return runs;
}

/** What the code shown prints, in Node. */
async function digestsOfCode(page) {
  const stdout = await outputOfCode(page);
  return stdout.match(/[0-9a-f]{64}/g);
}

async function settle(page, hash) {
  await page.waitForFunction((wanted) => location.hash.includes(wanted), hash);
}

async function dragBy(page, target, [across, down]) {
  await target.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await target.boundingBox();
  const [middle, centre] = [x + width / 2, y + height / 2];
  await page.mouse.move(middle, centre);
  await page.mouse.down();
  await page.mouse.move(middle + across, centre + down, { steps: 4 });
  await page.mouse.up();
}

test('with the ends of the paper and few distributions weights are those of theory, and estimates differ', async () => {
  const { page, problems } = await open('#most=25&particles=5000');
  const empty = await pixelsOf(page, 'Estimate of log Z, less the truth');
  await annealAndShow(page, '25');
  // Mean log weights are those of theory, the same on both paths; estimates are not.
  for (const path of PATHS) {
    assert.equal(await cell(page, 'Self-check', path), 'passed');
    assert.equal(await valueIn(page, 'In theory', path), -29.04);
    assert.ok(Math.abs((await valueIn(page, 'Mean log weight', path)) + 29.04) < 0.6);
    assert.ok((await valueIn(page, 'Lower bound', path)) < 0);
  }
  const [geometric, moments] = await Promise.all(
    PATHS.map((path) => valueIn(page, 'Estimate less truth', path)),
  );
  // Of twenty simulations by definition the geometric path was off by −5.6 to −12, that of moments by 1.3 at most.
  assert.ok(geometric < -4, `the geometric path is off by ${geometric}`);
  assert.ok(Math.abs(moments) < 2, `the path of moments is off by ${moments}`);
  const found = await page.locator('[data-findings]').textContent();
  assert.match(
    found,
    /With 10 distributions geometric averages are [23]\d\.\d nats off, and their/,
  );
  assert.notEqual(await pixelsOf(page, 'Estimate of log Z, less the truth'), empty);
  assert.match(await page.locator('[data-cost]').textContent(), /^725\.93$/);
  assert.deepEqual(problems, []);
});

test('results are those of the link, and of the code shown', async () => {
  const { page } = await open();
  await anneal(page);
  const digests = (await resultsOf(page)).map(({ result }) => result.digest);
  assert.equal(digests.length, 4);
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  await anneal(other);
  const runs = await resultsOf(other);
  assert.deepEqual(
    runs.map(({ result }) => result.digest),
    digests,
  );
  for (const { result } of runs) {
    assert.ok(Math.abs(result.exactLogZ - logZ(PAPER[1])) < 1e-12);
    result.schedule.forEach((beta, k) => {
      assert.ok(Math.abs(beta - k / (result.schedule.length - 1)) < 1e-15);
    });
  }
  const rows = (await download(other, 'Estimates, CSV')).toString().trim().split('\n');
  assert.deepEqual(
    rows.slice(1).map((row) => row.split(',').at(-1)),
    digests,
  );

  assert.deepEqual(await digestsOfCode(page), digests);
});

test('the code shown draws the schedule that is drawn', async () => {
  const { page } = await open(`${SMALL}&schedule=drawn`);
  await anneal(page);
  const digests = (await resultsOf(page)).map(({ result }) => result.digest);
  assert.deepEqual(await digestsOfCode(page), digests);
});

test('every transition and every schedule runs and passes its check', async () => {
  const settings = [
    ...['hmc', 'gibbs', 'metropolis'].map((transition) => ({ transition, schedule: 'linear' })),
    ...['sigmoidal', 'optimalBinned', 'adaptive', 'drawn'].map((schedule) => ({
      transition: 'perfect',
      schedule,
    })),
  ];
  const { page, problems } = await open();
  for (const { transition, schedule } of settings) {
    const hash = `#most=25&particles=500&transition=${transition}&schedule=${schedule}`;
    await page.evaluate((wanted) => {
      location.hash = wanted;
    }, hash);
    await page.getByText(/^Ready/).waitFor();
    await annealAndShow(page, '25');
    for (const path of PATHS) {
      assert.equal(await cell(page, 'Self-check', path), 'passed', `${transition}, ${schedule}`);
    }
    const [{ result }] = await resultsOf(page);
    const known = { sigmoidal, drawn: (count) => drawn(CURVE, count), linear }[schedule];
    known?.(10).forEach((beta, k) => {
      assert.ok(Math.abs(beta - result.schedule[k]) < 1e-12, `${schedule}: ${beta}`);
    });
  }
  assert.deepEqual(problems, []);
});

const CURVE = [
  [0.2, 0.05],
  [0.4, 0.3],
  [0.6, 0.7],
  [0.8, 0.95],
];

test('the pictures hold every moment of the way, and show the one chosen', async () => {
  const { page } = await open();
  await annealAndShow(page, '25');
  for (const path of PATHS) {
    // One before the first step, one after each of 25.
    const moments = page.locator(`figure[data-path="${path}"]`);
    assert.equal(await moments.getAttribute('data-moments'), '26');
  }
  const slider = page.getByRole('slider', { name: 'Moment shown' });
  const seen = new Set();
  for (const share of ['0', '0.5', '1']) {
    await slider.fill(share);
    const beta = page.locator('figure[data-path="geometric"] [data-beta]');
    assert.equal(await beta.textContent(), `β = ${Number(share).toFixed(3)}`);
    seen.add(await pixelsOf(page, 'Geometric averages'));
    seen.add(await pixelsOf(page, 'Moment averages'));
  }
  assert.equal(seen.size, 6);
  assert.equal(await page.locator('[data-moment]').textContent(), 'distribution 25 of 25');
  await choose(page, '10');
  await page.getByRole('button', { name: 'Pause', exact: true }).last().click();
  assert.match(await page.locator('[data-moment]').textContent(), /of 10$/);
});

test('the Gaussians are dragged with the pointer, and the results of old ones go', async () => {
  const { page } = await open();
  await annealAndShow(page, '25');
  await dragBy(page, handle(page, 'Target, mean'), [-60, 20]);
  await page.getByText(/^Ready/).waitFor();
  assert.equal(await cell(page, 'Estimate less truth', 'geometric'), '–');
  const label = await handle(page, 'Target, mean').getAttribute('aria-label');
  const [, x, y] = label.replaceAll('−', '-').match(/mean: ([-+]\d+\.\d+), ([-+]\d+\.\d+)/);
  assert.ok(x > 3 && x < 8 && y < -1 && y > -4, label);
  const [start] = PAPER;
  const moved = { mean: [Number(x), Number(y)], covariance: PAPER[1].covariance };
  const cost = Number(await page.locator('[data-cost]').getAttribute('data-cost'));
  assert.ok(Math.abs(cost / pathCost(start, moved) - 1) < 1e-9);
  await settle(page, `target=${Number(x)}_${Number(y)}_1_0.85_1`);
  // As far as it may go, and no further; from the other picture too.
  const other = page.locator('figure[data-path="momentAverages"]');
  await dragBy(page, other.getByRole('button', { name: /^Target, mean/ }), [4000, 0]);
  assert.match(await handle(page, 'Target, mean').getAttribute('aria-label'), /mean: \+14\.00,/);
});

test('axes are lengthened and turned with the pointer', async () => {
  const { page } = await open();
  const before = new URL(await copiedLink(page)).hash;
  await dragBy(page, handle(page, 'Start, first axis'), [30, 0]);
  const label = await handle(page, 'Start, first axis').getAttribute('aria-label');
  const [, deviation, angle] = label.match(/deviation ([\d.]+), at (-?\d+)/);
  assert.ok(deviation > 1.6 && deviation < 3.5, label);
  assert.ok(angle > -45 && angle < -10, label);
  // The other axis keeps its length.
  assert.match(
    await handle(page, 'Start, second axis').getAttribute('aria-label'),
    /deviation 0\.387,/,
  );
  assert.notEqual(new URL(await copiedLink(page)).hash, before);
  await anneal(page);
});

test('the keyboard moves means, lengthens axes, and turns them', async () => {
  const { page } = await open();
  const keys = async (name, ...all) => {
    await handle(page, name).focus();
    for (const key of all) await page.keyboard.press(key);
    return handle(page, name).getAttribute('aria-label');
  };
  assert.match(await keys('Start, mean', 'ArrowRight', 'Shift+ArrowUp'), /mean: −9\.50, \+0\.05\./);
  assert.match(await keys('Start, first axis', 'ArrowUp', 'Shift+ArrowUp'), /deviation 1\.47,/);
  assert.match(await keys('Start, first axis', 'ArrowLeft', 'ArrowLeft'), /at -35 degrees/);
  // Tab comes by the handles of one picture, not of both.
  await handle(page, 'Target, mean').focus();
  await page.keyboard.press('Tab');
  assert.equal(
    await page.evaluate(() => document.activeElement.textContent.includes('Play')),
    true,
  );
});

test('a finger drags a Gaussian, and the page stays where it is', async () => {
  const options = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  const { page, context } = await open(SMALL, options);
  await handle(page, 'Start, mean').scrollIntoViewIfNeeded();
  const { x, y, width, height } = await handle(page, 'Start, mean').boundingBox();
  const scrolled = await page.evaluate(() => scrollY);
  const session = await context.newCDPSession(page);
  const touch = (type, points) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  const at = (share) => ({ x: x + width / 2 + 20 * share, y: y + height / 2 - 30 * share });
  await touch('touchStart', [at(0)]);
  for (const share of [0.3, 0.6, 1]) await touch('touchMove', [at(share)]);
  await touch('touchEnd', []);
  const label = await handle(page, 'Start, mean').getAttribute('aria-label');
  const [, left, up] = label.replaceAll('−', '-').match(/mean: ([-+]\d+\.\d+), ([-+]\d+\.\d+)/);
  assert.ok(left > -9 && left < -6 && up > 2 && up < 5, label);
  assert.equal(await page.evaluate(() => scrollY), scrolled);
});

test('the schedule is drawn by hand, and annealing goes by it', async () => {
  const { page } = await open();
  const point = (n) =>
    page.getByRole('button', { name: new RegExp(`^Point ${n} of the schedule`) });
  await dragBy(page, point(2), [30, -40]);
  assert.equal(await page.getByLabel('Schedule', { exact: true }).inputValue(), 'drawn');
  await point(3).focus();
  await page.keyboard.press('Shift+ArrowUp');
  assert.match(await point(3).getAttribute('aria-label'), /β 0\.71 after 0\.6 /);
  // No point passes its neighbours.
  await dragBy(page, point(1), [600, -600]);
  await anneal(page);
  const hash = new URL(await copiedLink(page)).hash;
  const numbers = new URLSearchParams(hash.slice(1)).get('curve').split('_').map(Number);
  const curve = [0, 2, 4, 6].map((n) => [numbers[n], numbers[n + 1]]);
  assert.ok(curve[0][0] > 0.3 && curve[0][0] < curve[1][0], hash);
  for (const { spec, result } of await resultsOf(page)) {
    const betas = drawn(curve, spec.numDistributions);
    assert.deepEqual(result.schedule, betas);
    assert.deepEqual(spec.schedule, { kind: 'given', betas });
    const theory = -shortfall(spec.path.kind, ...PAPER, betas);
    const off = result.forward.meanLogWeight - result.exactLogZ - theory;
    assert.ok(Math.abs(off) < 5 * result.forward.meanLogWeightError, `${off} off`);
  }
});

test('three ways through the half-plane are as long as they are, at any distance, and a ball goes along', async () => {
  const { page, problems } = await open();
  const panel = page.locator('section[aria-labelledby="lengths-title"]');
  const figures = (way) => panel.locator(`[data-method="${way}"] td`).allTextContents();
  const numbers = async (way) => (await figures(way)).map((text) => Number(text.trim()));
  assert.deepEqual(await numbers('geometric'), [20, 200, 200]);
  assert.deepEqual((await numbers('momentAverages')).slice(0, 2), [7.701, 29.65]);
  assert.deepEqual((await numbers('geodesic')).slice(0, 2), [7.507, 28.18]);

  const title = 'Three ways through the half-plane';
  const before = await pixelsOf(page, title);
  await page.getByRole('slider', { name: 'Distance of the means, d' }).fill('100');
  await panel.getByText('100 σ').waitFor();
  assert.deepEqual(await numbers('geometric'), [100, 5000, 5000]);
  assert.equal((await numbers('momentAverages'))[1], 74.95);
  assert.equal((await numbers('geodesic'))[1], 72.55);
  const farApart = await pixelsOf(page, title);
  assert.notEqual(farApart, before);

  // The moment is that of the pictures above.
  await page
    .getByRole('slider', { name: /[Mm]oment/ })
    .first()
    .fill('0.9');
  await page.waitForFunction(() =>
    document.querySelector('[data-moment]')?.textContent?.startsWith('90'),
  );
  assert.notEqual(await pixelsOf(page, title), farApart);
  assert.deepEqual(problems, []);
});

test('runs can be paused, stopped, and go on to the same end', async () => {
  const hash = '#most=100&particles=2000&transition=gibbs';
  const { page } = await open(hash);
  // The first two jobs, one a path, give the first results; those after wait, so that there is something left.
  await holdRounds(page, { numFree: 2 });
  const paused = pressWhen(page, 'Pause', isThere, '[data-complete]:not([data-complete="0"])');
  await press(page, 'Anneal');
  await paused;
  await untilStatus(page, 'paused');
  assert.ok(await handle(page, 'Start, mean').isDisabled(), 'ends can be moved under a run');
  await press(page, 'Resume');
  await press(page, 'Stop');
  await untilStatus(page, 'stopped');
  await letRoundsGo(page);
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const { page: other } = await open(hash);
  await anneal(other);
  const digests = async (of) => (await resultsOf(of)).map(({ result }) => result.digest);
  assert.deepEqual(await digests(page), await digests(other));
});

test('where motion is not wanted nothing plays by itself', async () => {
  const { page } = await open(SMALL, { reducedMotion: 'reduce' });
  await annealAndShow(page, '25');
  assert.equal(await page.locator('[data-moment]').textContent(), 'distribution 25 of 25');
  assert.equal(await page.getByRole('button', { name: 'Play', exact: true }).count(), 1);
});

test('what a link says wrong is said and not used', async () => {
  // A covariance that is none, a mean far out, a curve that falls.
  const { page } = await open(
    '#start=0_0_1_2_1&target=99_0_1_0_1&curve=0.2_0.5_0.4_0.3_0.6_0.7_0.8_0.9',
  );
  for (const name of ['start', 'target', 'curve']) {
    await page.getByText(new RegExp(`as ${name}, which has to be`)).waitFor();
  }
  assert.match(await handle(page, 'Target, mean').getAttribute('aria-label'), /\+10\.00, \+0\.00/);
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await annealAndShow(page, '25');
  await assertSoundEverywhere(page);
});
