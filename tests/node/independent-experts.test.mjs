/**
 * The likelihood of products of independent experts by the site's own program, against integrals and another way.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  logAbsDet,
  logGamma,
  meanLogLikelihood,
  tailsAddUp,
} from '../../www/lib/independent-experts.js';

/** ∫ f over all of ℝ by the tanh-sinh rule's cousin: x = sinh(sinh(t)), evenly in t. */
function integral(f) {
  const step = 1 / 64;
  let sum = 0;
  for (let n = -256; n <= 256; n++) {
    const t = n * step;
    sum += f(Math.sinh(Math.sinh(t))) * Math.cosh(Math.sinh(t)) * Math.cosh(t) * step;
  }
  return sum;
}

test('densities integrate to 1 in one dimension', () => {
  for (const [expert, filter, lambda, tolerance] of [
    // The Laplace density has a corner, which costs the rule its precision.
    ['laplace', -1.7, 0.6, 1e-3],
    ['studentT', 0.4, 2.25, 1e-9],
    ['studentT', -3, 1.5, 1e-9],
  ]) {
    const total = integral((x) => Math.exp(meanLogLikelihood(expert, [filter], [lambda], [x])));
    assert.ok(Math.abs(total - 1) < tolerance, `${expert}: ${total}`);
  }
});

test('products of Student’s t experts whose tails add up, and whose do not', () => {
  assert.ok(tailsAddUp(2, [0.51, 0.51]));
  assert.ok(!tailsAddUp(2, [0.5, 9]), 'along what the second is blind to, the first is alone');
  // In one dimension exponents add: (1 + x²)^−(0.3 + 0.3) has an integral, with 0.2 for one of them it has none.
  assert.ok(tailsAddUp(1, [0.3, 0.3]));
  assert.ok(!tailsAddUp(1, [0.3, 0.2]));
  // Of three in the plane two or more are seen along any line, and all three in all of it.
  assert.ok(tailsAddUp(2, [0.3, 0.3, 0.5]));
  assert.ok(!tailsAddUp(2, [0.2, 0.3, 9]));
  assert.ok(!tailsAddUp(2, [0.3, 0.3, 0.39]));
});

test('ln Γ at whole and half numbers', () => {
  for (const [x, value] of [
    [1, 0],
    [2, 0],
    [0.5, Math.log(Math.PI) / 2],
    [10, Math.log(362_880)],
    [15, Math.log(87_178_291_200)],
  ]) {
    assert.ok(Math.abs(logGamma(x) - value) < 1e-13 * Math.max(1, value), `Γ(${x})`);
  }
});

test('ln |det A|, with rows to exchange, and of no inverse', () => {
  assert.ok(Math.abs(logAbsDet([0, 2, 0, 0, 0, 3, 4, 0, 0], 3) - Math.log(24)) < 1e-15);
  assert.ok(Math.abs(logAbsDet([2, 1, 0, -1, 0.5, 3, 0.25, 0, 1], 3) - Math.log(2.75)) < 1e-15);
  assert.equal(logAbsDet([1, 2, 2, 4], 2), Number.NEGATIVE_INFINITY);
});

test('a change of coordinates moves only the determinant', () => {
  const states = [0.3, -1.2, 2, 0.7];
  const filters = [2, 1, -1, 0.5];
  const responses = [2 * 0.3 - 1.2, -0.3 - 0.6, 4.7, -2 + 0.35];
  for (const expert of ['laplace', 'studentT']) {
    const lambda = [1.5, 2];
    const direct = meanLogLikelihood(expert, [1, 0, 0, 1], lambda, responses) + Math.log(2);
    const found = meanLogLikelihood(expert, filters, lambda, states);
    assert.ok(Math.abs(found - direct) < 1e-14, expert);
  }
});
