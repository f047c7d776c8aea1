/** What the figures of *Learning without Z* show when one moves them. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { figureOf, readingOf, slide } from './course-figures.mjs';
import { openSite } from './site-under-test.mjs';

let site;
before(async () => {
  site = await openSite();
});
afterEach(() => site?.closePages());
after(() => site?.close());

test('the book is fitted by hand', async () => {
  const { page } = await site.page('docs/course/learning/');
  const figure = await figureOf(page, 'fit-by-hand');
  assert.match(await readingOf(figure), /^The log likelihood is −2\.079 nats/);
  await slide(figure, 'Eagerness, a', -1.6);
  await slide(figure, 'Company, w', 1.6);
  assert.match(await readingOf(figure), /^Found! The log likelihood is −1\.75\d nats/);
});

test('at the fit hardly anything flows', async () => {
  const { page } = await site.page('docs/course/learning/');
  const figure = await figureOf(page, 'flow-from-data');
  const moved = async () => Number(/time units (\S+) %/.exec(await readingOf(figure))[1]);
  await slide(figure, 'Time, t', 3);
  const before = await moved();
  await slide(figure, 'Eagerness, a', -1.6);
  await slide(figure, 'Company, w', 1.6);
  assert.ok(before > 30 && (await moved()) < 5, `${before} and ${await moved()}`);
});

test('with many evenings three objectives agree', async () => {
  const { page } = await site.page('docs/course/learning/');
  const figure = await figureOf(page, 'three-objectives');
  await slide(figure, 'Evenings', 5);
  const reading = await readingOf(figure);
  assert.match(
    reading,
    /^From 100,000 evenings, w is 1\.00\d by maximum likelihood, 1\.00\d by pseudolikelihood, 1\.00\d by probability flow\. In truth it is 1\.$/,
  );
});
