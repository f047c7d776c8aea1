/** What the figures of *Learning without Z* show when one moves them. */
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

test('the book is fitted by hand', async () => {
  const { slide, reading } = await openFigure(site, 'learning', 'fit-by-hand');
  assert.match(await reading(), /^The log likelihood is −2\.079 nats/);
  await slide('Eagerness, a', -1.6);
  await slide('Company, w', 1.6);
  assert.match(await reading(), /^Found! The log likelihood is −1\.75\d nats/);
});

test('at the fit hardly anything flows', async () => {
  const { slide, reading } = await openFigure(site, 'learning', 'flow-from-data');
  const moved = async () => Number(/time units (\S+) %/.exec(await reading())[1]);
  await slide('Time, t', 3);
  const before = await moved();
  await slide('Eagerness, a', -1.6);
  await slide('Company, w', 1.6);
  assert.ok(before > 30 && (await moved()) < 5, `${before} and ${await moved()}`);
});

test('with many evenings three objectives agree', async () => {
  const { slide, reading } = await openFigure(site, 'learning', 'three-objectives');
  await slide('Evenings', 5);
  const text = await reading();
  assert.match(
    text,
    /^From 100,000 evenings, w is 1\.00\d by maximum likelihood, 1\.00\d by pseudolikelihood, 1\.00\d by probability flow\. In truth it is 1\.$/,
  );
});
