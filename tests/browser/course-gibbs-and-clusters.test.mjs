/** The figures of the chapter *Gibbs and clusters*: what moves when one moves something. */
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

const open = (name) => openFigure(site, 'gibbs-and-clusters', name);

test('a spin follows its neighbours the better the colder it is', async () => {
  const { figure, problems, slide, press, says } = await open('one-site');
  await says('add up to +2, so the spin is up with probability 0.851');
  await press('The neighbour below is up');
  await says('add up to +4');
  await slide('Temperature', 0.5);
  await says('with probability 1.000');
  await press('Ask 100 times');
  await says('Asked 100 times, it was up 100 times.');
  for (const name of ['above', 'left', 'right', 'below'].slice(0, 2)) {
    await press(`The neighbour ${name} is up`);
  }
  await says('add up to 0, so the spin is up with probability 0.500');
  assert.equal(await figure.locator('[aria-pressed="true"]').count(), 2);
  assert.deepEqual(problems, []);
});

test('a lattice starts, pauses and measures', async () => {
  const { figure, problems, press, slide, says, pixels } = await open('heat-bath');
  await says('0 sweeps');
  const hot = await pixels(0);
  await slide('Temperature', 1.8);
  await press('100 sweeps');
  await says('100 sweeps: mean energy per spin −1.');
  assert.notEqual(await pixels(0), hot);
  await press('Start');
  await figure.getByRole('button', { name: 'Pause' }).waitFor();
  await says(/(1[1-9]\d|[2-9]\d\d|\d{4,}) sweeps/);
  await press('Pause');
  const now = await figure.locator('.reading').textContent();
  await slide('Temperature', 2.5);
  await says('0 sweeps: mean energy per spin …');
  assert.notEqual(await figure.locator('.reading').textContent(), now);
  assert.deepEqual(problems, []);
});

test('clusters shrink as it is heated, and turn over as coins are tossed', async () => {
  const { problems, press, slide, says, pixels } = await open('tossed-clusters');
  await says('A bond is kept with probability 0.586');
  const critical = await pixels();
  await slide('Temperature', 5);
  await says('A bond is kept with probability 0.330');
  const hot = await pixels();
  assert.notEqual(hot, critical);
  await press('Toss a coin for each');
  await says('after 1 toss');
  assert.notEqual(await pixels(), hot);
  assert.deepEqual(problems, []);
});

test('cold, the heat bath sees one half', async () => {
  const { problems, slide, says, pixels } = await open('two-halves');
  const [bath, clusters] = [await pixels('Heat bath'), await pixels('Clusters')];
  await slide('Temperature', 2);
  await says('Heat bath: mean +0.91, 0 turns of sign');
  assert.notEqual(await pixels('Heat bath'), bath);
  assert.notEqual(await pixels('Clusters'), clusters);
  assert.deepEqual(problems, []);
});
