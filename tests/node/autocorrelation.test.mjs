/** Autocorrelation times against those of an autoregressive series, which are known. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integratedTime, meanAndError } from '../../www/lib/autocorrelation.js';

/** A generator of 32 bits (mulberry32), as numbers in [0, 1). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** x_n = φ x_{n−1} + noise: its τ is (1 + φ)/(1 − φ). */
function series(phi, length) {
  const random = generator(7);
  const values = new Float64Array(length);
  for (let n = 1; n < length; n++) values[n] = phi * values[n - 1] + random() - 0.5;
  return values;
}

// The window's estimate has a standard deviation of about τ √(2(2W+1)/n), here under 0.06 τ with W = 5τ: 0.4 is
// more than six of them, for seeds that are fixed.
test('autoregressive series have the times that are known', () => {
  for (const phi of [0, 0.5, 0.9]) {
    const expected = (1 + phi) / (1 - phi);
    const found = integratedTime(series(phi, 60_000));
    assert.ok(Math.abs(found / expected - 1) < 0.4, `${phi}: ${found} is not ${expected}`);
  }
});

test('the error of the mean allows for the correlations', () => {
  const values = series(0.9, 60_000);
  const { mean, error } = meanAndError(values);
  // Noise of variance 1/12, so that the variance of the mean is 1/12 / (1 − φ)² / n.
  const expected = Math.sqrt(1 / 12 / 0.01 / values.length);
  assert.ok(Math.abs(error / expected - 1) < 0.25, `${error} is not ${expected}`);
  assert.ok(Math.abs(mean) < 6 * expected);
});

test('a constant series has no error', () => {
  assert.equal(integratedTime([3, 3, 3]), 1);
  assert.deepEqual(meanAndError([3, 3, 3]), { mean: 3, error: 0 });
});
