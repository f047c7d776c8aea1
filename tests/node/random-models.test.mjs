import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  normals,
  randomFilters,
  randomRbm,
  spinGlassCouplings,
} from '../../www/lib/random-models.js';

test('numbers from a seed have mean 0 and variance 1, and differ from seed to seed', () => {
  for (const seed of [0, 1, 2, 2 ** 32 - 1]) {
    const normal = normals(seed);
    const values = Array.from({ length: 20_000 }, normal);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
    // 5.5 standard errors of 1/√n and √(2/n): a false alarm in fewer than 1 of 10⁶.
    assert.ok(Math.abs(mean) < 5.5 / Math.sqrt(values.length), `mean ${mean}`);
    assert.ok(Math.abs(variance - 1) < 5.5 * Math.sqrt(2 / values.length), `variance ${variance}`);
    const again = normals(seed);
    assert.deepEqual(
      values.slice(0, 50),
      Array.from({ length: 50 }, () => again()),
    );
  }
  const firsts = Array.from({ length: 100 }, (_, seed) => normals(seed)());
  assert.equal(new Set(firsts).size, 100);
  const spread = firsts.reduce((sum, value) => sum + value ** 2, 0) / 100;
  // Neighbouring seeds are not alike: χ² of 100 lies between 38 and 195 but for 1 of 10⁶.
  assert.ok(spread > 0.38 && spread < 1.95, `spread ${spread}`);
});

test('the couplings of all pairs are those of spins without a field', () => {
  const dim = 5;
  const couplings = spinGlassCouplings(dim, 1.5, 7);
  const energy = (x) => {
    let sum = 0;
    for (let i = 0; i < dim; i++)
      for (let j = 0; j < dim; j++) sum += x[i] * couplings[i * dim + j] * x[j];
    return sum;
  };
  for (let state = 0; state < 2 ** dim; state++) {
    const x = Array.from({ length: dim }, (_, i) => (state >> i) & 1);
    // All spins turned: the same energy. And of spins: the pairs' energies but for a constant.
    const turned = x.map((bit) => 1 - bit);
    assert.ok(Math.abs(energy(x) - energy(turned)) < 1e-12);
    let ofSpins = 0;
    for (let i = 0; i < dim; i++) {
      for (let j = 0; j < i; j++) {
        const [s, t] = [2 * x[i] - 1, 2 * x[j] - 1];
        ofSpins += (couplings[i * dim + j] / 2) * (s * t - 1);
      }
    }
    assert.ok(Math.abs(energy(x) - ofSpins) < 1e-12);
  }
  for (let i = 0; i < dim; i++)
    for (let j = 0; j < dim; j++) assert.equal(couplings[i * dim + j], couplings[j * dim + i]);
});

test('the machine’s units have inputs about 0, and its filters are near the axes', () => {
  const { weights, visibleBias, hiddenBias } = randomRbm(6, 3, 2, 1);
  for (let j = 0; j < 3; j++) {
    const sum = weights.subarray(6 * j, 6 * (j + 1)).reduce((total, weight) => total + weight, 0);
    assert.ok(Math.abs(hiddenBias[j] + sum / 2) < 1e-12);
  }
  for (let i = 0; i < 6; i++) {
    const sum = weights[i] + weights[6 + i] + weights[12 + i];
    assert.ok(Math.abs(visibleBias[i] + sum / 2) < 1e-12);
  }
  const filters = randomFilters(12, 6, 3);
  assert.equal(filters.length, 72);
  for (let row = 0; row < 12; row++) {
    const own = filters[6 * row + (row % 6)];
    // Six standard deviations of 0.5 / √6.
    assert.ok(Math.abs(own - 1) < 1.23, `entry ${own}`);
  }
});
