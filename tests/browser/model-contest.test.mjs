import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import { CONTEST, compareAll, openContest, outcome, SMALL } from './contest-lab.mjs';
import { exactRows, paired, plainNoise } from './contest-twin.mjs';
import { pressWhen } from './holding.mjs';
import { drop, nodeCanvas, somePicture } from './pictures-lab.mjs';
import {
  assertFits,
  assertSound,
  copiedLink,
  desk,
  download,
  drawn,
  openSite,
  phone,
  pixelsOf,
  placesOf,
  press,
  untilStatus,
} from './site-under-test.mjs';

const ALL = [
  'gaussian',
  'ica',
  'laplaceComplete',
  'studentComplete',
  'laplace',
  'studentT',
  'linearGaussian',
  'linearLaplace',
  'gaussianRbm',
  'mcRbm',
  'neural',
  'bilinear',
];
/** One of every way to be judged: by a formula, by annealing, by annealing to every patch. */
const FEW = `${SMALL}&contestants=ica.laplace.linearGaussian`;

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

const close = (a, b, tolerance, what) =>
  assert.ok(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)), `${what}: ${a}, ${b}`);

test('all contestants run through; the ranking says what the numbers say; the downloads hold them', async () => {
  const { page, problems } = await openContest(site, `${SMALL}&contestants=${ALL.join('.')}`);
  const chart = 'Log likelihood of test patches';
  const before = await pixelsOf(page, chart);
  const digest = await compareAll(page);
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.notEqual(await pixelsOf(page, chart), before);
  const states = await page
    .locator('tr[data-method]')
    .evaluateAll((rows) => rows.map((row) => [row.dataset.method, row.dataset.state]));
  assert.deepEqual(
    states,
    ALL.map((id) => [id, 'judged']),
  );
  assert.deepEqual(problems, []);

  const result = JSON.parse(await download(page, 'Results, JSON'));
  assert.equal(result.digest, digest);
  const { testStates } = result.patches;
  assert.equal(testStates.length, 12 * 5);
  const of = (id) => result.contestants.find((contestant) => contestant.id === id);
  // Exact log likelihoods by another program, and the order it gives.
  const twins = result.contestants.flatMap((contestant) => {
    const rows = exactRows(contestant, testStates);
    if (!rows) return [];
    rows.forEach((row, n) => {
      close(contestant.rows[n], row, 1e-8, `${contestant.id}, patch ${n}`);
    });
    return [{ id: contestant.id, mean: rows.reduce((sum, row) => sum + row, 0) / rows.length }];
  });
  assert.equal(twins.length, 5);
  const shown = await page.locator('[data-ranked]').evaluateAll((lines) =>
    lines.map(({ dataset }) => ({
      id: dataset.ranked,
      verdict: dataset.verdict,
      places: dataset.places,
    })),
  );
  assert.deepEqual(
    shown.map(({ id }) => id).filter((id) => twins.some((twin) => twin.id === id)),
    twins.toSorted((a, b) => b.mean - a.mean).map(({ id }) => id),
  );
  assert.deepEqual(
    shown.map(({ id }) => id),
    result.contestants.toSorted((a, b) => b.logLikelihood - a.logLikelihood).map(({ id }) => id),
  );
  // Everybody against everybody: ties are differences inside of their errors, and no others.
  const numbers = (text) =>
    text.split('±').map((part) => Number(part.replace('−', '-').replaceAll(/[^\d.-]/g, '')));
  const pairs = new Map(
    await page
      .locator('[data-pair]')
      .evaluateAll((cells) =>
        cells.map(({ dataset, textContent }) => [
          dataset.pair,
          { text: textContent, verdict: dataset.verdict },
        ]),
      ),
  );
  const clear = new Map(ALL.map((id) => [id, { ahead: 0, behind: 0 }]));
  for (const a of result.contestants) {
    for (const b of result.contestants) {
      if (a === b) continue;
      const { text, verdict } = pairs.get(`${a.id} ${b.id}`);
      const { mean, error } = paired(a, b);
      if (error > 1e-6) {
        const [difference, stated] = numbers(text);
        close(difference, mean, 0.006, `${a.id} less ${b.id}`);
        close(stated, error, 0.006, `${a.id} less ${b.id}, error`);
      }
      assert.equal(verdict === 'tie', !(Math.abs(mean) > 1.96 * error), `${a.id}, ${b.id}`);
      if (verdict === 'ahead' || verdict === 'behind') {
        assert.equal(verdict, mean > 0 ? 'ahead' : 'behind');
        clear.get(a.id)[verdict]++;
      }
    }
  }
  for (const { id, places } of shown) {
    const { ahead, behind } = clear.get(id);
    assert.equal(places, `${1 + behind} ${ALL.length - ahead}`, id);
  }
  for (const [n, { id, verdict }] of shown.slice(0, -1).entries()) {
    assert.equal(verdict, pairs.get(`${id} ${shown[n + 1].id}`).verdict);
  }

  // Annealing against exact log likelihoods and against plain noise: what the list says is what the numbers say.
  const checks = await page
    .locator('[data-check]')
    .evaluateAll((lines) => lines.map(({ dataset }) => [dataset.check, dataset.holds]));
  assert.equal(checks.length, 5 + 3);
  for (const [name, holds] of checks) {
    const [id, what] = name.split(' ');
    const { likelihood } =
      what === 'zero' ? { likelihood: of(id).withoutBasis } : of(id).annealings.at(-1);
    const { noise = 0.1 } = of(id).model;
    const known =
      what === 'zero' ? plainNoise(testStates.slice(0, 5 * 5), 5, noise) : of(id).logLikelihood;
    const { value, standardError } = likelihood.mean;
    assert.equal(
      holds === 'true',
      Math.abs(value - known) <= 1.96 * standardError + 1e-9 * Math.abs(known),
      name,
    );
    // In any case not far off, at sizes that are small.
    assert.ok(Math.abs(value - known) < 2, `${name}: ${value} for ${known}`);
  }

  // What annealing loses, of those whose likelihood is not known: said, and in the downloads.
  const losing = ['linearLaplace', 'bilinear'];
  for (const { id, drawn, loss } of result.contestants) {
    assert.equal(drawn !== undefined && loss >= 0, losing.includes(id), id);
    if (!drawn) continue;
    assert.equal(loss, Math.max(0, drawn.gap.interval.upper));
    assert.equal(drawn.reverseRows.length, drawn.rows.length);
  }
  const findings = await page.locator('[data-findings="final"]').textContent();
  for (const id of losing) assert.ok(findings.includes(`${of(id).loss.toFixed(2)} nats of`), id);

  const csv = String(await download(page, 'Standings, CSV'))
    .trimEnd()
    .split('\n');
  assert.equal(csv.length, 1 + ALL.length);
  assert.match(csv[1], /^"gaussian","Gaussian",\d+,\d+,-[\d.]+,true,0,/);
  const rows = String(await download(page, 'Log likelihoods, CSV'))
    .trimEnd()
    .split('\n');
  assert.equal(rows.length, 1 + 12);
  const [, first] = rows[0].split(',');
  assert.equal(Number(rows[3].split(',')[1]), of(first).rows[2]);
  assert.equal((await download(page, 'Pictures, PNG')).toString('latin1', 1, 4), 'PNG');
});

test('one worker and two give the same digest, and so does the code shown, in Node', async () => {
  const hash = `${SMALL}&contestants=gaussian.studentComplete.mcRbm.bilinear&photographs=camera.rocket`;
  const digests = [];
  let code;
  for (const workers of ['1', '2']) {
    const { page } = await openContest(site, hash);
    const field = page.getByLabel('Workers');
    // A machine with one processor offers one.
    if (!(await field.locator(`option[value="${workers}"]`).count())) continue;
    await field.selectOption(workers);
    digests.push(await compareAll(page));
    code = await page.getByRole('region', { name: 'Code for these settings' }).textContent();
  }
  assert.equal(new Set(digests).size, 1);
  const folder = await nodeCanvas();
  await writeFile(join(folder, 'contest.mjs'), `import './canvas.mjs';\n${code}`);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'contest.mjs')]);
  const lines = stdout.trim().split('\n');
  assert.equal(lines.at(-1), digests[0]);
  // Two exact ones, three annealings of each of three, what one of them loses, and the digest.
  assert.equal(lines.length, 2 + 9 + 1 + 1);
});

test('stopped and paused on the way, a contest goes on to the same digest', async () => {
  const { page: whole } = await openContest(site, FEW);
  const digest = await compareAll(whole);

  const { page } = await openContest(site, FEW);
  const isBeyond = (least) => document.querySelector('progress').value > least;
  const pressed = (label, least) => pressWhen(page, label, isBeyond, least);
  await press(page, 'Compare');
  // As soon as there is a first report of each of two different jobs.
  for (const [label, next, status] of [
    ['Stop', 'Continue', 'stopped'],
    ['Pause', 'Resume', 'paused'],
  ]) {
    const fraction = await page.evaluate(() => document.querySelector('progress').value);
    await pressed(label, fraction);
    await untilStatus(page, status);
    assert.equal(await page.locator('.note [data-digest]').getAttribute('data-digest'), '');
    await press(page, next);
  }
  assert.equal(await outcome(page), digest);
});

test('the copied link brings back settings and digest; what is only looked at changes no digest', async () => {
  const { page } = await openContest(
    site,
    `${SMALL.replace('seed=1', 'seed=7')}&contestants=gaussian.ica&side=10&factor=4&photographs=brick.grass`,
  );
  const digest = await compareAll(page);
  const waits = 'Log likelihood of test patches';
  await page.getByRole('radio', { name: 'Above the Gaussian' }).check();
  await page.locator(`canvas[data-picture="${waits}, above the Gaussian"]`).waitFor();
  await page.getByRole('radio', { name: 'As photographed' }).check();
  assert.equal(await page.locator('.note [data-digest]').getAttribute('data-digest'), digest);
  const link = await copiedLink(page);
  const { page: other } = await openContest(site, new URL(link).hash);
  await other.getByText('promises a digest').waitFor();
  assert.equal(await other.getByLabel('Seed', { exact: true }).inputValue(), '7');
  assert.ok(await other.getByRole('radio', { name: '4', exact: true }).isChecked());
  assert.ok(await other.getByRole('checkbox', { name: 'Brick' }).isChecked());
  assert.equal(await other.getByRole('checkbox', { name: 'mcRBM' }).isChecked(), false);
  assert.ok(await other.getByRole('radio', { name: 'Above the Gaussian' }).isChecked());
  assert.equal(await compareAll(other), digest);
  await other.locator('[data-digest-check="same"]').waitFor();
  await other.getByRole('checkbox', { name: 'mcRBM' }).check();
  await other.getByText('The settings have changed since this contest.').waitFor();
  assert.equal(await other.locator('.note [data-digest]').getAttribute('data-digest'), '');
});

test('sizes are chosen together; without a model or a photograph there is nothing to compare', async () => {
  const { page } = await openContest(site, SMALL);
  const compare = page.getByRole('button', { name: 'Compare', exact: true });
  await page.getByText('Sizes of your own.').waitFor();
  await page.getByRole('radio', { name: 'Table 5.1' }).check();
  assert.equal(await page.getByLabel('Patches', { exact: true }).inputValue(), '10000');
  assert.ok(await page.getByRole('radio', { name: '16', exact: true }).isChecked());
  await page.getByRole('radio', { name: 'A look' }).check();
  await page.getByText('Ready to compare').waitFor();
  assert.equal(await compare.isEnabled(), true);
  for (const photograph of ['Camera', 'Astronaut', 'Coffee', 'Rocket', 'Grass', 'Gravel', 'Brick'])
    await page.getByRole('checkbox', { name: photograph }).uncheck();
  await page.getByText('Choose a photograph to begin.').waitFor();
  assert.equal(await compare.isDisabled(), true);
  await drop(page, [['own.png', somePicture(1)]]);
  await page.getByText('own.png, 96 × 96').waitFor();
  await page.getByText('Ready to compare').waitFor();

  const { page: nobody } = await site.page(`${CONTEST}${SMALL}&contestants=none`);
  await nobody.getByText('Choose at least one model.').waitFor();
  assert.equal(
    await nobody.getByRole('button', { name: 'Compare', exact: true }).isDisabled(),
    true,
  );
});

test('hostile and impossible links are refused in words and do no harm', async () => {
  const hostile = `#side=11&test=3&contestants=${encodeURIComponent('<img src=x onerror=alert(1)>')}`;
  const { page, problems } = await site.page(CONTEST + hostile);
  await page.getByText('which has to be one of 8, 10, 12, 16').waitFor();
  await page.getByText('which has to be a whole number from 10 to 1,000').waitFor();
  assert.equal(await page.locator('img[src="x"]').count(), 0);
  const { page: other } = await site.page(`${CONTEST}#side=8&components=90&patches=100`);
  await other.getByText('What the link says of components does not go with the rest').waitFor();
  await other.getByText('What the link says of patches does not go with the rest').waitFor();
  assert.deepEqual(problems, []);
});

test('the lab works from the keyboard alone, and with reduced motion gives the same result', async () => {
  const hash = `${SMALL}&contestants=gaussian.ica`;
  const { page: usual } = await openContest(site, hash);
  const digest = await compareAll(usual);
  const { page } = await openContest(site, hash, { reducedMotion: 'reduce' });
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  for (let n = 0; n < 40 && (await focused()) !== 'Compare'; n++) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Compare');
  await page.keyboard.press('Enter');
  assert.equal(await outcome(page), digest);
});

const PLACES = '.pictures h2, .pictures h3, .pictures canvas';
for (const viewport of [desk, phone]) {
  test(`axe finds nothing wrong in either theme, and nothing moves or is too wide: ${viewport.width} px`, async () => {
    const { page } = await openContest(site, FEW, { viewport, bypassCSP: true });
    await drawn(page);
    const before = await placesOf(page, PLACES);
    await assertFits(page, 'before');
    await compareAll(page);
    await page.evaluate(() => scrollTo(0, 0));
    assert.deepEqual(await placesOf(page, PLACES), before);
    await assertSound(page);
  });
}
