// What the lab "Contacts" does besides the fit: folds, their models, mutual information, and rankings held against contacts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactsOf, foldedPotts, hilbert, serpentine } from '../../www/lib/folded-chain.js';
import { corrected, mutualInformation } from '../../www/lib/mutual-information.js';
import { couplingStrengths } from './package.mjs';
import { siteModule } from './site-module.mjs';

const { numRight, rankingOf } = await siteModule('labs/contacts/ranking.ts');

test('a fold visits every point of its grid once, a step at a time', () => {
  for (const [places, numColumns, numRows] of [
    [serpentine(2, 12), 2, 12],
    [serpentine(6, 6), 6, 6],
    [serpentine(3, 5), 3, 5],
    [hilbert(1), 2, 2],
    [hilbert(2), 4, 4],
    [hilbert(3), 8, 8],
  ]) {
    assert.equal(new Set(places.map(String)).size, numColumns * numRows);
    for (const [x, y] of places) assert.ok(x >= 0 && x < numColumns && y >= 0 && y < numRows);
    for (let site = 1; site < places.length; site++) {
      const [[x, y], [u, v]] = [places[site - 1], places[site]];
      assert.equal(Math.abs(x - u) + Math.abs(y - v), 1, `step ${site}`);
    }
  }
});

test('contacts are neighbours on the grid that are apart along the chain', () => {
  // Of a strand that turns back, all that face each other but for the turn.
  assert.deepEqual(contactsOf(serpentine(2, 4)), [
    [0, 7],
    [1, 6],
    [2, 5],
  ]);
  // A grid of n × m points has n(m − 1) + m(n − 1) neighbours; the chain takes nm − 1 of them.
  assert.equal(contactsOf(serpentine(6, 6)).length, 60 - 35);
  assert.equal(contactsOf(hilbert(3)).length, 112 - 63);
});

test('the model of a fold couples contacts and neighbours along the chain, with the standard deviations asked for', () => {
  const places = hilbert(3);
  const { numSites, numValues, pattern, fields, couplings } = foldedPotts(places, 5, 2, 7);
  assert.deepEqual([numSites, numValues], [64, 5]);
  assert.equal(pattern.pairs.length, 63 + contactsOf(places).length);
  assert.equal(new Set(pattern.pairs.map(String)).size, pattern.pairs.length);
  for (const pair of [...contactsOf(places), [0, 1], [62, 63]]) {
    assert.ok(pattern.pairs.some(([i, j]) => i === pair[0] && j === pair[1]));
  }
  const deviation = (values) =>
    Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  // 2,800 couplings and 320 fields: a relative error of 1.3 % and 4 %.
  assert.ok(Math.abs(deviation(couplings) - 2) < 0.16, `${deviation(couplings)}`);
  assert.ok(Math.abs(deviation(fields) - 0.5) < 0.12, `${deviation(fields)}`);
  assert.deepEqual(foldedPotts(places, 5, 2, 7).couplings, couplings);
  assert.notDeepEqual(foldedPotts(places, 5, 2, 8).couplings, couplings);
});

test('mutual information by its definition', () => {
  // The first two sites are the same, the third is independent of them, the fourth never changes.
  const rows = [0, 1, 2].flatMap((a) => [0, 1].map((b) => [a, a, b, 1]));
  const pairs = mutualInformation(rows.flat(), 4, 3);
  const of = (i, j) => pairs.find((pair) => pair.i === i && pair.j === j).strength;
  assert.equal(pairs.length, 6);
  assert.ok(Math.abs(of(0, 1) - Math.log(3)) < 1e-12);
  for (const [i, j] of [
    [0, 2],
    [1, 2],
    [0, 3],
    [2, 3],
  ])
    assert.ok(Math.abs(of(i, j)) < 1e-12);
  assert.deepEqual([pairs[0].i, pairs[0].j], [0, 1]);
  // 3 of 4 rows agree: ¾ ln(¾ / ½ · …) by hand.
  const half = [
    [0, 0],
    [0, 0],
    [1, 1],
    [1, 0],
  ];
  const expected =
    0.5 * Math.log(0.5 / (0.5 * 0.75)) +
    0.25 * Math.log(0.25 / (0.5 * 0.25)) +
    0.25 * Math.log(0.25 / (0.5 * 0.75));
  assert.ok(Math.abs(mutualInformation(half.flat(), 2, 2)[0].strength - expected) < 1e-12);
});

test('the correction is the one of couplingStrengths', () => {
  const numSites = 5;
  const numValues = 3;
  let word = 1;
  const next = () => {
    word = (word * 48271) % 2147483647;
    return word / 2147483647 - 0.5;
  };
  const couplings = Float64Array.from({ length: 10 * 9 }, next);
  const fields = new Float64Array(15);
  const model = { kind: 'potts', numSites, numValues, fields, couplings };
  const ours = corrected(couplingStrengths(model), numSites);
  const theirs = couplingStrengths(model, { averageProductCorrection: true });
  for (const [at, { i, j, strength }] of ours.entries()) {
    assert.deepEqual([i, j], [theirs[at].i, theirs[at].j]);
    assert.ok(Math.abs(strength - theirs[at].strength) < 1e-12);
  }
});

test('a ranking tells the strongest pairs that are apart, what is missed, and how many were right', () => {
  const pairs = [
    { i: 0, j: 1, strength: 9 },
    { i: 0, j: 5, strength: 8 },
    { i: 1, j: 4, strength: 7 },
    { i: 2, j: 4, strength: 6 },
    { i: 2, j: 5, strength: 5 },
    { i: 0, j: 3, strength: 4 },
  ];
  const contacts = [
    [0, 5],
    [2, 5],
  ];
  const ranking = rankingOf(pairs, contacts, 2);
  assert.deepEqual(
    ranking.told.map(({ i, j, isContact }) => [i, j, isContact]),
    [
      [0, 5, true],
      [1, 4, false],
    ],
  );
  assert.deepEqual(ranking.missed, [[2, 5]]);
  assert.deepEqual(ranking.precision, [1, 1 / 2, 2 / 3, 2 / 4]);
  assert.equal(numRight(ranking), 1);
  const unknown = rankingOf(pairs, undefined, 3);
  assert.deepEqual([unknown.told.length, unknown.missed, unknown.precision], [3, [], []]);
  assert.equal(unknown.told[0].isContact, undefined);
});
