/** The figures of the chapter *Evidence* against other programs and closed forms, and what it says of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  exact,
  NUM_DRAWS,
  NUM_TRIALS,
  trialsOf,
} from '../../www/course/figures/calm-mean/estimates.js';
import {
  dataOf,
  fitOf,
  MAX_DEGREE,
  missOf,
  TRUTHS,
  valueAt,
  X,
} from '../../www/course/figures/degrees/degrees.js';
import { bent, curves, fair, logChoose } from '../../www/course/figures/fair-or-bent/coin.js';
import { gaussianLogLikelihoods } from '../../www/lib/gaussian-likelihoods.js';

const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} and ${b}`);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const DEGREES = Array.from({ length: MAX_DEGREE + 1 }, (_, degree) => degree);
const bestOf = (y, noise, width) => {
  const all = DEGREES.map((degree) => fitOf(degree, y, noise, width).logEvidence);
  return all.indexOf(Math.max(...all));
};

test('each model has a total of 1 to bet, and the bent coin bets on every number alike', () => {
  const heads = Array.from({ length: 21 }, (_, k) => k);
  near(sum(heads.map((k) => fair(20, k))), 1, 1e-12);
  for (const a of [1, 7]) near(sum(heads.map((k) => bent(20, k, a))), 1, 1e-12);
  for (const k of heads) near(bent(20, k), 1 / 21, 1e-12);
  near(Math.exp(logChoose(20, 3)), 1140, 1e-9);
});

test('14 of 20 are nearly level, 10 are nearly four to one for fair, 17 far for bent, 20 a million to one', () => {
  const odds = (k) => fair(20, k) / bent(20, k);
  assert.ok(odds(14) > 0.7 && odds(14) < 1);
  assert.ok(odds(10) > 3.5 && odds(10) < 4);
  assert.ok(odds(17) < 1 / 40);
  near(fair(20, 20), 2 ** -20, 1e-18);
});

test('the evidence is the integral of the likelihood under the prior, and a narrow prior comes to the fair coin', () => {
  const num = 4000;
  const thetas = Array.from({ length: num + 1 }, (_, n) => n / num);
  for (const a of [1, 5, 30]) {
    const { prior, product } = curves(20, 14, a, thetas);
    const ends = ([first], last) => (first + last) / 2;
    near((sum(product) - ends(product, product[num])) / num, bent(20, 14, a), 1e-6);
    near((sum(prior) - ends(prior, prior[num])) / num, 1, 1e-6);
  }
  near(bent(20, 14, 1e6), fair(20, 14), 1e-6);
  const { likelihood } = curves(20, 14, 1, thetas);
  assert.ok(Math.max(...likelihood) / fair(20, 14) > 5);
  assert.ok(bent(20, 12) < fair(20, 12));
});

test('the evidence of a polynomial, point by point, is that of all at once', () => {
  for (const [noise, width] of [
    [0.2, 4],
    [0.05, 256],
    [0.6, 0.25],
  ]) {
    const y = dataOf('cubic', noise);
    for (const degree of DEGREES) {
      // The basis Φ, row-major [14, degree + 1], with the prior's width in it.
      const basis = X.flatMap((x) => Array.from({ length: degree + 1 }, (_, k) => width * x ** k));
      const [all] = gaussianLogLikelihoods({ basis, noise }, X.length, y);
      const { logEvidence } = fitOf(degree, y, noise, width);
      near(logEvidence, all, 1e-3 * Math.max(1, Math.abs(all)));
    }
  }
});

test('the curve is least squares under a wide prior, and a straight line finds a straight line', () => {
  const y = X.map((x) => 0.5 - 2 * x);
  const { weights } = fitOf(1, y, 0.1, 100);
  near(weights[0], 0.5, 1e-4);
  near(weights[1], -2, 1e-4);
  near(valueAt(weights, 0.5), -0.5, 1e-4);
  assert.ok(missOf(weights, y) < 1e-4);
});

test('the miss shrinks as the degree grows; the evidence takes 2 for the parabola', () => {
  for (const truth of TRUTHS) {
    const y = dataOf(truth, 0.2);
    const misses = DEGREES.map((degree) => missOf(fitOf(degree, y, 0.2, 4).weights, y));
    misses.slice(1).forEach((miss, n) => {
      assert.ok(miss < misses[n] + 1e-3, `${truth}: ${misses}`);
    });
    assert.equal(misses.indexOf(Math.min(...misses)), MAX_DEGREE);
  }
  assert.equal(bestOf(dataOf('parabola', 0.2), 0.2, 4), 2);
});

test('with noise of 0.50 and a prior of 256 the evidence prefers a constant', () => {
  assert.equal(bestOf(dataOf('parabola', 0.5), 0.5, 256), 0);
  assert.equal(bestOf(dataOf('parabola', 0.5), 0.5, 4), 2);
});

test('with a wide prior the truth falls, and the harmonic mean stays, its trials agreeing', () => {
  const mean = (values) => sum(values) / values.length;
  const [narrow, wide] = [trialsOf(2), trialsOf(60)];
  assert.equal(wide.harmonic.length, NUM_TRIALS);
  assert.ok(exact(2) - exact(60) > 12);
  assert.ok(Math.abs(mean(narrow.harmonic) - mean(wide.harmonic)) < 1.5);
  assert.ok(Math.max(...wide.harmonic) - Math.min(...wide.harmonic) < 3);
  assert.ok(mean(wide.harmonic) - exact(60) > 10);
  // The mean over the prior: below, and scattered.
  assert.ok(Math.max(...wide.prior) < exact(60));
  assert.ok(Math.max(...wide.prior) - Math.min(...wide.prior) > 30);
});

test('where the prior is narrow, the mean over it finds the exact value', () => {
  const { prior } = trialsOf(1);
  const all = Math.log(sum(prior.map(Math.exp)) / prior.length);
  // The likelihoods vary by about their own mean.
  near(all, exact(1), 8 / Math.sqrt(NUM_TRIALS * NUM_DRAWS));
});

test('where the prior is narrow next to the noise, the harmonic mean finds it, too', () => {
  for (const value of trialsOf(0.3).harmonic) near(value, exact(0.3), 0.1);
});
