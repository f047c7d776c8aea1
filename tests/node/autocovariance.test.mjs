/** The autocovariance of draws: of series that are known, by its definition, and of exact draws of the ring. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autocovariance, createEngine, UnnormError } from './package.mjs';
import { uniforms } from './uniforms.mjs';

/** Chains of an autoregressive series x(t) = φ x(t − 1) + noise, of variance 1/12 / (1 − φ²), from where it settled. */
function series({ phi, numChains, numDraws, dim, centre = 0 }) {
  const uniform = uniforms(11);
  const noise = () => uniform.next().value - 0.5;
  const values = new Float64Array(numDraws * numChains * dim);
  for (let place = 0; place < numChains * dim; place++) {
    let x = 0;
    for (let t = -200; t < numDraws; t++) {
      x = phi * x + noise();
      if (t >= 0) values[t * numChains * dim + place] = centre + x;
    }
  }
  return { values, numDraws, numChains, dim };
}

// 40 chains, so that by Student's t with 39 degrees of freedom 6 standard errors are exceeded less than once in a million.
test('an autoregressive series has C(k) = φᵏ C(0), within its errors', () => {
  for (const phi of [0.8, -0.5]) {
    const draws = series({ phi, numChains: 40, numDraws: 4_000, dim: 2 });
    const { mean, error } = autocovariance(draws, 20, { mean: 0 });
    assert.equal(mean.length, 21);
    for (const [lag, value] of mean.entries()) {
      const expected = phi ** lag / 12 / (1 - phi * phi);
      const apart = Math.abs(value - expected) / error[lag];
      assert.ok(apart < 6, `φ ${phi}, lag ${lag}: ${value} is ${apart} errors from ${expected}`);
    }
    assert.ok(error[0] < 0.02 * mean[0]);
  }
});

test('it is what its definition says, for each chain and about any mean', () => {
  const draws = series({ phi: 0.3, numChains: 3, numDraws: 17, dim: 2, centre: 5 });
  const at = (t, chain, entry) => draws.values[(t * 3 + chain) * 2 + entry];
  const all = (entry) =>
    [0, 1, 2].flatMap((chain) => [...Array(17).keys()].map((t) => at(t, chain, entry)));
  const own = [0, 1].map((entry) => all(entry).reduce((sum, x) => sum + x, 0) / 51);
  for (const [given, means] of [
    [undefined, own],
    [4, [4, 4]],
    [Float64Array.of(5, 6), [5, 6]],
  ]) {
    const { chains, mean, error } = autocovariance(
      draws,
      16,
      given === undefined ? {} : { mean: given },
    );
    for (let lag = 0; lag <= 16; lag++) {
      const each = [0, 1, 2].map((chain) => {
        let sum = 0;
        for (const entry of [0, 1]) {
          for (let t = lag; t < 17; t++) {
            sum +=
              (at(t, chain, entry) - means[entry]) * (at(t - lag, chain, entry) - means[entry]);
          }
        }
        return sum / (2 * (17 - lag));
      });
      const middle = (each[0] + each[1] + each[2]) / 3;
      const spread = Math.sqrt(each.reduce((sum, one) => sum + (one - middle) ** 2, 0) / 2 / 3);
      for (const [chain, one] of each.entries()) {
        assert.ok(Math.abs(chains[chain * 17 + lag] - one) < 1e-12);
      }
      assert.ok(Math.abs(mean[lag] - middle) < 1e-12 && Math.abs(error[lag] - spread) < 1e-12);
    }
  }
});

test('one chain has no error', () => {
  const { mean, error } = autocovariance(series({ phi: 0, numChains: 1, numDraws: 9, dim: 1 }), 3);
  assert.ok(mean.every(Number.isFinite) && error.every(Number.isNaN));
});

// E|x|² is e^(3/100) on the ring E = 100 ln²|x| of two dimensions. 64 chains: 7 standard errors, less than once in a million.
test('the ring begins at ½ e^(3/100)', async () => {
  const engine = await createEngine({ numWorkers: 1 });
  try {
    const { draws } = await engine.sample({
      model: { kind: 'ring' },
      transition: {
        kind: 'hmc',
        stepSize: 0.1,
        numLeapfrogSteps: 1,
        momentumRefresh: 1 - 2 ** -0.1,
      },
      start: { kind: 'exact' },
      numChains: 64,
      numWarmup: 0,
      numDraws: 500,
      seed: 5,
    });
    const { mean, error } = autocovariance(draws, 100, { mean: 0 });
    assert.ok(Math.abs(mean[0] - Math.exp(0.03) / 2) < 7 * error[0]);
    assert.ok(error[0] < 0.01 && mean[100] < 0.5 * mean[0]);
  } finally {
    await engine.close();
  }
});

test('what does not fit is refused, by name', () => {
  const draws = series({ phi: 0, numChains: 2, numDraws: 5, dim: 2 });
  const refusal = (...args) => {
    try {
      autocovariance(...args);
    } catch (error) {
      assert.ok(error instanceof UnnormError && error.code === 'invalid-data');
      return error.message;
    }
    assert.fail('was taken');
  };
  for (const [args, field] of [
    [[null, 1], 'draws'],
    [[{ dim: 2, numRows: 1, bits: Uint8Array.of(1) }, 0], 'draws'],
    [[{ ...draws, dim: 0 }, 1], 'draws.dim'],
    [[{ ...draws, numChains: 3 }, 1], 'draws.values'],
    [[draws, 5], 'maxLag'],
    [[draws, -1], 'maxLag'],
    [[draws, 1.5], 'maxLag'],
    [[draws, 1, { mean: [0] }], 'mean'],
    [[draws, 1, { mean: Number.NaN }], 'mean'],
    [[draws, 1, { mean: '00' }], 'mean'],
  ]) {
    const message = refusal(...args);
    assert.ok(message.startsWith(`${field}: `), message);
  }
});
