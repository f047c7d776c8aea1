/**
 * The numbers of the natural gradient's example, against what is printed in the thesis and by differences.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CURVATURES,
  descend,
  divergence,
  divergenceAfter,
  gradient,
  LARGEST_STEP,
  METRIC,
  naturalGradient,
  ROOT,
  START,
  unwhiten,
  whiten,
  whitenedGradient,
} from '../../www/lib/badly-scaled-gaussian.js';

const POINTS = [START, [0.3, 0.7], [-2, 5], [1e-3, -0.2]];

function near(actual, expected, tolerance = 1e-10) {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, n) => {
    const scale = 1 + Math.abs(expected[n]);
    assert.ok(Math.abs(value - expected[n]) < tolerance * scale, `${actual} is not ${expected}`);
  });
}

/** Central differences of a function of a point. */
function differences(f, [x, y]) {
  const h = 1e-5;
  return [(f([x + h, y]) - f([x - h, y])) / (2 * h), (f([x, y + h]) - f([x, y - h])) / (2 * h)];
}

test('the metric is the one printed in section 4.1.2', () => {
  near(METRIC.flat(), [9 + 1 / 9, 1, 1, 1 / 9]);
});

test('the divergence is that of two Gaussians of unit variance', () => {
  for (const [first, second] of POINTS) {
    const means = [3 * first + second / 3, first / 3];
    near([divergence([first, second])], [0.5 * (means[0] ** 2 + means[1] ** 2)]);
  }
});

test('the gradients are the derivatives, in either space', () => {
  for (const point of POINTS) {
    near(gradient(point), differences(divergence, point), 1e-8);
    const inPhi = (phi) => divergence(unwhiten(phi));
    near(whitenedGradient(whiten(point)), differences(inPhi, whiten(point)), 1e-8);
  }
});

test('the root is the root, and in its space the natural gradient is the steepest', () => {
  const [[a, b], [c, d]] = ROOT;
  near([a * a + b * c, a * b + b * d, c * a + d * c, c * b + d * d], METRIC.flat());
  for (const point of POINTS) {
    near(unwhiten(whiten(point)), point);
    near(whiten(naturalGradient(point)), whitenedGradient(whiten(point)));
    // With the Fisher information of a Gaussian's mean it points straight at the truth.
    near(naturalGradient(point), point);
  }
});

test('the curvatures are the eigenvalues, and tell what steps steepest descent may take', () => {
  near([CURVATURES[0] + CURVATURES[1]], [METRIC[0][0] + METRIC[1][1]]);
  near([CURVATURES[0] * CURVATURES[1]], [1 / 81]);
  const after = (stepSize) => divergence(descend(gradient, { stepSize, limit: 20_000 }).at(-1));
  assert.ok(after(0.999 * LARGEST_STEP) < 1e-6);
  assert.ok(after(1.001 * LARGEST_STEP) > 1e6);
});

test('the steps agree with the eigenvalues', () => {
  for (const start of POINTS) {
    for (const stepSize of [0.05, 0.2, 0.2169]) {
      const path = descend(gradient, { start, stepSize, limit: 500 });
      for (const n of [0, 1, 7, 500]) {
        near([divergence(path[n])], [divergenceAfter(start, stepSize, n)]);
      }
    }
  }
});

test('a descent stops at its target, at its limit, or where it is lost', () => {
  const path = descend(naturalGradient, { stepSize: 0.5, target: 1e-6, limit: 100 });
  assert.deepEqual(path[0], START);
  assert.ok(divergence(path.at(-1)) <= 1e-6 && divergence(path.at(-2)) > 1e-6);
  assert.equal(descend(gradient, { stepSize: 0.1, limit: 7 }).length, 8);
  assert.ok(descend(gradient, { stepSize: 5, limit: 1000 }).length < 20);
});
