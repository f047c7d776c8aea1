/** What the figures of *Energies and Z* show when one moves them. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { openFigure } from './course-figures.mjs';
import { openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('weights, Z and probabilities follow the two sliders', async () => {
  const { figure, slide, reading } = await openFigure(site, 'energies', 'three-friends');
  assert.match(
    await reading(),
    /^Z is 8\.000\. Nobody comes with probability 0\.125, all three with 0\.125\.$/,
  );
  await slide('How eager each is, a', -2);
  await slide('How they like company, w', 2);
  assert.match(
    await reading(),
    /^Z is 2\.812\. Nobody comes with probability 0\.356, all three with 0\.356\.$/,
  );
  const row = figure.getByRole('row', { name: /^all three/ });
  assert.match((await row.textContent()).replace(/\s+/g, ' '), /^ ?all three ?0\.0 ?1\.00 ?0\.356/);
});

test('a constant moves log Z alone, and the temperature fills the deeper well or empties it', async () => {
  const { slide, reading } = await openFigure(site, 'energies', 'shifted-energy');
  const numbers = async () =>
    (await reading()).match(/[−]?\d+\.\d+/g).map((text) => Number(text.replace('−', '-')));
  const [logZ, left] = await numbers();
  await slide('Constant added, c', 3);
  const [shifted, same] = await numbers();
  assert.ok(Math.abs(logZ - shifted - 3) < 0.002, `${logZ} and ${shifted}`);
  assert.equal(same, left);
  await slide('Temperature, T', 0.2);
  assert.ok((await numbers())[1] > 0.99);
});

test('the sum over all states passes one landmark after another', async () => {
  const { slide, reading } = await openFigure(site, 'energies', 'too-many-states');
  assert.match(await reading(), /^20 bits have 1\.05 · 10⁶ states\. .* less than a second\.$/);
  await slide('Bits', 90);
  assert.match(
    await reading(),
    /^90 bits have 1\.24 · 10²⁷ states\. .* longer than the age of the universe/,
  );
});
