/** Figures of the page Reproductions come from results of full runs, and the ledger lists every claim. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareDigests,
  describeLedger,
  ledger,
  resultNames,
  resultOf,
  stillVerified,
  withVerified,
} from '../repro/results.mjs';
import { siteModule } from './site-module.mjs';

const { withResults } = await siteModule('build/docs/results.ts');

const result = {
  name: 'tried',
  seed: 3,
  seconds: 43.2,
  digest: 'a'.repeat(64),
  commit: '0123456789',
  machine: 'a machine',
  settings: { numDraws: 100_000 },
  departures: [{ of: 'size', paper: '10', ours: '2' }],
  rows: [
    {
      label: 'one row',
      measured: { mean: -12.345, meanError: 0.067, least: -0.001 },
      paper: { mean: -11 },
    },
  ],
  checks: [
    { claim: 'it works', source: 'Somebody 2012', holds: true },
    { claim: 'it is fast', source: 'Somebody 2012', holds: false },
  ],
};
const filled = (markdown) =>
  withResults(markdown, 'tried', (name) => {
    if (name !== 'tried') throw new Error(`no result of ${name}`);
    return result;
  });

test('figures are put in place', () => {
  assert.equal(filled('{{ tried > one row > mean > 1 }} nats'), '−12.3 nats');
  assert.equal(filled('{{ tried > one\nrow > mean > ±2 }}'), '−12.35 ± 0.07');
  assert.equal(filled('{{ tried > one row > paper: mean > 0 }}'), '−11');
  assert.equal(filled('{{ tried > one row > least > 2 }}'), '0.00');
  assert.equal(filled('{{ tried > settings > numDraws > 0 }}'), '100,000');
  assert.equal(filled('{{ tried > seconds }}'), '43 seconds');
});

test('what leads to no figure is refused by name', () => {
  for (const [markdown, message] of [
    ['{{ other > one row > mean > 1 }}', /no result of other/],
    ['{{ tried > two rows > mean > 1 }}', /two rows.* is no figure of tried/],
    ['{{ tried > one row > median > 1 }}', /median.* is no figure of tried/],
    ['{{ tried > one row > mean }}', /decimals/],
    ['{{ tried > one row > paper: mean > ±1 }}', /has no error/],
  ]) {
    assert.throws(() => filled(markdown), message, markdown);
  }
});

test('failing claims come first, with what differs and where it was run', () => {
  const page = filled('## Part\n\n<!-- results tried -->\n');
  assert.ok(page.indexOf('| **fails** | it is fast |') < page.indexOf('| holds | it works |'));
  assert.match(page, /\| size \| 10 \| 2 \|/);
  assert.match(page, /seed 3 at commit `0123456789`, in 43 seconds, on: a machine/);
});

test('a page says which results were made again on other machines', () => {
  const entry = (machine, quick) => ({ machine, commit: '9876543210', quick });
  const kept = {
    inFull: { ...result, verified: [entry('another', false), entry('a third', true)] },
    small: { ...result, verified: [entry('another', true)] },
    not: result,
  };
  const lines = Object.keys(kept).map((name) => `<!-- results ${name} -->`);
  const page = withResults(
    ['<!-- verified results -->', ...lines].join('\n\n'),
    'tried',
    (name) => kept[name],
  );
  assert.match(
    page,
    /^The same digest came out for 1 of 3 full results on another machine \(another\), and for 2 of their small runs\.\n/,
  );
  const [, inFull, small, not] = page.split(/Digest `a+`\./).map((part) => part.split('\n')[0]);
  assert.equal(inFull, ' Made again, with the same digest, at commit `9876543210` on another.');
  assert.match(small, /^ Only its small run was made again, .* on another\.$/);
  assert.equal(not, '');
});

test('numbers typed by hand are refused on a page of results, and only there', () => {
  const beside = (sentence) => `## Part\n\n${sentence}\n\n## Next\n\n<!-- results tried -->\n`;
  for (const sentence of [
    'It took 43 seconds.',
    'The error is 0.0177.',
    '| MPF | 0.0177 |',
    'It is 10×10 in size.',
  ]) {
    assert.throws(() => filled(beside(sentence)), /typed by hand/, sentence);
  }
  for (const sentence of [
    'Figure 3.6 and tables 1 and 2 of the thesis (2012), section 3.4.2, appendix E.2.',
    'It is $x^2$, and `numDraws: 10`; CD-1 [too](../methods/x.md#part-2).',
    'It took {{ tried > seconds }}.',
  ]) {
    filled(beside(sentence));
  }
  assert.equal(filled('## Other\n\nIt took 43 seconds.\n'), '## Other\n\nIt took 43 seconds.\n');
});

test('every kept result is whole, and the ledger has all of its claims', () => {
  const names = resultNames();
  assert.ok(names.length > 0);
  const { claims, without } = ledger([...names, 'nothing-of-it'].map((name) => ({ name })));
  assert.deepEqual(without, ['nothing-of-it']);
  for (const name of names) {
    const { checks, digest, quickDigest, commit, seconds, machine } = resultOf(name);
    for (const { claim, source, holds } of checks) {
      assert.ok(claim && source && typeof holds === 'boolean', `${name}: ${claim}`);
    }
    assert.equal(claims.filter(({ reproduction }) => reproduction === name).length, checks.length);
    assert.match(digest + quickDigest, /^[0-9a-f]{128}$/, name);
    assert.ok(seconds > 0 && machine && commit && !commit.includes('changed'), name);
    const known = new Set();
    for (const entry of resultOf(name).verified ?? []) {
      assert.match(entry.commit, /^[0-9a-f]{10}$/, name);
      assert.notEqual(entry.machine, machine, name);
      known.add(`${entry.machine}, ${entry.quick}`);
    }
    assert.equal(known.size, resultOf(name).verified?.length ?? 0, `${name}: one entry a machine`);
  }
  const firstHolding = claims.findIndex(({ holds }) => holds);
  assert.ok(
    claims.slice(firstHolding).every(({ holds }) => holds),
    'failing claims come first',
  );
  assert.match(describeLedger({ claims, without }), /claims, of which \d+ hold/);
});

const ours = { ...result, quickDigest: 'b'.repeat(64) };
const elsewhere = { name: 'tried', machine: 'another', commit: '9876543210' };

test('a run again is compared with the kept result of its size', () => {
  for (const [quick, digest] of [
    [false, ours.digest],
    [true, ours.quickDigest],
  ]) {
    const { isSame, line } = compareDigests({ name: 'tried', quick, digest }, ours);
    assert.ok(isSame);
    assert.match(
      line,
      quick ? /^same +tried, small: b+, as on a machine$/ : /^same +tried: a+, as/,
    );
  }
  const differs = { name: 'tried', quick: false, digest: ours.quickDigest };
  const { isSame, line } = compareDigests(differs, ours);
  assert.ok(!isSame);
  assert.match(line, /^DIFFERS +tried: b{16} here, but a{16} at commit 0123456789 on a machine$/);
});

test('a machine is entered once a size, and only for the same digest on another machine', () => {
  const inFull = { ...elsewhere, quick: false, digest: ours.digest };
  const small = { ...elsewhere, quick: true, digest: ours.quickDigest };
  const both = withVerified(withVerified(ours, inFull), small);
  const entered = ({ machine, commit, quick }) => ({ machine, commit, quick });
  assert.deepEqual(both, { ...ours, verified: [entered(inFull), entered(small)] });
  const later = { ...inFull, commit: '1111111111' };
  assert.deepEqual(withVerified(both, later).verified, [entered(small), entered(later)]);
  for (const refused of [
    { ...inFull, digest: ours.quickDigest },
    { ...inFull, machine: ours.machine },
  ]) {
    assert.equal(withVerified(ours, refused), ours);
  }
});

test('a new result keeps the entries for digests that it has too', () => {
  const verified = [true, false].map((quick) => ({ machine: 'another', commit: '0', quick }));
  const before = { ...ours, verified };
  assert.deepEqual(stillVerified(ours, before), verified);
  assert.deepEqual(stillVerified({ ...ours, digest: 'c'.repeat(64) }, before), [verified[0]]);
  assert.deepEqual(stillVerified({ ...ours, machine: 'another' }, before), []);
  assert.deepEqual(stillVerified(ours, undefined), []);
});
