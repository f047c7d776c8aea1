import assert from 'node:assert/strict';
import { test } from 'node:test';
import { densityOf, gridStates } from '../../www/lib/density-grid.js';

const SIZE = 80;

function energiesOn(window, energy) {
  const states = gridStates(window, SIZE);
  return Float64Array.from({ length: SIZE * SIZE }, (_, n) =>
    energy(states[2 * n], states[2 * n + 1]),
  );
}

test('states are the middles of the cells, from the top left', () => {
  const states = gridStates({ centre: [1, 10], reach: 2 }, 2);
  assert.deepEqual([...states], [0, 11, 2, 11, 0, 9, 2, 9]);
});

test('moments and marginals of a Gaussian with unequal widths, whatever its constant', () => {
  const window = { centre: [1, -2], reach: 6 };
  const energy = (x, y) => 0.5 * (x - 1.3) ** 2 + 0.5 * ((y + 2.4) / 0.6) ** 2 + 1e4;
  const { means, sds, marginals, edge, relative, logZ } = densityOf(
    energiesOn(window, energy),
    window,
    SIZE,
  );
  const close = (found, expected) =>
    assert.ok(Math.abs(found - expected) < 1e-5, `${found} ${expected}`);
  close(means[0], 1.3);
  close(means[1], -2.4);
  close(sds[0], 1);
  close(sds[1], 0.6);
  assert.ok(Math.abs(logZ - Math.log(2 * Math.PI * 0.6) + 1e4) < 1e-5, `${logZ}`);
  const side = (2 * window.reach) / SIZE;
  for (const [axis, marginal] of marginals.entries()) {
    marginal.forEach((density, n) => {
      const at = window.centre[axis] - window.reach + (n + 0.5) * side;
      const z = (at - means[axis]) / sds[axis];
      const exact = Math.exp(-0.5 * z * z) / (sds[axis] * Math.sqrt(2 * Math.PI));
      assert.ok(Math.abs(density - exact) < 1e-5, `${density} is not ${exact}`);
    });
  }
  assert.ok(edge < 1e-5);
  assert.equal(Math.max(...relative), 1);
  // The first row is the top one: the peak is below the middle.
  const peak = relative.indexOf(1);
  assert.ok(Math.floor(peak / SIZE) > SIZE / 2 && peak % SIZE > SIZE / 2);
});

test('where an energy is infinite or no number there is nothing', () => {
  const window = { centre: [0, 0], reach: 1 };
  const half = energiesOn(window, (x, y) =>
    x < 0 ? Number.NaN : y < 0 ? Number.POSITIVE_INFINITY : 0,
  );
  const { relative, means, edge } = densityOf(half, window, SIZE);
  assert.equal(
    relative.reduce((sum, value) => sum + value, 0),
    (SIZE * SIZE) / 4,
  );
  assert.ok(Math.abs(means[0] - 0.5) < 1e-12 && Math.abs(means[1] - 0.5) < 1e-12);
  assert.ok(edge > 0.04);
});

test('without a lowest energy there is no density', () => {
  const window = { centre: [0, 0], reach: 1 };
  for (const nothing of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    assert.equal(
      densityOf(
        energiesOn(window, () => nothing),
        window,
        SIZE,
      ),
      undefined,
    );
  }
});
