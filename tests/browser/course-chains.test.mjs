/** What the figures of *Chains, balance and mixing* show when one moves them. */
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

test('a chain forgets where it began, which a click on a state chooses', async () => {
  const { figure, slide, reading } = await openFigure(site, 'chains', 'three-states');
  assert.match(await reading(), /^Begun in A, after 0 steps: A 1\.00, B 0, C 0\./);
  await figure.getByRole('radio', { name: 'Begin in C' }).check();
  await slide('Steps, t', 1);
  assert.match(await reading(), /^Begun in C, after 1 step: A 0\.600, B 0\.400, C 0\./);
  await slide('Steps, t', 24);
  assert.match(await reading(), /: A 0\.221, B 0\.410, C 0\.368\. Distance from π: 0\.000\.$/);
});

test('a walk comes to its weights, and another weight begins another walk', async () => {
  const { figure, slide, reading } = await openFigure(site, 'chains', 'weights-to-chain');
  for (let n = 0; n < 10; n++) {
    await figure.getByRole('button', { name: '1,000 steps' }).click();
  }
  const text = await reading();
  assert.match(text, /^After 10,000 steps, /);
  assert.ok(Number(/at most (\S+)\.$/.exec(text)[1]) < 0.05, text);
  await slide('Weight of A', 3);
  assert.equal(await reading(), 'The chain stands in A.');
});

test('the narrower the bridge, the later it has mixed', async () => {
  const { slide, reading } = await openFigure(site, 'chains', 'narrow-bridge');
  const timeOf = async () =>
    Number(/It takes ([\d,]+) steps/.exec(await reading())[1].replaceAll(',', ''));
  const before = await timeOf();
  await slide('Width of the bridge', -4);
  assert.ok((await timeOf()) > 100 * before);
  await slide('Steps, t', 2);
  assert.match(
    await reading(),
    /After 100 steps the chain is still in the half where it began with probability 0\.99/,
  );
});
