/** The figures of the chapter *Memories*: what moves when one moves something. */
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

const open = (name) => openFigure(site, 'memories', name);

test('a damaged letter mends itself, and one drawn is a cue of its own', async () => {
  const { figure, problems, slide, choose, says, pixels } = await open('memory-falls');
  await says('14 bits differ from A');
  const damaged = await pixels('State of the network');
  const curve = await pixels('Energy');
  await slide('Steps down', 14);
  await says('At rest: the letter A');
  assert.notEqual(await pixels('State of the network'), damaged);
  assert.notEqual(await pixels('Energy'), curve);
  await choose('X');
  await slide('Bits damaged', 6);
  await says('6 bits differ from X');
  await figure.getByRole('slider', { name: 'Steps down' }).press('End');
  await says('At rest: a state that nobody stored');
  await slide('Bits damaged', 0);
  await says('0 bits differ from X');
  await figure.getByRole('application').press('Space');
  await says('1 bit differs from X');
  await figure.locator('output', { hasText: 'as drawn' }).waitFor();
  assert.deepEqual(problems, []);
});

test('ten letters blend into one by outer products, and stay by flow', async () => {
  const { figure, problems, slide, choose, says, pixels } = await open('memory-blends');
  await slide('Letters stored', 3);
  await says('3 of 3 letters stay');
  await slide('Letters stored', 10);
  await says('0 of 10 letters stay where they are. They come to rest in 1 state');
  const rest = figure.locator('[data-rest] canvas');
  assert.equal(await rest.count(), 10);
  assert.equal(await figure.locator('.lost').count(), 10);
  const blend = await pixels(10);
  assert.equal(await pixels(19), blend);
  await choose('Probability flow');
  await says('10 of 10 letters stay');
  assert.notEqual(await pixels(10), blend);
  assert.equal(await pixels(10), await pixels(0));
  assert.deepEqual(problems, []);
});

test('flow keeps what outer products lose', async () => {
  const { problems, slide, press, says, pixels } = await open('memory-capacity');
  await slide('Random patterns', 64);
  await says('by outer products: 0 %; by probability flow: not measured yet');
  const without = await pixels();
  await press('Store them by flow');
  await says('by outer products: 0 %; by probability flow: 100 %');
  assert.notEqual(await pixels(), without);
  await slide('Random patterns', 4);
  await says('by outer products: 100 %; by probability flow: 100 %');
  assert.deepEqual(problems, []);
});
