/** What `npm run matrix` compares, and that tests/golden has something of every kind for it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describeDifference, differencesOf, tableOf } from '../matrix/compare.mjs';
import { goldens, jobsOf } from '../matrix/jobs.mjs';

const [A, B] = ['a', 'b'].map((digit) => digit.repeat(64));

test('a digest that differs is found, with its spec, seed and environments', () => {
  const jobs = [
    { name: 'one', seed: 5, spec: { verb: 'fit' }, digest: A },
    { name: 'two', seed: null, spec: { verb: 'exact' } },
    { name: 'three', seed: 7, spec: { verb: 'fit' } },
  ];
  const result = (name, ...digests) => ({ name, digests, numHelpers: null, seconds: 1 });
  const same = [result('native', A, B, B), result('Node', A, B, B)];
  assert.deepEqual(differencesOf(jobs, same), []);
  // Both differ from what is written down; one from the others; one came to no digest, and so did all.
  const wrong = [result('native', B, B, 'x: no'), result('Node', B, A, 'x: no')];
  const found = differencesOf(jobs, wrong);
  assert.deepEqual(found, [
    { name: 'one', seed: 5, digests: { [A]: ['tests/golden'], [B]: ['native', 'Node'] } },
    { name: 'two', seed: null, digests: { [B]: ['native'], [A]: ['Node'] } },
    { name: 'three', seed: 7, digests: { 'x: no': ['native', 'Node'] } },
  ]);
  assert.match(
    describeDifference(found[1]),
    /^two, no seed:\n {4}b{16} {2}native\n {4}a{16} {2}Node$/,
  );
  const [head, native] = tableOf(jobs, [...same, result('Chromium', A, B, A)]).split('\n');
  assert.match(head, /^environment +fit +exact +helped +seconds$/);
  assert.match(native, /^native +2\/2 +1\/1 +– +1\.0$/);
  assert.match(tableOf(jobs, [...same, result('Chromium', A, B, A)]), /^Chromium +1\/2 +1\/1/m);
});

test('other seeds are others, and sound ones', () => {
  for (const own of [0, 1, 2, 1_000_004, 2_000_007, Number.MAX_SAFE_INTEGER]) {
    const golden = { name: 'a', spec: { verb: 'fit', seed: own }, digest: A };
    const seeds = jobsOf([0, 1, 2], [golden]).map(({ seed, spec }) => {
      assert.equal(spec.seed, seed);
      return seed;
    });
    assert.equal(seeds[0], own);
    assert.equal(new Set(seeds).size, 3, `${seeds}`);
    for (const seed of seeds) assert.ok(Number.isSafeInteger(seed) && seed >= 0);
  }
  const unseeded = jobsOf([0, 1, 2], [{ name: 'b', spec: { verb: 'exact' }, digest: A }]);
  assert.deepEqual(
    unseeded.map(({ seed, digest }) => [seed, digest]),
    [[null, A]],
  );
  assert.equal(jobsOf([2], [{ name: 'b', spec: { verb: 'exact' }, digest: A }]).length, 1);
});

/** The kinds of a type of specs, as Rust writes it for TypeScript. */
function kindsOf(type) {
  const file = new URL(`../../src/ts/generated/${type}.ts`, import.meta.url);
  const kinds = [...readFileSync(file, 'utf8').matchAll(/"kind": "(\w+)"/g)].map(
    ([, kind]) => kind,
  );
  assert.ok(kinds.length > 2, `${type} has kinds`);
  return kinds;
}

/** The kinds of what a field of that name holds, anywhere in a spec. */
function kindsIn(value, field) {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === field && inner?.kind ? [inner.kind] : []),
    ...kindsIn(inner, field),
  ]);
}

test('there is a golden digest of every kind of job', () => {
  const specs = goldens().map(({ spec }) => spec);
  const source = readFileSync(new URL('../../src/ts/verbs.ts', import.meta.url), 'utf8');
  const [, list] = /VERBS = \{([\s\S]*?)\n\}/.exec(source);
  const verbs = [...list.matchAll(/^ {2}(\w+):/gm)].map(([, verb]) => verb);
  assert.ok(verbs.length >= 9);
  const missing = verbs.filter((wanted) => !specs.some(({ verb }) => verb === wanted));
  for (const field of ['objective', 'transition', 'rule', 'optimizer', 'model']) {
    const type = `${field[0].toUpperCase()}${field.slice(1)}Spec`;
    const there = new Set(kindsIn(specs, field));
    // A module of JavaScript has no place natively.
    for (const kind of kindsOf(type)) {
      if (kind !== 'custom' && !there.has(kind)) missing.push(`${field}.kind: ${kind}`);
    }
  }
  assert.deepEqual(missing, []);
});
