/**
 * The exact curves of the square lattice against expansions, numeric integration, and enumeration of a small torus.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CRITICAL_TEMPERATURE,
  energyPerSite,
  magnetization,
  torusEnergyPerSite,
} from '../../www/lib/onsager.js';

function near(found, expected, tolerance) {
  assert.ok(Math.abs(found - expected) <= tolerance, `${found} is not ${expected} ± ${tolerance}`);
}

/**
 * Onsager's free energy as a double integral,
 * ln Z/D = ln 2 + 1/(8π²) ∫∫ ln[cosh² 2K − sinh 2K (cos a + cos b)] da db over [0, 2π]². Differentiated under the
 * integral, by the midpoint rule, which converges exponentially for periodic integrands away from the transition.
 */
function energyByIntegration(temperature) {
  const [s, c] = [Math.sinh(2 / temperature), Math.cosh(2 / temperature)];
  const numPoints = 400;
  const cosines = Array.from({ length: numPoints }, (_, n) =>
    Math.cos((2 * Math.PI * (n + 0.5)) / numPoints),
  );
  let sum = 0;
  for (const a of cosines) {
    for (const b of cosines) sum += (4 * c * s - 2 * c * (a + b)) / (c * c - s * (a + b));
  }
  return -0.5 * (sum / numPoints ** 2);
}

/** The mean energy per site of a 4×4 torus over its 2¹⁶ states. */
function energyByEnumeration(temperature) {
  const site = (row, col) => 4 * (row % 4) + (col % 4);
  let [total, weights] = [0, 0];
  for (let state = 0; state < 1 << 16; state++) {
    const spin = (n) => 2 * ((state >> n) & 1) - 1;
    let energy = 0;
    for (let row = 0; row < 4; row++) {
      for (let col = 0; col < 4; col++) {
        energy -= spin(site(row, col)) * (spin(site(row + 1, col)) + spin(site(row, col + 1)));
      }
    }
    const weight = Math.exp(-(energy + 32) / temperature);
    total += weight * energy;
    weights += weight;
  }
  return total / weights / 16;
}

test('the energy at the transition is −√2, and continuous there', () => {
  near(CRITICAL_TEMPERATURE, 2.269185314213022, 1e-14);
  near(energyPerSite(CRITICAL_TEMPERATURE), -Math.SQRT2, 1e-12);
  near(energyPerSite(CRITICAL_TEMPERATURE * (1 + 1e-9)), -Math.SQRT2, 1e-7);
  near(energyPerSite(CRITICAL_TEMPERATURE * (1 - 1e-9)), -Math.SQRT2, 1e-7);
});

test('the energy is that of the double integral', () => {
  for (const temperature of [1, 1.5, 2, 2.2, 2.35, 2.5, 3, 4]) {
    near(energyPerSite(temperature), energyByIntegration(temperature), 1e-9);
  }
});

test('the energy has the expansions of high and low temperature', () => {
  // ln Z/D = ln(2 cosh² K) + v⁴ + 2v⁶ + …, v = tanh K: closed loops of 4 and 6 bonds.
  const v = Math.tanh(1 / 20);
  near(energyPerSite(20), -2 * v - (1 - v * v) * (4 * v ** 3 + 12 * v ** 5), 1e-7);
  // ln Z/D = 2K + x⁴ + 2x⁶ + …, x = e^{−2K}: one spin turned, and two beside one another.
  const x = Math.exp(-2 / 0.5);
  near(energyPerSite(0.5), -2 + 8 * x ** 4 + 24 * x ** 6, 1e-11);
  assert.equal(energyPerSite(1e-3), -2);
});

test('the magnetization has its expansion, its end and its exponent 1/8', () => {
  // 1 − 2x⁴ − 8x⁶ − …, by one and two turned spins.
  const x = Math.exp(-2 / 0.5);
  near(magnetization(0.5), 1 - 2 * x ** 4 - 8 * x ** 6, 1e-11);
  assert.equal(magnetization(CRITICAL_TEMPERATURE), 0);
  assert.equal(magnetization(3), 0);
  const below = (share) => magnetization(CRITICAL_TEMPERATURE * (1 - share));
  near(Math.log(below(1e-6) / below(1e-8)) / Math.log(100), 1 / 8, 1e-6);
});

test('the torus is that of enumeration, and goes to the infinite lattice', () => {
  for (const temperature of [0.5, 1, 2, CRITICAL_TEMPERATURE, 2.5, 4, 10]) {
    near(torusEnergyPerSite(4, temperature), energyByEnumeration(temperature), 1e-11);
  }
  for (const temperature of [1, 2, 2.6, 4]) {
    near(torusEnergyPerSite(512, temperature), energyPerSite(temperature), 1e-11);
  }
  // At the transition the energy of a torus is lower, by about 0.62/side.
  const excess = (side) =>
    side * (energyPerSite(CRITICAL_TEMPERATURE) - torusEnergyPerSite(side, CRITICAL_TEMPERATURE));
  near(excess(256), excess(512), 1e-3);
  assert.ok(excess(512) > 0.5);
});
