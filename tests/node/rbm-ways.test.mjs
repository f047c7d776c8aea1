/** Machines between two others, as the lab "Digits: log Z" pictures them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEngine } from './package.mjs';
import { siteModule } from './site-module.mjs';

const { machineAt, wayOf } = await siteModule('labs/digits-log-z/way.ts');

const rbm = {
  kind: 'rbm',
  numVisible: 4,
  numHidden: 2,
  weights: Float64Array.of(2, -1, 0.5, 1, -1, 2, 1, -0.5),
  visibleBias: Float64Array.of(-0.5, 0, 0.3, 0),
  hiddenBias: Float64Array.of(0.2, -0.4),
};
const reference = { kind: 'independent', logOdds: [1, -1, 0.5, 0] };

let engine;
before(async () => {
  engine = await createEngine();
});
after(() => engine?.close());

/** E[v] by enumeration. */
function means({ weights, visibleBias, hiddenBias }) {
  let total = 0;
  const sums = new Float64Array(4);
  for (let state = 0; state < 64; state++) {
    const on = Array.from({ length: 6 }, (_, unit) => (state >> unit) & 1);
    let minusEnergy = 0;
    for (let i = 0; i < 4; i++) {
      minusEnergy += on[i] * visibleBias[i];
      for (let j = 0; j < 2; j++) minusEnergy += on[i] * on[4 + j] * weights[4 * j + i];
    }
    for (let j = 0; j < 2; j++) minusEnergy += on[4 + j] * hiddenBias[j];
    const weight = Math.exp(minusEnergy);
    total += weight;
    for (let i = 0; i < 4; i++) sums[i] += on[i] * weight;
  }
  return sums.map((sum) => sum / total);
}

const close = (found, expected, tolerance) =>
  found.forEach((value, n) => {
    assert.ok(Math.abs(value - expected[n]) < tolerance, `${value} is not ${expected[n]}`);
  });

test('geometric averages are straight lines from independent pixels to the machine', () => {
  const way = wayOf(rbm, reference, { kind: 'geometric' });
  close(
    means(machineAt(way, 0)),
    reference.logOdds.map((odds) => 1 / (1 + Math.exp(-odds))),
    1e-12,
  );
  close(machineAt(way, 1).weights, rbm.weights, 1e-15);
  close(
    machineAt(way, 0.25).weights,
    rbm.weights.map((weight) => 0.25 * weight),
    1e-15,
  );
  close(machineAt(way, 0.5).visibleBias, [0.25, -0.5, 0.4, 0], 1e-15);
});

test('the machines at the knots of a spline have averages of the moments at both ends', async () => {
  const { path } = await engine.spline({
    model: rbm,
    reference,
    momentAverages: { matching: { kind: 'exact', tolerance: 1e-6 } },
    seed: 1,
  });
  const way = wayOf(rbm, reference, path);
  const [first, last] = [means(machineAt(way, 0)), means(machineAt(way, 1))];
  assert.equal(way.betas.length, 11);
  for (const beta of path.betas) {
    const average = first.map((mean, n) => (1 - beta) * mean + beta * last[n]);
    close(means(machineAt(way, beta)), average, 1e-5);
  }
});
