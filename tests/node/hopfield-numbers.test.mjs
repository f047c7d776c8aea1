/** The page's own program for Hopfield networks against the package, and the bits that it is fed with. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  darkerHalf,
  distance,
  framed,
  inverted,
  reduced,
  scaled,
} from '../../www/lib/bit-pictures.js';
import { lieOf, recallInOrder } from '../../www/lib/hopfield.js';
import { LETTERS, letterPicture, lettersOf } from '../../www/lib/letters.js';
import { randomRows, withFlips } from '../../www/lib/random-bits.js';
import { createEngine } from './package.mjs';

const NUM_CUES = 20;

let engine;
before(async () => {
  engine = await createEngine({ numWorkers: 1 });
});
after(() => engine.close());

for (const kind of ['outerProduct', 'storkey', 'perceptron', 'mpf']) {
  test(`margins, energies and every flip are the engine's: ${kind}`, async () => {
    for (const dim of [24, 200]) {
      const [numRows, width] = [dim / 4, dim / 8];
      const patterns = { kind: 'bits', dim, numRows, bits: randomRows(numRows, dim, 1, 1) };
      const model = { kind: 'ising', dim };
      const memory = await engine.memorize({ model, patterns, rule: { kind }, seed: 1 });
      const { params } = memory.model;
      for (let n = 0; n < numRows; n++) {
        const pattern = patterns.bits.subarray(n * width, (n + 1) * width);
        const { margin } = lieOf(params, dim, pattern);
        assert.ok(Math.abs(margin - memory.margins[n]) < 1e-10, `${margin} ${memory.margins[n]}`);
      }
      const bits = randomRows(NUM_CUES, dim, 1, 2);
      const cues = { kind: 'bits', dim, numRows: NUM_CUES, bits };
      const spec = { model: memory.model, cues, paths: true, seed: 1 };
      const { paths, energies, states } = await engine.recall(spec);
      let at = 0;
      for (let n = 0; n < NUM_CUES; n++) {
        const own = recallInOrder(params, dim, bits.subarray(n * width, (n + 1) * width));
        const end = at + paths.lengths[n];
        assert.deepEqual(own.sites, [...paths.sites.subarray(at, end)]);
        assert.deepEqual(own.updates, [...paths.updates.subarray(at, end)]);
        own.energies.forEach((energy, k) => {
          assert.ok(Math.abs(energy - paths.energies[at + k]) < 1e-10);
          // A unit to which both are the same goes off, at no change.
          assert.ok(energy <= (own.energies[k - 1] ?? own.start));
        });
        const { energy } = lieOf(params, dim, states.bits.subarray(n * width, (n + 1) * width));
        assert.ok(Math.abs(energy - energies[n]) < 1e-10);
        at = end;
      }
    }
  });
}

test('letters are all different, at every size, and enlarged ones are the small ones', () => {
  const all = lettersOf(LETTERS);
  assert.equal(all.length, LETTERS.length);
  for (const side of [8, 16, 64]) {
    const pictures = all.map((letter) => letterPicture(letter, side));
    assert.equal(new Set(pictures.map((bits) => bits.join())).size, all.length);
    pictures.forEach((bits, n) => {
      assert.deepEqual(scaled(scaled(bits, side, 2 * side), 2 * side, side), bits, all[n]);
    });
  }
  assert.deepEqual(lettersOf('hello, world'), ['H', 'E', 'L', 'O', 'W', 'R', 'D']);
});

test('pictures are framed, reduced and spoiled by whole numbers', () => {
  const bits = randomRows(1, 28 * 28, 1, 7);
  assert.deepEqual(framed(framed(bits, 28, 32), 32, 28), bits);
  assert.deepEqual(reduced(scaled(bits, 28, 56), 56, 2, 28), bits);
  for (const numFlips of [0, 1, 300, 784]) {
    assert.equal(distance(withFlips(bits, 784, numFlips, 3, 4), bits), numFlips);
  }
  assert.deepEqual(withFlips(bits, 784, 784, 3, 4), inverted(bits));
});

test('grey becomes ink where it is darker than half of it, or nearer to the darkest', () => {
  const of = (rule) => darkerHalf(Uint8Array.from({ length: 64 }, (_, n) => rule(n)));
  const ink = (bits) =>
    bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
  assert.equal(ink(of((n) => n)), 32);
  // A few strokes on white paper, one of them faint; the same in white on black.
  assert.equal(ink(of((n) => (n < 10 ? 20 : n < 12 ? 250 : 255))), 10);
  assert.equal(ink(of((n) => (n < 10 ? 255 : 0))), 54);
  assert.equal(ink(of(() => 128)), 0);
});

// 64,000 fair coins: 6 standard deviations are 760. Seeds are fixed; the false-alarm rate is below 1e-8.
test('random bits are fair, and other seeds and streams give others', () => {
  const rows = randomRows(1000, 64, 1, 1);
  const ones = distance(rows, new Uint8Array(rows.length));
  assert.ok(Math.abs(ones - 32_000) < 760, `${ones}`);
  for (const [seed, stream] of [
    [2, 1],
    [1, 2],
    [2 ** 32 + 1, 1],
  ]) {
    const differing = distance(rows, randomRows(1000, 64, seed, stream));
    assert.ok(Math.abs(differing - 32_000) < 760, `${seed} ${stream} ${differing}`);
  }
});
