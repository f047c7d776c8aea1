import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { createEngine } from '../../dist/node.js';
import { holdRounds, isThere, letRoundsGo, pressWhen } from './holding.mjs';
import {
  cell,
  flag,
  goTo,
  near,
  openAndRun as openAndRunAt,
  openMixing,
  statesOf,
  type,
} from './mixing-lab.mjs';
import { codeOf, outputOf } from './shown-code.mjs';
import {
  amountOf,
  assertSound,
  assertSoundEverywhere,
  copiedLink,
  desk,
  digestOf,
  download,
  drawn,
  numberOf,
  openSite,
  pixelsOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const GRAPH = 'The chain after t steps';
const DISTANCE = 'Distance from π, total variation';

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

const open = (hash, options) => openMixing(site, hash, options);
const openAndRun = (hash, options) => openAndRunAt(site, hash, options);

test('the three states of the lecture: π, balance, bottleneck and mixing time are the exact ones', async () => {
  const { page, problems } = await open();
  const [graph, distance] = [await pixelsOf(page, GRAPH), await pixelsOf(page, DISTANCE)];
  await press(page, 'Run');
  await untilStatus(page, 'done');
  const states = await statesOf(page);
  for (const [name, part] of Object.entries({ A: 27, B: 50, C: 45 })) {
    near(states.get(name).end, part / 122, 4, name);
  }
  assert.deepEqual(
    [...states.values()].map(({ set }) => set),
    ['no', 'yes', 'no'],
  );
  near(await amountOf(page, 'Imbalance'), 27 / 122, 6);
  // Out of B only a tenth stays.
  near(await amountOf(page, 'Conductance, Φ*'), 0.9, 6);
  assert.equal(await numberOf(page, 'Cheeger’s interval'), '0.4050 to 1.800');
  assert.equal(await numberOf(page, 'Mixing time'), '4');
  assert.equal(await numberOf(page, 'Relaxation time'), 'none');
  for (const [name, holds] of Object.entries({
    irreducible: 'true',
    aperiodic: 'true',
    reversible: 'false',
  })) {
    assert.equal(await flag(page, name), holds, name);
  }
  assert.match(await page.locator('[data-findings]').textContent(), /Not reversible.*S = \{B\}/s);
  assert.notEqual(await pixelsOf(page, GRAPH), graph);
  assert.notEqual(await pixelsOf(page, DISTANCE), distance);
  assert.deepEqual(problems, []);
});

test('any step can be looked at, from any state, by pointer and by keyboard', async () => {
  const { page } = await openAndRun();
  const matrix = [
    [0, 1, 0],
    [0, 0.1, 0.9],
    [0.6, 0.4, 0],
  ];
  const after = (start, t) => {
    let now = [0, 1, 2].map((n) => Number(n === start));
    for (let step = 0; step < t; step++) {
      now = [0, 1, 2].map((j) => now.reduce((sum, p, i) => sum + p * matrix[i][j], 0));
    }
    return now;
  };
  const check = async (start, t) => {
    const states = [...(await statesOf(page)).values()].map(({ now }) => now);
    after(start, t).forEach((p, n) => {
      assert.ok(Math.abs(states[n] - p) < 1e-4, `${n} after ${t}: ${states[n]}, ${p}`);
    });
  };
  await check(0, 0);
  await press(page, 'Step');
  await page.locator('[data-t="1"]').waitFor();
  await check(0, 1);
  await goTo(page, 5);
  await check(0, 5);
  // The states are one group of choices: its arrow keys go from one to the next.
  await page.getByRole('radio', { name: 'Begin in A' }).focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.getByLabel('Begin in', { exact: true }).inputValue(), '1');
  await check(1, 5);
  await page.getByRole('radio', { name: 'Begin in C' }).click();
  await check(2, 5);
  await page.getByRole('slider', { name: 'Moment shown' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('[data-t="6"]').waitFor();
  await check(2, 6);
});

test('a disconnected chain and periodic ones never mix, and every picture bears it', async () => {
  const { page, problems } = await openAndRun('#preset=disconnected');
  assert.equal(await flag(page, 'irreducible'), 'false');
  assert.equal(await numberOf(page, 'Spectral gap'), '0');
  assert.equal(await numberOf(page, 'Mixing time'), 'never');
  assert.match(
    await page.locator('[data-findings]').textContent(),
    /2 sets of states that are never left/,
  );
  await goTo(page, 20);
  // All of it stays in the part where it began, and is half of what each part has in π.
  assert.match(await page.locator('[data-t]').textContent(), /0\.500 from π/);
  assert.deepEqual(
    [...(await statesOf(page)).values()].map(({ set }) => set),
    ['1', '1', '1', '2', '2', '2'],
  );

  for (const [preset, period, distance] of [
    ['flip', 2, '0.500'],
    ['cycle', 4, '0.750'],
  ]) {
    await page.getByLabel('Chain', { exact: true }).selectOption(preset);
    await page.locator('[data-flag="aperiodic"][data-holds="false"]').waitFor();
    await untilStatus(page, 'done');
    assert.equal(await flag(page, 'irreducible'), 'true');
    assert.equal(await flag(page, 'reversible'), String(preset === 'flip'));
    assert.equal(await numberOf(page, 'Absolute gap'), '0');
    assert.equal(await numberOf(page, 'Relaxation time'), '∞');
    assert.match(
      await page.locator('[data-findings]').textContent(),
      new RegExp(`multiple of ${period} steps`),
    );
    await goTo(page, 21);
    assert.match(
      await page.locator('[data-t]').textContent(),
      new RegExp(`${distance.replace('.', '\\.')} from π`),
    );
    await goTo(page, 0);
  }
  assert.deepEqual(problems, []);
});

test('bottleneck, ring, cube and Metropolis have the gaps and the sets that formulas say', async () => {
  const { page } = await openAndRun('#preset=dumbbell');
  near(await amountOf(page, 'Conductance, Φ*'), 0.02 / 4, 6);
  assert.deepEqual([...(await statesOf(page)).values()].map(({ set }) => set).sort(), [
    ...Array(4).fill('no'),
    ...Array(4).fill('yes'),
  ]);
  const choose = async (preset, num) => {
    await page.getByLabel('Chain', { exact: true }).selectOption(preset);
    await page
      .locator(`[data-number="States"] .value`)
      .filter({ hasText: String(num) })
      .waitFor();
    await page.waitForFunction(() => document.querySelector('[data-digest]').dataset.digest !== '');
    await untilStatus(page, 'done');
  };
  await choose('ring', 8);
  near(await amountOf(page, 'Spectral gap'), 0.5 * (1 - Math.cos(Math.PI / 4)), 6);
  await choose('metropolis', 6);
  const states = await statesOf(page);
  [1, 4, 9, 4, 1, 2].forEach((weight, n) => {
    near(states.get('ABCDEF'[n]).end, weight / 21, 4);
  });
  assert.ok((await amountOf(page, 'Error of π')) < 1e-12);
  // From C to its neighbours: 4/9 of the proposals are taken.
  near(await cell(page, 'C', 'B').inputValue(), 0.5 * (4 / 9), 6);
  await page.getByLabel('Weights').fill('1 two');
  await page.getByLabel('Weights').press('Enter');
  await page.getByText('These have to be 2 to 8 numbers').waitFor();
  await choose('cube', 8);
  near(await amountOf(page, 'Spectral gap'), 1 / 3, 6);
  assert.equal((await statesOf(page)).get('101').end, 0.125);
});

test('an Ising model moves in five ways, each to the digest of the package', async () => {
  const { page } = await openAndRun('#preset=ising&sites=4&coupling=0.5');
  const model = { kind: 'ising', dim: 4, uniform: { coupling: 0.5 } };
  const kernels = {
    singleSiteGibbs: { kind: 'singleSite', rule: 'gibbs' },
    singleSiteMetropolis: { kind: 'singleSite', rule: 'metropolis' },
    gibbs: { kind: 'gibbs' },
    swendsenWang: { kind: 'swendsenWang' },
    wolff: { kind: 'wolff' },
  };
  for (const [move, transition] of Object.entries(kernels)) {
    await page.getByLabel('A step', { exact: true }).selectOption(move);
    const { digest, stationary, mixingTime } = await engine.chain({ model, transition });
    await page.locator(`[data-digest="${digest}"]`).waitFor();
    near((await statesOf(page)).get('1111').end, stationary[15], 4, move);
    assert.equal(await numberOf(page, 'Mixing time'), String(mixingTime), move);
  }
});

test('a matrix is changed: mistakes are said with their remedy, and rows divided by their sums', async () => {
  const { page, problems } = await openAndRun();
  await type(page, 'A', 'B', 'often');
  await page.getByText('“often” is not a probability. Type a number from 0 to 1').waitFor();
  assert.equal(await cell(page, 'A', 'B').getAttribute('aria-invalid'), 'true');
  assert.ok(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled());
  await page.getByText('There is a mistake in the matrix').waitFor();
  await type(page, 'A', 'B', '1/2');
  await page.getByText('Row A adds up to 0.5, not to 1').waitFor();
  await type(page, 'A', 'A', '1.5');
  await page.getByText('“1.5” is not a probability').waitFor();
  await type(page, 'A', 'A', '1');
  await press(page, 'Divide row A by its sum');
  const own = [2 / 3, 1 / 3, 0, 0, 0.1, 0.9, 0.6, 0.4, 0];
  const { stationary, mixingTime } = await engine.chain({ transitions: own });
  await untilStatus(page, 'done');
  assert.equal(await page.getByLabel('Chain', { exact: true }).inputValue(), 'own');
  near((await statesOf(page)).get('A').end, stationary[0], 4);
  assert.equal(await numberOf(page, 'Mixing time'), String(mixingTime));

  await press(page, 'Add a state');
  await page.locator('[data-state-row="D"]').waitFor();
  await untilStatus(page, 'done');
  assert.equal(await cell(page, 'D', 'D').inputValue(), '1');
  assert.equal(await flag(page, 'irreducible'), 'false');
  await type(page, 'A', 'C', '0.25');
  await press(page, 'Divide row A by its sum');
  await untilStatus(page, 'done');

  const { page: other } = await openAndRun(new URL(await copiedLink(page)).hash);
  assert.equal(await digestOf(other), await digestOf(page));
  assert.equal(await cell(other, 'A', 'C').inputValue(), await cell(page, 'A', 'C').inputValue());
  assert.deepEqual(problems, []);
});

test('the code prints the digest of the page, of a matrix, of weights and of a model', async () => {
  const { page } = await openAndRun('#sites=2');
  const printed = [];
  for (const preset of ['dumbbell', 'metropolis', 'ising']) {
    const before = await digestOf(page);
    await page.getByLabel('Chain', { exact: true }).selectOption(preset);
    await page.locator(`[data-digest]:not([data-digest=""], [data-digest="${before}"])`).waitFor();
    const digest = await digestOf(page);
    const code = await codeOf(page);
    printed.push(
      outputOf(code).then((stdout) => {
        assert.equal(/digest ([0-9a-f]{64})/.exec(stdout)?.[1], digest, preset);
        // 1 / 2.964e-6, as above.
        assert.match(stdout, /200 spins 337\d{3}\./);
      }),
    );
  }
  await Promise.all(printed);
});

test('a run is stopped and goes on to the same digest', async () => {
  const { page } = await open('#preset=dumbbell');
  await holdRounds(page);
  const pressed = pressWhen(page, 'Stop', isThere, 'body[data-held]');
  await press(page, 'Run');
  await pressed;
  await untilStatus(page, 'stopped');
  assert.equal(await digestOf(page), '');
  await letRoundsGo(page);
  await press(page, 'Continue');
  await untilStatus(page, 'done');
  const { digest } = await engine.chain(JSON.parse(await download(page, 'Spec, JSON')));
  assert.equal(await digestOf(page), digest);
});

test('where motion is welcome, a chain that is computed is played, and held where one likes', async () => {
  const { page } = await openAndRun('', { reducedMotion: 'no-preference' });
  await page.locator('[data-t]:not([data-t="0"])').waitFor();
  const bar = page.getByRole('group', { name: 'Moment shown' });
  // It may have come to its end on a slow machine, and plays once more then.
  await bar.getByRole('button', { name: /^(Play|Pause)$/ }).click();
  if ((await bar.getByRole('button', { name: 'Pause' }).count()) > 0) {
    await bar.getByRole('button', { name: 'Pause' }).click();
  }
  await bar.getByRole('button', { name: 'Play' }).waitFor();
  const t = await page.locator('[data-t]').getAttribute('data-t');
  await drawn(page);
  assert.equal(await page.locator('[data-t]').getAttribute('data-t'), t);
});

test('downloads hold the chain and its states', async () => {
  const { page } = await openAndRun('#t=3');
  const { spec, matrix, shown, result } = JSON.parse(await download(page, 'Chain, JSON'));
  assert.deepEqual(spec.transitions, matrix);
  assert.equal(result.digest, await digestOf(page));
  assert.equal(shown.t, 3);
  assert.ok(Math.abs(result.stationary[0] - 27 / 122) < 1e-15);
  const [head, ...rows] = (await download(page, 'States, CSV')).toString().trim().split('\n');
  assert.equal(head, 'state,start,steps,probability,stationary,closedClass,bottleneck');
  assert.equal(rows.length, 3);
  // From A to B, and then back to B by a tenth or over C by 0.9 · 0.4.
  assert.ok(Math.abs(Number(rows[1].split(',')[3]) - (0.01 + 0.36)) < 1e-12);
  const png = await download(page, 'Pictures, PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
});

test('a link brings back settings and step, and what it says wrong is said', async () => {
  const { page } = await openAndRun(
    '#preset=ising&sites=2&coupling=0.75&move=swendsenWang&start=3&beta=0.8',
  );
  await goTo(page, 7);
  const { page: other } = await open(new URL(await copiedLink(page)).hash);
  await other.locator('[data-t="7"]').waitFor();
  const given = (label) => other.getByLabel(label, { exact: true }).inputValue();
  assert.equal(await given('Chain'), 'ising');
  assert.equal(await given('Coupling'), '0.75');
  assert.equal(await given('A step'), 'swendsenWang');
  assert.equal(await given('Begin in'), '3');
  assert.equal(await given('β'), '0.8');

  const { page: wrong } = await open('#preset=none&matrix=0.5_0.6_1_0&weights=1_-1&sites=9');
  await wrong.getByText('“none” as preset').waitFor();
  await wrong.getByText('“0.5_0.6_1_0” as matrix').waitFor();
  await wrong.getByText('“1_-1” as weights').waitFor();
  await wrong.getByText('“9” as sites').waitFor();
  assert.equal(await wrong.getByLabel('Chain', { exact: true }).inputValue(), 'lecture');
});

test('axe finds nothing wrong and nothing sticks out, in both themes, on a desk and a phone', async () => {
  const { page } = await openAndRun('#preset=dumbbell&t=9', { viewport: desk, bypassCSP: true });
  await type(page, 'A', 'A', '0.5');
  await page.getByText('Row A adds up to 1.25').waitFor();
  await assertSound(page, ['light']);
  await press(page, 'Divide row A by its sum');
  await untilStatus(page, 'done');
  await page.getByLabel('Chain', { exact: true }).selectOption('ising');
  await page.locator('[data-state-row="111"]').waitFor();
  await untilStatus(page, 'done');
  await assertSoundEverywhere(page);
});
