/** A change of numbers is named in the changelog. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breachesOf, valueBreakingOf, valuesNow } from './values.mjs';

test('digests that are not those on record are named as value-breaking in the changelog', () => {
  const now = valuesNow();
  assert.ok(Object.keys(now.recorded).length >= 60, 'there are digests on record');
  assert.deepEqual(breachesOf(now), []);
  // Nothing passes because nothing is looked at.
  const [name] = Object.keys(now.recorded);
  const digests = { ...now.recorded, [name]: 'another' };
  assert.equal(breachesOf({ ...now, digests, changelog: '## 1.0.0\n' }).length, 1);
});

const CHANGELOG = `# Changelog

A heading _Value-breaking_ lists every change; \`in-the-head\` is none.

## 0.2.0 (unreleased)

**Fit.** Faster, \`fit-b\` among them.

_Value-breaking_: sums are taken
in another order, so that \`fit-a\` and
\`log-z-a\` differ.

*Value-breaking*: \`sample-a\` starts elsewhere.

_Mended_: \`fit-c\`.

## 0.1.0

_Value-breaking_: \`fit-d\`.
`;

test('only what the first section calls value-breaking counts, and only by its whole name', () => {
  const said = valueBreakingOf(CHANGELOG);
  assert.ok(said.startsWith('_Value-breaking_: sums') && said.endsWith('starts elsewhere.'));
  const names = ['fit-a', 'log-z-a', 'sample-a', 'fit-b', 'fit-c', 'fit-d', 'in-the-head', 'fit'];
  const recorded = Object.fromEntries(names.map((name) => [name, 'old']));
  const digestsOf = (digest) => Object.fromEntries(names.map((name) => [name, digest]));
  const unnamed = names.slice(3);
  const found = breachesOf({ recorded, digests: digestsOf('new'), changelog: CHANGELOG });
  assert.deepEqual(
    found.map((sentence) => /`([\w-]+)`\.$/.exec(sentence)[1]),
    unnamed,
  );
  assert.match(
    found[0],
    /^tests\/golden\/fit-b\.json gives other numbers than on record: .*CHANGELOG\.md/,
  );
  assert.deepEqual(breachesOf({ recorded, digests: digestsOf('old'), changelog: '' }), []);
});

test('a digest that is gone is told of, one that is new is not', () => {
  const recorded = { a: '1', b: '2' };
  const found = breachesOf({ recorded, digests: { a: '1', c: '3' }, changelog: CHANGELOG });
  assert.equal(found.length, 1);
  assert.match(found[0], /^tests\/golden\/b\.json is gone: /);
  assert.equal(breachesOf({ recorded, digests: {}, changelog: '' }).length, 2);
});
