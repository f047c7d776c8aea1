/** The figures of the chapter *Gibbs and clusters*, and what it says of them. Their lattice is tested in ising-torus.test.mjs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeatBath, NUM_WARMUP, SIDE } from '../../www/course/figures/heat-bath/heat-bath.js';
import { NUM_ASKED, timesUp } from '../../www/course/figures/one-site/site.js';
import {
  clustersAt,
  criticalSpins,
  largestOf,
  tossed,
} from '../../www/course/figures/tossed-clusters/clusters.js';
import { summaryOf, traceOf } from '../../www/course/figures/two-halves/traces.js';
import { meanSpinOf, probabilityUp } from '../../www/lib/ising-torus.js';
import { CRITICAL_TEMPERATURE, torusEnergyPerSite } from '../../www/lib/onsager.js';

test('a spin against four neighbours flips with probability 0.03 at the critical temperature', () => {
  assert.equal(probabilityUp(-4, CRITICAL_TEMPERATURE).toFixed(2), '0.03');
  assert.equal(CRITICAL_TEMPERATURE.toFixed(3), '2.269');
  assert.equal(probabilityUp(0, 1), 0.5);
});

test('asked again, a spin answers with its probability', () => {
  const rounds = Array.from({ length: 400 }, (_, round) => timesUp(0.3, round));
  const mean = rounds.reduce((sum, times) => sum + times, 0) / rounds.length / NUM_ASKED;
  // Five standard errors.
  assert.ok(Math.abs(mean - 0.3) < 5 * Math.sqrt(0.21 / (400 * NUM_ASKED)), `${mean}`);
  assert.equal(timesUp(1, 1), NUM_ASKED);
  assert.equal(timesUp(0, 1), 0);
});

test('the lattice finds the exact energy, and forgets what it measured at another temperature', () => {
  const bath = new HeatBath(4);
  assert.equal(SIDE * SIDE, 4096);
  for (const temperature of [4, 3, 2.5]) {
    bath.set(temperature);
    assert.equal(bath.meanEnergy, undefined);
    for (let n = 0; n < NUM_WARMUP + 400; n++) bath.sweep();
    const off = bath.meanEnergy - torusEnergyPerSite(SIDE, temperature);
    assert.ok(Math.abs(off) < 0.02, `T = ${temperature}: ${off}`);
  }
});

test('cooled at a stroke, it is left with walls that cost energy', () => {
  const bath = new HeatBath(3);
  for (let n = 0; n < 450; n++) bath.sweep();
  bath.set(1.8);
  for (let n = 0; n < 450; n++) bath.sweep();
  assert.ok(bath.meanEnergy - torusEnergyPerSite(SIDE, 1.8) > 0.1);
});

test('heated, clusters break into crumbs; cooled, one spans the lattice; tossed, the picture turns over', () => {
  const spins = criticalSpins();
  const at = (temperature) => clustersAt(spins, temperature, 0).sizes;
  let before = 0;
  for (const temperature of [0.5, 1, 2.27, 3, 5]) {
    const sizes = at(temperature);
    assert.ok(sizes.length > before, `T = ${temperature}`);
    before = sizes.length;
  }
  assert.ok(Math.max(...at(5)) < spins.length / 20);
  assert.ok(Math.max(...at(0.5)) > spins.length / 2);
  const clusters = clustersAt(spins, 2.27, 0);
  const next = tossed(spins, clusters, 0);
  for (let label = 0; label < clusters.sizes.length; label++) {
    const turned = new Set(
      [...spins.keys()]
        .filter((site) => clusters.labels[site] === label)
        .map((site) => spins[site] !== next[site]),
    );
    assert.equal(turned.size, 1);
  }
  assert.equal(clusters.sizes[largestOf(clusters.sizes)], Math.max(...clusters.sizes));
  let [state, numTurned] = [spins, 0];
  for (let toss = 0; toss < 20; toss++) {
    const after = tossed(state, clustersAt(state, 2, toss), toss);
    if (meanSpinOf(state) * meanSpinOf(after) < 0) numTurned += 1;
    state = after;
  }
  assert.ok(numTurned >= 3, `${numTurned}`);
});

test('at 2.00 the heat bath is settled about +0.91 in one half; clusters see both', () => {
  const cold = summaryOf(traceOf('heatBath', 2));
  assert.equal(cold.mean.toFixed(2), '0.91');
  assert.equal(cold.numTurns, 0);
  assert.ok(cold.time < 10, `${cold.time}`);
  const clusters = summaryOf(traceOf('clusters', 2));
  assert.ok(Math.abs(clusters.mean) < 0.15, `${clusters.mean}`);
  assert.ok(clusters.numTurns > 100);
});

test('at 3.00 both wander about 0, and at 2.30 the heat bath is slow where clusters are quick', () => {
  for (const mover of ['heatBath', 'clusters']) {
    assert.ok(Math.abs(summaryOf(traceOf(mover, 3)).mean) < 0.1, mover);
  }
  const [bath, clusters] = ['heatBath', 'clusters'].map((mover) => summaryOf(traceOf(mover, 2.3)));
  assert.ok(bath.time > 4 * clusters.time, `${bath.time} ${clusters.time}`);
});
