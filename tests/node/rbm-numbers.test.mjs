/**
 * What the lab Digits: RBM computes of a model by itself, against definitions and against the engine.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from './package.mjs';
import { siteModule } from './site-module.mjs';

const { crossEntropy, enumeratedLogZ, exchanged, RbmReader, softplus } =
  await siteModule('lib/rbm.ts');

/** A fixed model with weights of size about 1; no randomness is needed. */
function modelOf(numVisible, numHidden) {
  const wave = (n) => Math.sin(1 + 7 * n * n + n);
  return {
    weights: Float64Array.from({ length: numVisible * numHidden }, (_, n) => 1.3 * wave(n)),
    visibleBias: Float64Array.from({ length: numVisible }, (_, n) => wave(n + 1000)),
    hiddenBias: Float64Array.from({ length: numHidden }, (_, n) => wave(n + 2000) - 0.5),
  };
}

const allRows = (dim) =>
  Array.from({ length: 2 ** dim }, (_, state) =>
    Uint8Array.from({ length: dim }, (_, i) => (state >> i) & 1),
  );

/** E(v, h) by its definition. */
function jointEnergy({ weights, visibleBias, hiddenBias }, v, h) {
  let energy = 0;
  v.forEach((on, i) => {
    energy -= on * visibleBias[i];
  });
  h.forEach((on, j) => {
    energy -= on * hiddenBias[j];
    v.forEach((visible, i) => {
      energy -= on * visible * weights[j * v.length + i];
    });
  });
  return energy;
}

const close = (found, expected, what) =>
  assert.ok(
    Math.abs(found - expected) < 1e-10 * Math.max(1, Math.abs(expected)),
    `${what}: ${found}, not ${expected}`,
  );

test('energies, pseudolikelihoods and reconstructions follow from the joint energy', () => {
  const [numVisible, numHidden] = [6, 4];
  const model = modelOf(numVisible, numHidden);
  const reader = new RbmReader(model);
  const hiddenStates = allRows(numHidden);
  const weightOf = (v) =>
    hiddenStates.reduce((sum, h) => sum + Math.exp(-jointEnergy(model, v, h)), 0);
  for (const v of allRows(numVisible)) {
    close(reader.energy(v), -Math.log(weightOf(v)), 'energy');
    let pseudo = 0;
    for (let i = 0; i < numVisible; i++) {
      const flipped = v.with(i, 1 - v[i]);
      pseudo -= Math.log(weightOf(v) / (weightOf(v) + weightOf(flipped)));
    }
    close(reader.negLogPseudolikelihood(v), pseudo, 'pseudolikelihood');

    const sigmoid = (x) => 1 / (1 + Math.exp(-x));
    const on = Array.from(model.hiddenBias, (bias, j) =>
      sigmoid(v.reduce((sum, x, i) => sum + x * model.weights[j * numVisible + i], bias)),
    );
    const means = Array.from(model.visibleBias, (bias, i) =>
      sigmoid(on.reduce((sum, q, j) => sum + q * model.weights[j * numVisible + i], bias)),
    );
    reader.reconstruction(v).forEach((mean, i) => {
      close(mean, means[i], 'reconstruction');
    });
    const entropy = -means.reduce((sum, p, i) => sum + Math.log(v[i] ? p : 1 - p), 0);
    close(crossEntropy(v, means), entropy, 'cross-entropy');
  }
});

test('pseudolikelihoods neither overflow nor underflow at large weights', () => {
  const model = modelOf(8, 40);
  model.weights = model.weights.map((weight) => 30 * weight);
  const reader = new RbmReader(model);
  for (const v of allRows(8)) {
    const expected = Array.from(v, (x, i) =>
      softplus(reader.energy(v) - reader.energy(v.with(i, 1 - x))),
    ).reduce((sum, term) => sum + term, 0);
    const found = reader.negLogPseudolikelihood(v);
    assert.ok(
      Math.abs(found - expected) < 1e-8 * Math.max(1, expected),
      `${found}, not ${expected}`,
    );
  }
});

test('log Z by enumeration is that of the definition, of the engine, and of the sides exchanged', async () => {
  const model = modelOf(9, 12);
  const reader = new RbmReader(model);
  const logZ = await enumeratedLogZ(model, async () => {});
  const byRows = Math.log(allRows(9).reduce((sum, v) => sum + Math.exp(-reader.energy(v)), 0));
  close(logZ, byRows, 'log Z');
  const engine = await createEngine({ numWorkers: 1 });
  try {
    const spec = { kind: 'rbm', numVisible: 9, numHidden: 12, ...model };
    close((await engine.exact({ model: spec })).logZ, logZ, 'log Z of the engine');
    const sides = await engine.exact({ model: exchanged(model) });
    close(sides.logZ, logZ, 'log Z of the sides exchanged');
  } finally {
    await engine.close();
  }
});

test('more hidden units than can be enumerated are refused', async () => {
  await assert.rejects(
    enumeratedLogZ(modelOf(2, 17), async () => {}),
    RangeError,
  );
});
