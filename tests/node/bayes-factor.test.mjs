/**
 * Bayes factors: two typed regressions whose evidences are closed forms, and the classes of Kass and
 * Raftery.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { bayesFactor, createEngine } from './package.mjs';

const engine = await createEngine();
after(() => engine.close());

const x = [-2, -1.2, -0.4, 0.1, 0.9, 1.3, 1.8, 2.5];
const y = [0.2, 0.9, 0.4, 1.3, 0.8, 1.9, 1.1, 1.9];
const sum = (values) => values.reduce((total, value) => total + value, 0);

const normal = (sd) => ({ kind: 'normal', mean: 0, sd });
const flat = {
  kind: 'posterior',
  prior: [{ name: 'a', distribution: normal(2) }],
  logLikelihood: '-(y - a)^2/(2*0.5^2) - ln(0.5) - ln(2*pi)/2',
  data: { x, y },
};
const sloped = {
  kind: 'posterior',
  prior: [...flat.prior, { name: 'b', distribution: normal(1) }],
  logLikelihood: '-(y - a - b*x)^2/(2*0.5^2) - ln(0.5) - ln(2*pi)/2',
  data: { x, y },
};

/** ln of the ratio of evidences: both share all that does not depend on the precisions. */
function exact() {
  const noise = 0.25;
  const [p, q, r] = [
    1 / 4 + x.length / noise,
    sum(x) / noise,
    1 + sum(x.map((x) => x * x)) / noise,
  ];
  const [f, g] = [sum(y) / noise, sum(x.map((x, n) => x * y[n])) / noise];
  const det = p * r - q * q;
  const explained = (r * f * f - 2 * q * f * g + p * g * g) / det;
  return 0.5 * (explained - (f * f) / p) - 0.5 * Math.log(det / p);
}

test('the Bayes factor of two regressions is the exact one', async () => {
  const annealed = (model) =>
    engine.logZ({ model, numChains: 100, numDistributions: 300, seed: 1 });
  const nested = (energy) =>
    engine.evidence({
      model: { kind: 'density', energy },
      estimator: { kind: 'nestedSampling', numParticles: 100 },
      numTrials: 6,
      seed: 1,
    });
  for (const run of [annealed, nested]) {
    const [first, second] = [await run(sloped), await run(flat)];
    const factor = bayesFactor(first, second);
    assert.ok(factor.standardError > 0 && factor.standardError < 0.2);
    assert.ok(Math.abs(factor.logBayesFactor - exact()) < 6 * factor.standardError);
    assert.ok(factor.interval.lower < factor.logBayesFactor);
    assert.ok(factor.interval.upper > factor.logBayesFactor);
    const swapped = bayesFactor(second, first);
    assert.equal(swapped.logBayesFactor, -factor.logBayesFactor);
    assert.equal(swapped.interval.lower, -factor.interval.upper);
    assert.equal(swapped.strength, factor.strength);
  }
});

test('parameters are those that states stand for', async () => {
  const states = [0.5, -1, 1, 2];
  const { parameters } = await engine.energies({ model: sloped, states, parameters: true });
  assert.deepEqual(parameters, new Float64Array([1, -1, 2, 2]));
});

const estimate = (logZ, half, standardError = half / 2) => ({
  logZ,
  standardError,
  interval: { lower: logZ - half, upper: logZ + half },
});

test('errors and intervals add in squares', () => {
  const factor = bayesFactor(
    { ...estimate(5, 0.6), interval: { lower: 4.7, upper: 5.5 } },
    { ...estimate(2, 0.8), interval: { lower: 1, upper: 2.4 } },
  );
  assert.equal(factor.logBayesFactor, 3);
  assert.equal(factor.standardError, 0.5);
  assert.ok(Math.abs(factor.interval.lower - (3 - Math.hypot(0.3, 0.4))) < 1e-12);
  assert.ok(Math.abs(factor.interval.upper - (3 + Math.hypot(0.5, 1))) < 1e-12);
});

test('strength is said in the words of Kass and Raftery, or left undecided', () => {
  const strength = (logZ, half) => bayesFactor(estimate(logZ, half), estimate(0, 0)).strength;
  const nats = (log10) => log10 * Math.LN10;
  for (const sign of [1, -1]) {
    assert.equal(strength(sign * nats(0.3), 0.1), 'bare mention');
    assert.equal(strength(sign * nats(0.75), 0.1), 'substantial');
    assert.equal(strength(sign * nats(1.5), 0.1), 'strong');
    assert.equal(strength(sign * nats(2.5), 0.1), 'decisive');
    assert.equal(strength(sign * nats(30), 60), 'decisive');
    for (const edge of [0, 0.5, 1, 2]) assert.equal(strength(sign * nats(edge), 0.1), 'undecided');
  }
  assert.equal(strength(3, Number.NaN), 'undecided');
  assert.equal(strength(nats(30), nats(31)), 'undecided');
});

test('what is no result is refused', () => {
  const refused = (first, second, field) =>
    assert.throws(() => bayesFactor(first, second), { code: 'invalid-data', field });
  refused(1, estimate(0, 1), 'first');
  refused(estimate(0, 1), { logZ: 1 }, 'second.standardError');
  refused(estimate(Number.NaN, 1), estimate(0, 1), 'first.logZ');
  refused({ logZ: 1, standardError: 0 }, estimate(0, 1), 'first.interval');
  const of = (...states) => ({
    ...estimate(0, 1),
    simulated: { states: new Float64Array(states) },
  });
  refused(of(1, 2), of(1, 3), 'second.simulated');
  refused(of(1, 2), of(1), 'second.simulated');
  assert.equal(bayesFactor(of(1, 2), of(1, 2)).strength, 'undecided');
  assert.equal(bayesFactor(of(1, 2), estimate(0, 1)).strength, 'undecided');
});
