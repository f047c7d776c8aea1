import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createEngine } from '../../dist/node.js';
import {
  LOG_EVIDENCE,
  LOG_EVIDENCE_WITHOUT_ONE,
  LOG_NORM,
  MODEL,
  shareOfOne,
  WIDE_REFERENCE,
} from '../../www/lib/surprising-path.js';
import { interrupt } from './holding.mjs';
import { outputOfCode } from './shown-code.mjs';
import {
  amountOf,
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

const LAB = 'labs/surprises/';
const AVERAGES = 'The averages, along one coordinate';
/** A run that is over in no time. */
const SMALL = '#distributions=100&chains=200&seed=2';

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

/** Where motion is not wanted, a run that is done is not played once more. */
async function open(hash = '', options = {}) {
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

async function lookAt(page, beta) {
  await page.getByRole('slider', { name: 'Moment shown' }).fill(String(beta));
  await page
    .locator('[data-beta]')
    .filter({ hasText: beta.toFixed(3) })
    .waitFor();
  return page.locator('[data-moment]').textContent();
}

/** A number of the table that may be negative. */
async function signedOf(page, name) {
  return Number.parseFloat((await numberOf(page, name)).replace('−', '-'));
}

/** The same run with the package, and nothing said of where chains are looked at. */
function inNode(spec) {
  const schedule = { kind: 'linear' };
  return engine.logZ({ model: MODEL, schedule, numChains: 500, seed: 1, ...spec });
}

test('from the standard normal the estimate is calm and 3.5 nats too low, to the digest of the package', async () => {
  const { page, problems } = await open();
  const empty = await pixelsOf(page, AVERAGES);
  await anneal(page);
  const { forward, warnings, digest } = await inNode({ numDistributions: 1000 });
  assert.equal(await digestOf(page), digest);
  const off = forward.logZ.value - LOG_NORM - LOG_EVIDENCE;
  assert.ok(Math.abs((await signedOf(page, 'Estimate less truth')) - off) < 6e-4);
  assert.ok(Math.abs(off + 3.5) < 0.1, String(off));
  assert.equal(warnings.length, 0);
  assert.equal(await numberOf(page, 'Warnings'), '0');
  assert.ok((await amountOf(page, 'Weight ESS')) > 400);
  assert.equal(await numberOf(page, 'Chains with z = 1, at last'), '0 of 500');
  assert.equal(await numberOf(page, 'Least p(z = 1)'), '5.07\u00a0×\u00a010⁻⁶');
  assert.equal(await numberOf(page, 'Self-check'), 'passed');
  const found = await page.locator('[data-findings]').textContent();
  assert.match(found, /3\.48 nats below the truth/);
  assert.match(found, /does not hold the truth/);
  assert.match(found, /The engine warns of nothing/);
  assert.notEqual(await pixelsOf(page, AVERAGES), empty);
  assert.deepEqual(problems, []);
});

test('any moment can be looked at: chains with z = 1 die out as the formula says, and stay away', async () => {
  const { page } = await open();
  await anneal(page);
  for (const beta of [0.01, 0.03, 0.05, 0.1]) {
    const text = await lookAt(page, beta);
    const num = Number(/(\d+) of 500 chains have z = 1/.exec(text)?.[1]);
    const exact = shareOfOne(beta);
    assert.equal(
      Number(/p\(z = 1\) is ([\d.]+) here/.exec(text)?.[1]),
      Number(exact.toPrecision(3)),
    );
    // Chains lag a little behind.
    assert.ok(
      Math.abs(num / 500 - exact) < 0.08,
      `${num} of 500 at ${beta}, by the formula ${exact}`,
    );
  }
  assert.match(await lookAt(page, 0.496), /5\.07\s×\s10⁻⁶ here.*None of 500 chains has/s);
  assert.match(await lookAt(page, 0.99), /0\.945 here.*None of 500 chains has/s);

  const late = await pixelsOf(page, AVERAGES);
  const slider = page.getByRole('slider', { name: 'Moment shown' });
  await slider.focus();
  await page.keyboard.press('Home');
  await page.locator('[data-beta]').filter({ hasText: '0.000' }).waitFor();
  await page.waitForFunction(
    ([title, old]) => document.querySelector(`canvas[data-picture="${title}"]`).toDataURL() !== old,
    [AVERAGES, late],
  );
  await page.keyboard.press('ArrowRight');
  assert.equal(await slider.getAttribute('aria-valuetext'), 'β = 0.001');
});

test('more distributions make it calmer, not better, and the wide reference tells', async () => {
  const { page } = await open('#distributions=100');
  await anneal(page);
  await choose(page, 'Distributions', '3000');
  await anneal(page);
  await choose(page, 'Reference', 'wide');
  await choose(page, 'Distributions', '1000');
  await anneal(page);
  assert.equal(await page.locator('[data-state="misses"]').count(), 2);
  const { forward, digest } = await inNode({ reference: WIDE_REFERENCE, numDistributions: 1000 });
  assert.equal(await digestOf(page), digest);
  const { value, standardError } = forward.logZ;
  const off = value - LOG_NORM - LOG_EVIDENCE;
  assert.ok(Math.abs(off) < 4 * standardError);
  assert.ok(Math.abs((await signedOf(page, 'Estimate less truth')) - off) < 6e-4);
  assert.equal(await numberOf(page, 'Self-check'), 'passed');
  const found = await page.locator('[data-findings]').textContent();
  assert.match(found, /with 100 and with 3,000 distributions.*calmer, not better/);
  assert.match(found, /Both cannot be right/);

  await press(page, 'Forget these runs');
  await page.getByText('No run yet.').waitFor();
});

test('p(z = 1) from the wide reference is that of a quadrature', async () => {
  const { page } = await open('#reference=wide');
  const density = (x, mean, variance) =>
    Math.exp((-0.5 * (x - mean) ** 2) / variance) / Math.sqrt(2 * Math.PI * variance);
  const massOf = (beta, z) => {
    let sum = 0;
    for (let x = 0.0005; x < 40; x += 0.001) {
      sum += density(x, 2.5, 9) ** (1 - beta) * density(x, 5 * z, 1) ** beta;
    }
    return sum;
  };
  for (const beta of [0.1, 0.5, 0.95]) {
    const exact = 1 / (1 + (massOf(beta, 0) / massOf(beta, 1)) ** 5);
    const shown = Number(/p\(z = 1\) is ([\d.]+) here/.exec(await lookAt(page, beta))?.[1]);
    assert.ok(Math.abs(shown - exact) < 6e-4, `${shown} is not ${exact}`);
  }
});

test('where a few chains have kept z = 1, the page says so and checks nothing', async () => {
  const { page } = await open('#distributions=100&seed=5');
  await anneal(page);
  assert.equal(await numberOf(page, 'Chains with z = 1, at last'), '1 of 500');
  assert.equal(await numberOf(page, 'Self-check'), 'none to be had');
});

test('the code of either reference prints the estimate and the digest of the page', async () => {
  for (const reference of ['normal', 'wide']) {
    const { page } = await open(`${SMALL}&reference=${reference}`);
    await anneal(page);
    const stdout = await outputOfCode(page);
    assert.equal(/[0-9a-f]{64}/.exec(stdout)?.[0], await digestOf(page), reference);
    const printed = Number(/ln p\(x > 0\) (\S+)/.exec(stdout)?.[1]);
    const [shown] = (await numberOf(page, 'Estimate')).replace('−', '-').split(' ');
    assert.equal(printed.toFixed(shown.split('.')[1].length), shown);
  }
});

test('a run is stopped in mid-anneal and goes on to the same digest', async () => {
  const { page } = await open('#distributions=10000&seed=3');
  await interrupt(page, 'Stop', 'Anneal');
  assert.equal(await digestOf(page), '');
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const { digest } = await inNode({ numDistributions: 10_000, seed: 3 });
  assert.equal(await digestOf(page), digest);
});

test('where motion is welcome, a run that is done is played to its end', async () => {
  const { page } = await open(SMALL, { reducedMotion: 'no-preference' });
  await anneal(page);
  // The run itself is seen last shortly before the end.
  await page.locator('[data-beta]').filter({ hasText: '1.000' }).waitFor();
});

test('downloads hold every run', async () => {
  const { page } = await open(SMALL);
  await anneal(page);
  const { runs, exact } = JSON.parse(await download(page, 'Runs, JSON'));
  assert.equal(exact.withoutOne, LOG_EVIDENCE_WITHOUT_ONE);
  assert.equal(runs.length, 1);
  assert.equal(runs[0].result.forward.logWeights.length, 200);
  assert.ok(runs[0].sharesOfOne.length > 50);
  assert.equal(runs[0].sharesOfOne.at(-1).share, 0);
  const lines = (await download(page, 'Estimates, CSV')).toString().trim().split('\n');
  assert.equal(lines.length, 2);
  assert.equal(lines[1].split(',').length, lines[0].split(',').length);
  assert.equal(lines[1].split(',').at(-1), await digestOf(page));
  const png = await download(page, 'Pictures, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
});

test('a link brings back settings and moment, and what it says wrong is said', async () => {
  const { page } = await open(`${SMALL}&reference=wide`);
  await lookAt(page, 0.25);
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  await other.locator('[data-beta]').filter({ hasText: '0.250' }).waitFor();
  const given = (label) => other.getByLabel(label, { exact: true }).inputValue();
  assert.equal(await given('Reference'), 'wide');
  assert.equal(await given('Distributions'), '100');
  assert.equal(await given('Chains'), '200');
  assert.equal(await given('Seed'), '2');

  const { page: wrong } = await open('#reference=none&distributions=5&chains=300');
  await wrong.getByText('“none” as reference').waitFor();
  await wrong.getByText('“5” as distributions').waitFor();
  assert.equal(await wrong.getByLabel('Distributions', { exact: true }).inputValue(), '1000');
  assert.equal(await wrong.getByLabel('Chains', { exact: true }).inputValue(), '300');
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await open(SMALL, { viewport: desk, bypassCSP: true });
  await anneal(page);
  await assertSoundEverywhere(page);
});
