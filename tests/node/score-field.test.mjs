/** What the lab of scores computes on the page: shapes, errors, and what is true of either of two shapes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gridStates } from '../../www/lib/density-grid.js';
import { eitherOf, noisy, printPoints, readPoints, SHAPES } from '../../www/lib/plane-mixtures.js';
import { judge, REGION, shareInside } from '../../www/lib/score-error.js';
import { createEngine } from './package.mjs';

const engine = await createEngine({ numWorkers: 1 });
after(() => engine.close());

test('every shape lies in the window, and noise adds to its variance', async () => {
  for (const [name, shape] of Object.entries(SHAPES)) {
    assert.ok(
      shape.means.every((value) => Math.abs(value) <= 2),
      name,
    );
    const variance = async (noise) => {
      const { draws } = await engine.sample({
        model: noisy(shape, noise),
        transition: { kind: 'langevin', stepSize: 0.01 },
        numChains: 4000,
        numWarmup: 0,
        numDraws: 1,
        start: { kind: 'exact' },
        seed: 1,
      });
      return draws.values.reduce((sum, value) => sum + value * value, 0) / 8000;
    };
    // 8,000 numbers of variance below 4 and kurtosis below 3: their mean square is within 0.4 but for 1 in 10⁹.
    assert.ok(Math.abs((await variance(1)) - (await variance(0)) - 1) < 0.4, name);
  }
});

test('either of two shapes has half of the mass in each', async () => {
  const [a, b] = [SHAPES.grid, SHAPES.ring];
  const states = [0.3, 0.2, 1.5, 0, 1.4, 1.4];
  const at = async (model) => (await engine.energies({ model, states: [...states] })).energies;
  const shapes = [noisy(a, 0.2), noisy(b, 0.2)];
  const [first, second, both, combined] = [
    await at(shapes[0]),
    await at(shapes[1]),
    await at(eitherOf(a, b, 0.2)),
    await at({ kind: 'combined', how: 'either', parts: shapes.map((model) => ({ model })) }),
  ];
  both.forEach((energy, n) => {
    const density = 0.5 * Math.exp(-first[n]) + 0.5 * Math.exp(-second[n]);
    assert.ok(Math.abs(Math.exp(-energy) / density - 1) < 1e-12);
    assert.ok(Math.abs(energy - combined[n]) < 1e-12);
  });
});

test('points go into a link and come back', () => {
  const points = [-2.4, 2.4, 0, 0.123, 1.999, -1.5];
  const text = printPoints(points);
  assert.match(text, /^[0-9a-z]{12}$/);
  readPoints(text).forEach((value, n) => {
    assert.ok(Math.abs(value - points[n]) < 0.002);
  });
  assert.equal(printPoints(readPoints(text)), text);
  assert.deepEqual(readPoints(''), []);
});

test('errors of a field that is turned, or stretched, by a known amount', () => {
  const size = 60;
  const states = gridStates({ centre: [0, 0], reach: 5 }, size);
  const exact = { energies: new Float64Array(size * size), gradients: states };
  for (let n = 0; n < size * size; n++) {
    exact.energies[n] = 0.5 * (states[2 * n] ** 2 + states[2 * n + 1] ** 2);
  }
  const same = judge(exact, exact, size);
  assert.ok(same.relative === 0 && same.angle < 1e-9 && same.variation === 0);
  // Of a standard normal density, 95 % is where |x|²/2 is below ln 20.
  assert.ok(Math.abs(same.level - Math.log(20)) < 0.1, `${same.level}`);
  assert.equal(shareInside(exact.energies.slice(0, 1), same.level).share, 0);
  assert.equal(shareInside([0, 1, 2, 100], same.level).share, 0.75);
  assert.equal(REGION, 0.95);
  const angle = 0.3;
  const gradients = states.map((value, n) =>
    n % 2 === 0
      ? Math.cos(angle) * value - Math.sin(angle) * states[n + 1]
      : Math.sin(angle) * states[n - 1] + Math.cos(angle) * value,
  );
  const turned = judge({ energies: exact.energies, gradients }, exact, size);
  assert.ok(Math.abs(turned.angle - (180 * angle) / Math.PI) < 1e-9);
  assert.ok(
    Math.abs(turned.relative - 2 * Math.sin(angle / 2)) < 1e-12 && turned.relativeError < 1e-12,
  );
  const stretched = judge(
    { energies: exact.energies, gradients: states.map((value) => 1.25 * value) },
    exact,
    size,
  );
  assert.ok(Math.abs(stretched.relative - 0.25) < 1e-12 && stretched.angle < 1e-6);
});
