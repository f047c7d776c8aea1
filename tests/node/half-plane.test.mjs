/**
 * The half-plane of univariate Gaussians and three ways through it, against figures and the metric itself.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ballAbout, distanceOf, wayCost, wayLength, wayPoint } from '../../www/lib/half-plane.js';

const WAYS = ['geometric', 'momentAverages', 'geodesic'];

const close = (found, expected, tolerance, what) =>
  assert.ok(Math.abs(found - expected) <= tolerance, `${what}: ${found}, not ${expected}`);

test('lengths and costs of the three ways', () => {
  for (const [d, lengths, costs] of [
    [20, [20, 7.701, 7.507], [200, 29.65, 28.18]],
    [100, undefined, [5000, 74.9, 72.5]],
  ]) {
    WAYS.forEach((way, n) => {
      if (lengths) close(wayLength(way, d), lengths[n], 5e-4, `length, ${way}, d = ${d}`);
      close(wayCost(way, d), costs[n], d === 20 ? 5e-3 : 5e-2, `cost, ${way}, d = ${d}`);
    });
  }
});

test('ways go from end to end, and s is the length by the metric', () => {
  for (const d of [0.5, 4, 20, 100]) {
    for (const way of WAYS) {
      const half = wayLength(way, d) / 2;
      for (const [s, end] of [
        [-half, 0],
        [half, d],
      ]) {
        const [mu, sigma] = wayPoint(way, d, s);
        close(mu, end, 1e-9 * d, `μ, ${way}`);
        close(sigma, 1, 1e-9 * d, `σ, ${way}`);
      }
      for (const share of [-0.9, -0.3, 0.2, 0.8]) {
        const [s, step] = [share * half, 1e-5];
        const [before, after] = [wayPoint(way, d, s - step), wayPoint(way, d, s + step)];
        const [, sigma] = wayPoint(way, d, s);
        const squares = (after[0] - before[0]) ** 2 + 2 * (after[1] - before[1]) ** 2;
        close(Math.sqrt(squares) / sigma / (2 * step), 1, 1e-5, `ds, ${way}, d = ${d}`);
      }
    }
  }
});

test('averages of moments have the variance 1 + β(1 − β)d²', () => {
  const d = 7;
  const half = wayLength('momentAverages', d) / 2;
  for (const share of [-0.95, -0.5, 0, 0.4]) {
    const [mu, sigma] = wayPoint('momentAverages', d, share * half);
    const beta = mu / d;
    close(sigma ** 2, 1 + beta * (1 - beta) * d * d, 1e-9, `σ² at β = ${beta}`);
  }
});

test('the shortest way is as long as the distance, and the others are longer', () => {
  for (const d of [0.5, 4, 20, 100]) {
    const shortest = wayLength('geodesic', d);
    close(distanceOf([0, 1], [d, 1]), shortest, 1e-9, `d = ${d}`);
    assert.ok(wayLength('momentAverages', d) > shortest && d > shortest);
  }
});

test('the edge of a ball is as far from its point everywhere', () => {
  const [point, radius] = [[3, 2], 0.5];
  const { centre, across, up } = ballAbout(point, radius);
  for (let n = 0; n < 12; n++) {
    const angle = (2 * Math.PI * n) / 12;
    const edge = [centre[0] + across * Math.cos(angle), centre[1] + up * Math.sin(angle)];
    close(distanceOf(point, edge), radius, 1e-9, `at ${angle}`);
  }
});
