import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { interrupt, pressWhen } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  assertSoundEverywhere,
  copiedLink,
  desk,
  digestOf,
  download,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const LAB = 'labs/digits-log-z/';
const PATHS = ['geometric', 'moments'];
const STRIPS = ['Geometric averages', 'Averages of moments'];
/** A run that takes a few seconds. */
const SMALL = '#hidden=8&distributions=100&chains=50&seed=2';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

async function open(hash = SMALL, options = {}) {
  const opened = await site.page(LAB + hash, { reducedMotion: 'reduce', ...options });
  await opened.page.getByText('Ready: press Anneal').waitFor();
  return opened;
}

async function anneal(page) {
  await press(page, 'Anneal');
  await untilStatus(page, 'done');
}

function choose(page, label, value) {
  return page.getByLabel(label, { exact: true }).selectOption(value);
}

async function cell(page, name, of) {
  const text = await page.locator(`[data-number="${name}"] [data-of="${of}"]`).textContent();
  return text.trim();
}

async function runsOf(page) {
  return JSON.parse(await download(page, 'Runs, JSON'));
}

/** What the code shown prints, in Node: of every path, the estimate less the truth and the digest. */
async function printedBy(page) {
  const stdout = await outputOfCode(page);
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
    .map(([kind, off, , digest]) => ({ kind, off: Number(off), digest }));
}

/** log Z by adding up all states of the hidden units. */
function enumerated({ weights, visibleBias, hiddenBias }) {
  const [numHidden, numVisible] = [hiddenBias.length, visibleBias.length];
  const terms = Array.from({ length: 2 ** numHidden }, (_, state) => {
    const on = hiddenBias.map((_, j) => (state >> j) & 1);
    let term = on.reduce((sum, unit, j) => sum + unit * hiddenBias[j], 0);
    for (let i = 0; i < numVisible; i++) {
      const activation = on.reduce(
        (sum, unit, j) => sum + unit * weights[j * numVisible + i],
        visibleBias[i],
      );
      term += Math.log1p(Math.exp(activation));
    }
    return term;
  });
  const most = Math.max(...terms);
  return most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
}

test('both paths are annealed, pictured and downloaded, and the exact log Z is within their bounds', async () => {
  const { page, problems } = await open();
  const pictures = [...STRIPS, 'The machine’s filters', 'log Z by every run, less the truth'];
  const before = await Promise.all(pictures.map((picture) => pixelsOf(page, picture)));
  await anneal(page);
  const now = await Promise.all(pictures.map((picture) => pixelsOf(page, picture)));
  pictures.forEach((picture, n) => {
    assert.notEqual(now[n], before[n], `${picture} did not move`);
  });
  assert.notEqual(now[0], now[1]);
  const { link, machine, exact, runs, ink } = await runsOf(page);
  assert.match(link, /hidden=8/);
  assert.equal(machine.weights.length, 8 * 784);
  assert.equal(runs[0].spec.numDistributions, 100);
  assert.equal(runs[0].result.forward.logWeights.length, 50);
  for (const path of PATHS) assert.ok(ink[path].length >= 20);
  assert.ok(Math.abs(exact.logZ - enumerated(machine)) < 1e-8);
  const shown = await numberOf(page, 'log Z, exactly');
  assert.equal(Number(shown.replace('−', '-')), Number(exact.logZ.toFixed(5)));
  assert.deepEqual(
    runs.map(({ path }) => path),
    PATHS,
  );
  for (const { path, result } of runs) {
    assert.equal(await cell(page, 'Self-check', path), 'passed');
    assert.ok(result.bounds.boundIsCertified);
    assert.ok(result.bounds.lower < exact.logZ && exact.logZ < result.bounds.upper, path);
    const off = (result.forward.logZ.value - exact.logZ).toFixed(2);
    const outcome = await page.locator(`[data-outcome="${path}"]`).textContent();
    assert.ok(outcome.replace('−', '-').includes(Math.abs(off).toFixed(2)), `${off}: ${outcome}`);
    assert.ok(outcome.includes(' of 50.'), outcome);
  }
  assert.equal(await digestOf(page), runs[1].result.digest);
  assert.equal(await page.locator('tr[data-method]').count(), 2);
  const found = await page.locator('[data-findings]').textContent();
  assert.match(found, /Geometric averages with 100 distributions: \d/);
  assert.match(found, /come nearer to the truth/);

  const lines = (await download(page, 'Estimates, CSV')).toString().trim().split('\n');
  assert.equal(lines.length, 3);
  for (const line of lines) assert.equal(line.split(',').length, lines[0].split(',').length);
  assert.equal(lines[2].split(',').at(-1), await digestOf(page));
  const png = await download(page, 'Pictures, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.deepEqual(problems, []);
});

test('from the uniform distribution averages of moments come nearer, with the usual settings', async () => {
  const { page } = await open('');
  await anneal(page);
  const { ink, exact, runs } = await runsOf(page);
  const [geometric, moments] = runs.map(({ result }) => result.forward.logZ.value - exact.logZ);
  assert.ok(geometric < -2, `the geometric path is off by ${geometric}`);
  assert.ok(Math.abs(moments) < 1, `the path of moments is off by ${moments}`);
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /Geometric averages .* does not hold it.*Averages of moments come nearer/s,
  );
  // Along averages of moments ink goes nearly in a straight line, along the other path far below it.
  const bend = (path) => {
    const at = (beta) => ink[path].find((one) => Math.abs(one.beta - beta) < 1e-9).ink;
    return at(0.5) - (at(0.2) + at(0.8)) / 2;
  };
  assert.ok(Math.abs(bend('moments')) < 10, `moments bend by ${bend('moments')}`);
  assert.ok(bend('geometric') < -15, `the geometric path bends by ${bend('geometric')}`);
});

test('the code shown gives the same machine, estimates and digests, from either reference', async () => {
  for (const reference of ['uniform', 'baseRates']) {
    const { page } = await open(`${SMALL}&reference=${reference}&training=cd`);
    await anneal(page);
    const { exact, runs } = await runsOf(page);
    const printed = await printedBy(page);
    assert.deepEqual(
      printed.map(({ digest }) => digest),
      runs.map(({ result }) => result.digest),
    );
    printed.forEach(({ off }, n) => {
      assert.ok(Math.abs(off - (runs[n].result.forward.logZ.value - exact.logZ)) < 1e-9);
    });
  }
});

test('another K goes on with the machine that is there, and is compared', async () => {
  const { page } = await open();
  await anneal(page);
  const filters = await pixelsOf(page, 'The machine’s filters');
  await choose(page, 'Distributions', '300');
  await page.getByText('The machine is there').waitFor();
  assert.equal(await digestOf(page), '');
  assert.equal(await pixelsOf(page, 'The machine’s filters'), filters);
  await anneal(page);
  await page.getByText('2 of 2', { exact: true }).waitFor();
  assert.equal(await page.locator('tr[data-method]').count(), 4);
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /Averages of moments, from 100 to 300 distributions: off by/,
  );
  // Another reference needs other knots, and more hidden units another machine.
  await choose(page, 'Reference', 'baseRates');
  await anneal(page);
  await page.getByText('3 of 3', { exact: true }).waitFor();
  await choose(page, 'Hidden units', '12');
  await page.getByText('The machine is trained first').waitFor();

  await press(page, 'Forget these runs');
  await page.getByText('No run yet.').waitFor();
});

test('a run is stopped in mid-anneal and goes on to the same digests', async () => {
  const { page } = await open();
  await anneal(page);
  const digests = (await runsOf(page)).runs.map(({ result }) => result.digest);
  const { page: other } = await open();
  const isAnnealing = () => document.querySelector('[data-outcome]')?.textContent.includes('At β');
  const pressed = pressWhen(other, 'Stop', isAnnealing);
  await press(other, 'Anneal');
  await pressed;
  await untilStatus(other, 'stopped');
  assert.equal(await digestOf(other), '');
  await press(other, 'Continue');
  await untilStatus(other, 'done');
  assert.deepEqual(
    (await runsOf(other)).runs.map(({ result }) => result.digest),
    digests,
  );
});

test('while the machine learns, a run can be stopped and goes on; axe finds nothing wrong when it is done', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await interrupt(page, 'Stop', 'Anneal');
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  assert.equal(await cell(page, 'Self-check', 'moments'), 'passed');
  // And nothing sticks out, in both themes, on a desk and a phone.
  await assertSoundEverywhere(page);
});

test('a link brings back settings and digest, and what it says wrong is said', async () => {
  const { page } = await open(`${SMALL}&reference=baseRates&training=cd`);
  await anneal(page);
  const hash = new URL(await copiedLink(page)).hash;
  assert.ok(hash.includes((await digestOf(page)).slice(0, 16)));
  const { page: other } = await open(hash);
  const given = (label) => other.getByLabel(label, { exact: true }).inputValue();
  assert.equal(await given('Reference'), 'baseRates');
  assert.equal(await given('Training'), 'cd');
  assert.equal(await given('Hidden units'), '8');
  assert.equal(await given('Distributions'), '100');
  assert.equal(await given('Chains'), '50');
  assert.equal(await given('Seed'), '2');
  await anneal(other);
  assert.equal(await digestOf(other), await digestOf(page));

  const { page: wrong } = await open('#hidden=30&distributions=5&chains=30');
  await wrong.getByText('“30” as hidden').waitFor();
  await wrong.getByText('“5” as distributions').waitFor();
  assert.equal(await wrong.getByLabel('Hidden units', { exact: true }).inputValue(), '16');
  assert.equal(await wrong.getByLabel('Chains', { exact: true }).inputValue(), '30');
});

test('button and pictures of both paths are on the first screen of a desk', async () => {
  const { page } = await open(SMALL, { viewport: desk });
  for (const seen of [
    page.getByRole('button', { name: 'Anneal', exact: true }),
    ...STRIPS.map((title) => page.locator(`canvas[data-picture="${title}"]`)),
  ]) {
    const { y, height } = await seen.boundingBox();
    assert.ok(y > 0 && y + height <= desk.height, `${y} and ${height}`);
  }
});
