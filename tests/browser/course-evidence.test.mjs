/** The figures of the chapter *Evidence*: what moves when one moves something. */
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

const open = (name) => openFigure(site, 'evidence', name);

test('ten heads of twenty are for the fair coin, seventeen for the bent', async () => {
  const { problems, slide, says, pixels } = await open('fair-or-bent');
  await says('14 heads of 20: 0.0370 with a fair coin, 0.0476 with a bent one');
  const before = await pixels();
  await slide('Heads', 10);
  await says('The fair coin made this 3.70 times as probable.');
  assert.notEqual(await pixels(), before);
  await slide('Heads', 17);
  await says('The bent one made this 43.8 times as probable.');
  await slide('Tosses', 5);
  await says('5 heads of 5: 0.0313 with a fair coin, 0.167');
  assert.deepEqual(problems, []);
});

test('a narrow prior brings the mean to the fair coin', async () => {
  const { problems, slide, says, pixels } = await open('average-height');
  await says('the mean over all bends, 1.29 times');
  const [data, prior] = [await pixels('Probability of the data'), await pixels('Prior')];
  await slide('Prior', 60);
  await says('the mean over all bends, 1.17 times');
  assert.notEqual(await pixels('Probability of the data'), data);
  assert.notEqual(await pixels('Prior'), prior);
  await slide('Heads', 10);
  await says('The best bend makes the data 1.00');
  assert.deepEqual(problems, []);
});

test('the evidence prefers the degree that the data are of, until noise and prior are wide', async () => {
  const { problems, slide, choose, says, pixels } = await open('degrees');
  await says('The evidence prefers degree 2.');
  const curve = await pixels('Data and curve');
  const evidence = await pixels('Log evidence');
  await slide('Degree', 8);
  await says('Degree 8 misses the points by 0.16');
  assert.notEqual(await pixels('Data and curve'), curve);
  await choose('cubic');
  await says('The evidence prefers degree 3.');
  assert.notEqual(await pixels('Log evidence'), evidence);
  await choose('parabola');
  await slide('Noise', 0.5);
  await slide('Prior width', 8);
  await says('The evidence prefers degree 0.');
  assert.deepEqual(problems, []);
});

test('the truth falls as the prior widens, and the harmonic mean does not', async () => {
  const { problems, slide, says, pixels } = await open('calm-mean');
  await says('Exact −7.3.');
  const before = await pixels();
  await slide('Prior width', 60);
  await says('Exact −20.1. Harmonic mean: −9.5 to −7.0.');
  assert.notEqual(await pixels(), before);
  assert.deepEqual(problems, []);
});
