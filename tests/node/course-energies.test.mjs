/** The figures of the chapter *Energies and Z*, and what it says of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wellsOf, XS } from '../../www/course/figures/shifted-energy/wells.js';
import { partyOf } from '../../www/course/figures/three-friends/party.js';
import { LANDMARKS, logSeconds, passed } from '../../www/course/figures/too-many-states/years.js';

const near = (a, b, tolerance = 1e-12) => assert.ok(Math.abs(a - b) < tolerance, `${a} and ${b}`);
const by = (party) => Object.fromEntries(party.states.map((state) => [state.name, state]));

test('with both sliders at 0, Z is 8 and all evenings are alike', () => {
  const { z, states } = partyOf(0, 0);
  assert.equal(z, 8);
  assert.ok(states.every(({ probability }) => probability === 1 / 8));
});

test('company alone makes evenings with one guest less likely, not lighter', () => {
  const [before, after] = [by(partyOf(0, 0)), by(partyOf(0, 1))];
  assert.equal(after.Ann.weight, before.Ann.weight);
  assert.ok(after.Ann.probability < before.Ann.probability);
});

test('eagerness −2 with company 2 makes nobody and all three the likeliest, alike', () => {
  const states = by(partyOf(-2, 2));
  assert.equal(states['all three'].energy, 0);
  assert.equal(states.nobody.energy, 0);
  assert.equal(states['Ann, Ben'].energy, 2);
  assert.equal(states.Ann.energy, 2);
  near(partyOf(-2, 2).z, 2 + 6 * Math.exp(-2));
});

test('a constant moves log Z by as much, and no density', () => {
  const [before, after] = [wellsOf(0, 1), wellsOf(3, 1)];
  near(before.logZ - after.logZ, 3);
  before.density.forEach((p, n) => {
    near(p, after.density[n]);
  });
});

test('the density is normalized; cold, nearly all is in the deeper well, and hot, the wells matter little', () => {
  const area = ({ density }) => density.reduce((sum, p) => sum + p, 0) * (XS[1] - XS[0]);
  for (const temperature of [0.2, 1, 5]) near(area(wellsOf(1, temperature)), 1);
  assert.ok(wellsOf(0, 0.2).left > 0.99);
  assert.ok(wellsOf(0, 5).left < 0.6);
});

test('ten bits more take about a thousand times longer, and 90 longer than the universe has lasted', () => {
  near(10 ** (logSeconds(40) - logSeconds(30)), 1024, 1e-6);
  assert.equal(passed(29), undefined);
  assert.equal(passed(30), LANDMARKS[0]);
  assert.equal(passed(90), LANDMARKS[3]);
});
