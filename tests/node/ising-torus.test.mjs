/** The lattice of the pictures against exact answers: its moves leave the distribution as it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanAndError } from '../../www/lib/autocorrelation.js';
import {
  bondNumbers,
  bondProbability,
  clustersOf,
  energyPerSiteOf,
  heatBathSweep,
  meanSpinOf,
  packedSpins,
  probabilityUp,
  torusNeighbours,
  tossClusters,
  wolffStep,
} from '../../www/lib/ising-torus.js';
import { torusEnergyPerSite } from '../../www/lib/onsager.js';
import { uniforms } from '../../www/lib/random-bits.js';

const SIDE = 8;
const NEIGHBOURS = torusNeighbours(SIDE);

const MOVES = {
  'heat bath': (spins, temperature, uniform) =>
    heatBathSweep(spins, NEIGHBOURS, temperature, uniform),
  Wolff: (spins, temperature, uniform) =>
    wolffStep(spins, NEIGHBOURS, bondProbability(temperature), uniform),
  'Swendsen–Wang': (spins, temperature, uniform) => {
    const numbers = bondNumbers(spins.length, uniform);
    const clusters = clustersOf(spins, NEIGHBOURS, bondProbability(temperature), numbers);
    tossClusters(spins, clusters, uniform);
  },
};

for (const [name, move] of Object.entries(MOVES)) {
  test(`${name}: the mean energy is Kaufman's`, () => {
    for (const temperature of [1.8, 2.269, 3]) {
      const spins = new Uint8Array(SIDE * SIDE).fill(1);
      const uniform = uniforms(1, 0);
      for (let n = 0; n < 500; n++) move(spins, temperature, uniform);
      const energies = Array.from({ length: 20_000 }, () => {
        move(spins, temperature, uniform);
        return energyPerSiteOf(spins, NEIGHBOURS);
      });
      const { mean, error } = meanAndError(energies);
      const off = mean - torusEnergyPerSite(SIDE, temperature);
      assert.ok(Math.abs(off) < 4.5 * error, `T = ${temperature}: ${off} ± ${error}`);
      assert.ok(error < 0.01, `${error}`);
    }
  });
}

test('a spin is up given its neighbours as the energies say', () => {
  for (const sum of [-4, 0, 2]) {
    const [up, down] = [Math.exp(sum / 1.7), Math.exp(-sum / 1.7)];
    assert.ok(Math.abs(probabilityUp(sum, 1.7) - up / (up + down)) < 1e-15);
  }
});

test('clusters are what hangs together by active bonds', () => {
  const uniform = uniforms(2, 0);
  const spins = Uint8Array.from({ length: SIDE * SIDE }, () => (uniform() < 0.5 ? 1 : 0));
  const numbers = bondNumbers(spins.length, uniform);
  const none = clustersOf(spins, NEIGHBOURS, 0, numbers);
  assert.deepEqual([...none.labels], [...spins.keys()]);
  const up = new Uint8Array(spins.length).fill(1);
  assert.deepEqual(clustersOf(up, NEIGHBOURS, 1, numbers).sizes, [spins.length]);
  const { labels, sizes } = clustersOf(spins, NEIGHBOURS, 0.6, numbers);
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    spins.length,
  );
  for (let site = 0; site < spins.length; site++) {
    for (let end = 0; end < 2; end++) {
      const other = NEIGHBOURS[4 * site + 2 * end];
      const isActive = spins[site] === spins[other] && numbers[2 * site + end] < 0.6;
      if (isActive) assert.equal(labels[site], labels[other]);
    }
  }
  labels.forEach((label, site) => {
    assert.equal(spins[site], spins[labels.indexOf(label)]);
  });
});

test('sums of spins, and spins packed', () => {
  const spins = new Uint8Array(SIDE * SIDE);
  assert.equal(meanSpinOf(spins), -1);
  assert.equal(energyPerSiteOf(spins, NEIGHBOURS), -2);
  spins[9] = 1;
  assert.equal(meanSpinOf(spins), -1 + 2 / 64);
  assert.equal(energyPerSiteOf(spins, NEIGHBOURS), -2 + 8 / 64);
  assert.deepEqual([...packedSpins(spins)], [0, 2, 0, 0, 0, 0, 0, 0]);
});
