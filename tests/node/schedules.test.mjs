import assert from 'node:assert/strict';
import { test } from 'node:test';
import { betaAt, drawn, linear, monotoneCurve, sigmoidal } from '../../www/lib/schedules.js';

const POINTS = [
  [0.1, 0.01],
  [0.3, 0.5],
  [0.35, 0.9],
  [0.8, 0.92],
];

function ascends(betas) {
  return betas.every((beta, k) => k === 0 || beta > betas[k - 1]);
}

test('schedules ascend from 0 to 1', () => {
  for (const count of [1, 2, 10, 2500]) {
    for (const betas of [linear(count), sigmoidal(count), drawn(POINTS, count)]) {
      assert.equal(betas.length, count + 1);
      assert.equal(betas[0], 0);
      assert.equal(betas.at(-1), 1);
      assert.ok(ascends(betas), betas.slice(0, 9).join(' '));
    }
  }
});

test('the sigmoidal one is symmetric and denser at the ends', () => {
  const betas = sigmoidal(10);
  betas.forEach((beta, k) => {
    assert.ok(Math.abs(beta + betas[10 - k] - 1) < 1e-12);
  });
  assert.ok(betas[1] < 0.04 && betas[5] - betas[4] > 0.17, betas.join(' '));
});

test('a drawn curve goes through its points, smoothly, and overshoots none', () => {
  const curve = monotoneCurve(POINTS);
  for (const [x, y] of POINTS) assert.ok(Math.abs(curve(x) - y) < 1e-12);
  for (const [x] of POINTS) {
    const [before, after] = [-1e-6, 1e-6].map((h) => (curve(x + h) - curve(x)) / h);
    assert.ok(Math.abs(before - after) < 1e-3, `${before} and ${after} at ${x}`);
  }
  // Between points that are nearly level it stays between them.
  for (let x = 0.35; x <= 0.8; x += 0.001)
    assert.ok(curve(x) >= 0.9 - 1e-12 && curve(x) <= 0.92 + 1e-12);
});

test('where pieces differ in width the nearer secant counts for less', () => {
  // 1.5 / (0.9 / 0.5 + 0.6 / 2.125): secants 0.5 over 0.1 and 2.125 over 0.4.
  const curve = monotoneCurve([
    [0.1, 0.05],
    [0.5, 0.9],
  ]);
  const slope = (curve(0.1 + 1e-7) - curve(0.1 - 1e-7)) / 2e-7;
  assert.ok(Math.abs(slope - 0.72034) < 1e-4, `${slope}`);
});

test('points on the diagonal are the linear schedule', () => {
  const points = [
    [0.3, 0.3],
    [0.9, 0.9],
  ];
  drawn(points, 40).forEach((beta, k) => {
    assert.ok(Math.abs(beta - k / 40) < 1e-12);
  });
});

test('beta after a share of the distributions', () => {
  const betas = [0, 0.1, 0.4, 1];
  assert.equal(betaAt(betas, 0), 0);
  assert.equal(betaAt(betas, 1), 1);
  assert.ok(Math.abs(betaAt(betas, 0.5) - 0.25) < 1e-12);
});
