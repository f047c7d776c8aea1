/** The figures of the chapter *Annealing and bounds* against closed forms and the engine, and what the chapter says of them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { crossingOf, DISTANCE, NUM_PARTICLES } from '../../www/course/figures/bridge/crossing.js';
import { betasOf, pathOf } from '../../www/course/figures/paths-between/paths.js';
import {
  binned,
  EDGE,
  EDGES,
  EXCESS,
  NUM_RUNS,
  runsOf,
} from '../../www/course/figures/two-sides/runs.js';
import { wayCost } from '../../www/lib/half-plane.js';
import {
  anneal,
  LOG_Z,
  logRatio,
  logWeightVariance,
  relativeWeights,
} from '../../www/lib/line-annealing.js';
import { logMeanExp } from '../../www/lib/log-mean-exp.js';
import { createEngine } from './package.mjs';

let engine;
before(async () => {
  engine = await createEngine();
});
after(() => engine?.close());

function near(found, expected, within = 1e-9) {
  assert.ok(Math.abs(found - expected) <= within, `${found} is not ${expected}`);
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const varianceOf = (values) => mean(values.map((value) => value ** 2)) - mean(values) ** 2;

test('with one step it is importance sampling: the logarithms of both densities at the start', () => {
  const { places, logWeights } = anneal({ distance: 3, numStops: 1, numParticles: 5, seed: 4 });
  places[0].forEach((x, n) => {
    const logStart = -0.5 * x * x - 0.5 * Math.log(2 * Math.PI);
    near(logWeights[1][n], -0.5 * (x - 3) ** 2 - logStart, 1e-12);
    near(logRatio(x, 3), logWeights[1][n], 1e-12);
  });
});

test('log weights have the variance of the formula, and fall short of log Z by half of it, whatever the moves remember', () => {
  for (const memory of [0, 0.6, 0.95, 1]) {
    const settings = { distance: 2, numStops: 12, memory };
    const { places, logWeights } = anneal({ ...settings, numParticles: 20_000, seed: 2 });
    const variance = logWeightVariance(settings);
    const last = Array.from(logWeights[12]);
    // Five standard errors of 20,000 draws, of a sum of twelve uniform numbers, which is nearly normal.
    near(mean(last), LOG_Z - variance / 2, 5 * Math.sqrt(variance / 20_000));
    near(varianceOf(last) / variance, 1, 0.06);
    near(logMeanExp(logWeights[12]), LOG_Z, 5 * Math.sqrt(Math.expm1(variance) / 20_000));
    near(varianceOf(Array.from(places[12])), 1, 0.06);
  }
  near(logWeightVariance({ distance: 5, numStops: 10 }), 2.5);
  near(logWeightVariance({ distance: 5, numStops: 10, memory: 1 }), 25);
});

test('the engine finds the same with moves that draw afresh: the truth, and by how much log weights fall short', async () => {
  const { forward, exactLogZ } = await engine.logZ({
    model: { kind: 'gaussian', dim: 1, mean: [2] },
    transition: { kind: 'perfect' },
    schedule: { kind: 'linear' },
    numChains: 20_000,
    numDistributions: 8,
    seed: 1,
  });
  near(exactLogZ, LOG_Z, 1e-12);
  const variance = logWeightVariance({ distance: 2, numStops: 8 });
  near(forward.meanLogWeight, LOG_Z - variance / 2, 5 * Math.sqrt(variance / 20_000));
});

test('the bridge: one particle outweighs all others in one step, and many count in sixty', () => {
  const one = crossingOf(1);
  assert.ok(one.heaviest > 0.5, `${one.heaviest}`);
  const heaviest = one.weights[1].indexOf(Math.max(...one.weights[1]));
  assert.equal(
    one.places[0][heaviest],
    Math.max(...one.places[0]),
    'the one farthest to the right',
  );
  assert.ok(one.off < -5);
  const sixty = crossingOf(60);
  near(sixty.off, 0, 0.3);
  assert.ok(sixty.ess > NUM_PARTICLES / 4 && sixty.ess < NUM_PARTICLES);
  assert.equal(sixty.stops.at(-1).mean, DISTANCE);
  near(mean(Array.from(sixty.places[60])), DISTANCE, 5 / Math.sqrt(NUM_PARTICLES));
});

test('relative weights have the mean 1, and equal ones count in full', () => {
  const { weights, ess } = relativeWeights([0, Math.log(3)]);
  assert.deepEqual(
    Array.from(weights, (weight) => Number(weight.toFixed(12))),
    [0.5, 1.5],
  );
  near(ess, 2 / 1.25);
  near(relativeWeights([-900, -900, -900]).ess, 3);
});

test('forward runs are too low in the mean and reverse runs too high, and Markov’s inequality holds', () => {
  for (const numStops of [1, 6, 60]) {
    for (const numParticles of [1, 10, 100]) {
      for (const memory of [0, 0.9, 1]) {
        const runs = runsOf({ numStops, numParticles, memory });
        assert.ok(runs.meanForward < 0.01 && runs.meanReverse > -0.01);
        // Four standard errors of the share above what Markov's inequality allows.
        const allowed = Math.exp(-EXCESS) * NUM_RUNS;
        assert.ok(runs.numHigh <= allowed + 4 * Math.sqrt(allowed));
      }
    }
  }
  const { forward, numLow, numHigh } = runsOf({ numStops: 6, numParticles: 1, memory: 0 });
  assert.equal(numLow, forward.filter((value) => value < -EXCESS).length);
  assert.ok(numLow > 90 && numHigh < 10, 'too low is easy, too high is not');
});

test('with one particle a run an estimate is its log weight: normal, on both sides of the truth', () => {
  const { forward, reverse, variance } = runsOf({ numStops: 5, numParticles: 1, memory: 0 });
  near(variance, 5);
  const error = 5 * Math.sqrt(variance / NUM_RUNS);
  near(mean(Array.from(forward)), -2.5, error);
  near(mean(Array.from(reverse)), 2.5, error);
});

test('estimates come near the truth with more steps, and hardly move however many if nothing moves', () => {
  const gap = (settings) => {
    const { meanForward, meanReverse } = runsOf({ numParticles: 10, memory: 0, ...settings });
    return meanReverse - meanForward;
  };
  assert.ok(gap({ numStops: 60 }) < 0.1);
  assert.ok(gap({ numStops: 6 }) > 0.5);
  near(gap({ numStops: 60, memory: 1 }), gap({ numStops: 1, memory: 1 }), 1e-9);
});

test('every run is in a bin', () => {
  const counts = binned(Float64Array.of(-100, -EDGE, 0.01, EDGE - 1e-9, EDGE, 40));
  assert.equal(counts.length, EDGES.length);
  assert.equal(counts[0], 2);
  assert.equal(counts.at(-2), 3);
  assert.equal(counts.at(-1), 0);
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    6,
  );
});

test('with even steps both paths cost d²/2K, and with equal lengths half the square of theirs over K', () => {
  for (const distance of [6, 12]) {
    for (const path of ['geometric', 'momentAverages']) {
      near(pathOf(path, 'even', distance, 40).shortfall, distance ** 2 / 80, 1e-9);
      const many = pathOf(path, 'equalLengths', distance, 2000);
      near((2000 * many.shortfall) / wayCost(path, distance), 1, 0.01);
    }
    assert.ok(wayCost('momentAverages', distance) < 0.6 * wayCost('geometric', distance));
  }
});

test('schedules go from 0 to 1, and averages of moments widen in the middle', () => {
  for (const schedule of ['even', 'equalLengths']) {
    const betas = betasOf('momentAverages', schedule, 10, 20);
    assert.equal(betas[0], 0);
    assert.equal(betas[20], 1);
    betas.slice(1).forEach((beta, n) => {
      assert.ok(beta > betas[n]);
    });
  }
  const { stops } = pathOf('momentAverages', 'even', 10, 2);
  near(stops[1].mean, 5);
  near(stops[1].sd, Math.sqrt(1 + 0.25 * 100));
  assert.equal(pathOf('geometric', 'even', 10, 2).stops[1].sd, 1);
});
