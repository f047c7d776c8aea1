import assert from 'node:assert/strict';
import { test } from 'node:test';
import { histogramsOf } from '../../www/lib/histogram.js';
import { doublingsLeft, gapOf } from '../../www/lib/sandwich.js';

test('the gap is the length of the shortest interval that holds both', () => {
  const at = (lower, upper) => ({ lower, upper });
  assert.equal(gapOf(at(1, 2), at(4, 6)), 5);
  assert.equal(gapOf(at(1, 4), at(2, 3)), 3);
  // Where they contradict each other, it does not become negative.
  assert.equal(gapOf(at(5, 6), at(1, 2)), 5);
  assert.equal(gapOf(at(1, 2), at(1, 2)), 1);
});

test('what is left is foretold by the last fall of the gap', () => {
  assert.equal(doublingsLeft([], 0.1), undefined);
  assert.equal(doublingsLeft([8], 0.1), undefined);
  // Halved by each doubling: from 1 to 1/8 three more.
  assert.equal(doublingsLeft([4, 2, 1], 1 / 8), 3);
  // By √2: twice as many.
  assert.equal(doublingsLeft([2, Math.SQRT2], Math.SQRT2 / 8), 6);
  // One that has not fallen is taken to fall slowly, one that fell very fast not to go on so.
  assert.equal(doublingsLeft([1, 1], 0.5), 3);
  assert.equal(doublingsLeft([64, 1], 0.1), 3);
  assert.equal(doublingsLeft([2, 1], 5), 1);
  assert.equal(doublingsLeft([0, 0], 1), undefined);
});

test('histograms share their bins and have area 1', () => {
  const { edges, densities } = histogramsOf([Float64Array.of(0, 1, 1, 4), [2, 3, 3.9]], 4);
  assert.deepEqual([...edges], [0, 1, 2, 3, 4]);
  assert.deepEqual([...densities[0]], [0.25, 0.5, 0, 0.25]);
  for (const [n, expected] of [0, 0, 1 / 3, 2 / 3].entries())
    assert.ok(Math.abs(densities[1][n] - expected) < 1e-15);
});

test('histograms of what is alike, infinite or not there', () => {
  const same = histogramsOf([[3, 3], [3]], 5);
  assert.equal(same.edges.length, 6);
  assert.ok(same.edges[0] < 3 && same.edges[5] > 3);
  const width = same.edges[1] - same.edges[0];
  for (const density of same.densities) {
    const area = density.reduce((sum, value) => sum + value * width, 0);
    assert.ok(Math.abs(area - 1) < 1e-6);
  }
  const { edges, densities } = histogramsOf([[Number.NEGATIVE_INFINITY, 0, 1, Number.NaN]], 2);
  assert.deepEqual([...edges], [0, 0.5, 1]);
  assert.deepEqual([...densities[0]], [0.5, 0.5]);
  assert.deepEqual(histogramsOf([[], [Number.NaN]], 3).densities, []);
});
