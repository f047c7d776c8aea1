import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fourier, liveDiagnostics } from '../../www/lib/live-diagnostics.js';

/** Standard normal numbers, always the same. */
function normals(seed) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Chains of x′ = φx + √(1 − φ²) ε, `[numDraws, numChains, 2]`; the second entry is 5 plus the first times 10. */
function autoregressive({ phi, numDraws, numChains, shift = () => 0 }) {
  const normal = normals(7);
  const states = Array.from({ length: numChains }, normal);
  const values = new Float64Array(2 * numDraws * numChains);
  for (let draw = 0; draw < numDraws; draw++) {
    for (let chain = 0; chain < numChains; chain++) {
      states[chain] = phi * states[chain] + Math.sqrt(1 - phi * phi) * normal();
      const place = 2 * (draw * numChains + chain);
      values[place] = states[chain] + shift(chain, draw);
      values[place + 1] = 5 + 10 * values[place];
    }
  }
  return values;
}

test('the transform is the discrete Fourier transform', () => {
  const given = Float64Array.of(1, -2, 0.5, 3, 0, 4, -1, 2);
  const re = given.slice();
  const im = new Float64Array(8);
  fourier(re, im);
  for (let k = 0; k < 8; k++) {
    let [cos, sin] = [0, 0];
    given.forEach((value, n) => {
      cos += value * Math.cos((-2 * Math.PI * k * n) / 8);
      sin += value * Math.sin((-2 * Math.PI * k * n) / 8);
    });
    assert.ok(Math.abs(re[k] - cos) < 1e-12 && Math.abs(im[k] - sin) < 1e-12, `${k}`);
  }
});

for (const numChains of [1, 8, 40]) {
  test(`effective sample size of autoregressive chains: ${numChains} of them`, () => {
    for (const phi of [0, 0.5, 0.9]) {
      const numDraws = Math.max(1000, 16_000 / numChains);
      const values = autoregressive({ phi, numDraws, numChains });
      const exact = (numDraws * numChains * (1 - phi)) / (1 + phi);
      for (const entry of [0, 1]) {
        const layout = { numDraws, numChains, dim: 2, entry };
        const { ess, rhat, mean, variance } = liveDiagnostics(values, layout);
        assert.ok(Math.abs(ess / exact - 1) < 0.25, `φ = ${phi}: ${ess} is not ${exact}`);
        assert.ok(Math.abs(rhat - 1) < 0.05, `φ = ${phi}: ${rhat}`);
        const [expected, size] = entry === 0 ? [0, 1] : [5, 10];
        assert.ok(Math.abs(mean - expected) < (5 * size) / Math.sqrt(exact), `φ = ${phi}: ${mean}`);
        assert.ok(Math.abs(variance / size ** 2 - 1) < 8 / Math.sqrt(exact), `φ = ${phi}`);
      }
    }
  });
}

test('R-hat is large where chains disagree, and where each of them drifts', () => {
  const layout = { numDraws: 200, numChains: 6, dim: 2, entry: 0 };
  const apart = autoregressive({ phi: 0, ...layout, shift: (chain) => (chain % 2 === 0 ? 3 : -3) });
  const drifting = autoregressive({ phi: 0, ...layout, shift: (_, draw) => draw / 30 });
  assert.ok(liveDiagnostics(apart, layout).rhat > 2.5);
  assert.ok(liveDiagnostics(drifting, layout).rhat > 1.5);
  assert.ok(liveDiagnostics(apart, layout).ess < 30);
});

test('a part of the draws can be looked at', () => {
  const all = autoregressive({ phi: 0.3, numDraws: 300, numChains: 3 });
  const layout = { numDraws: 100, numChains: 3, dim: 2, entry: 1 };
  assert.deepEqual(
    liveDiagnostics(all, { ...layout, firstDraw: 200 }),
    liveDiagnostics(all.slice(2 * 200 * 3), layout),
  );
});

test('of too few draws nothing is said', () => {
  const { rhat, ess } = liveDiagnostics(new Float64Array(28), {
    numDraws: 7,
    numChains: 2,
    dim: 2,
    entry: 0,
  });
  assert.ok(Number.isNaN(rhat) && Number.isNaN(ess));
});
