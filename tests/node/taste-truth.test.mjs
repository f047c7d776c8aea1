/** What the lab "Topics and taste" holds to be the truth about a missing rating. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { trueMachine, withFewRatings } from '../../www/lib/taste-people.js';
import { createEngine } from './package.mjs';
import { siteModule } from './site-module.mjs';

const { TrueMachine } = await siteModule('labs/topics-and-taste/truth.ts');

/** Four things, two tastes. */
const model = trueMachine([
  [1, 2, 0],
  [0, 2, 1],
  [0, 0, 2],
  [-1, -1, 2],
]);
const truth = new TrueMachine(model);

let engine;
before(async () => {
  engine = await createEngine();
});
after(() => engine?.close());

const stateOf = (ratings) =>
  Float64Array.from(ratings.flatMap((rating) => [1, 2, 3, 4, 5].map((n) => Number(n === rating))));

/** p(value of the first thing | the ratings), by a sum over all ratings of all that is not rated. */
async function summed(ratings) {
  const rows = [];
  for (let n = 0; n < 5 ** 4; n++) {
    const row = [0, 1, 2, 3].map((thing) => (Math.floor(n / 5 ** thing) % 5) + 1);
    if (row.every((rating, thing) => ratings[thing] === 0 || ratings[thing] === rating))
      rows.push(row);
  }
  const states = Float64Array.from(rows.flatMap((row) => [...stateOf(row)]));
  const { energies } = await engine.energies({ model, states });
  const shares = new Float64Array(5);
  rows.forEach(([first], row) => {
    shares[first - 1] += Math.exp(-energies[row]);
  });
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

test('the truth is a sum over all that is not rated', async () => {
  for (const ratings of [
    [0, 0, 0, 0],
    [0, 5, 0, 0],
    [0, 1, 4, 0],
    [0, 5, 1, 2],
  ]) {
    const expected = await summed(ratings);
    const found = truth.given(ratings).subarray(0, 5);
    found.forEach((p, n) => {
      assert.ok(Math.abs(p - expected[n]) < 1e-12, `${ratings}: ${p}, ${expected[n]}`);
    });
  }
});

test('where all others are rated the engine says the same', async () => {
  const states = stateOf([0, 5, 1, 2]);
  const { conditionals } = await engine.energies({ model, states, conditionals: true });
  const found = truth.given([0, 5, 1, 2]);
  for (let n = 0; n < 5; n++) assert.ok(Math.abs(conditionals[n] - found[n]) < 1e-12);
});

test('8 to 20 ratings of a person are kept, and the one that is asked for is not among them', () => {
  const [numRows, numSites, width] = [500, 40, 25];
  // All bits on: every rating that is kept shows.
  const complete = new Uint8Array(numRows * width).fill(255);
  const asked = new Uint8Array(numRows);
  const kept = withFewRatings(complete, numRows, numSites, 3, 2, asked);
  const numKept = new Set();
  for (let row = 0; row < numRows; row++) {
    const isOn = (unit) => (kept[row * width + (unit >> 3)] >> (unit & 7)) & 1;
    const sites = Array.from({ length: numSites }, (_, site) => site).filter((site) =>
      isOn(5 * site),
    );
    assert.ok(!sites.includes(asked[row]));
    numKept.add(sites.length + 1);
  }
  // None of thirteen is missed by chance once in 10¹⁶.
  assert.deepEqual(
    [...numKept].toSorted((one, other) => one - other),
    [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
  );
});
