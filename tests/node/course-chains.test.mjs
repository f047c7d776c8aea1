/** The figures of the chapter *Chains, balance and mixing*, and what it says of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Walk } from '../../www/course/figures/weights-to-chain/walk.js';
import { siteModules } from './site-module.mjs';

const { distanceOf, dumbbell, Evolution, LECTURE, matrixOf, mixingTime, worstDistance } =
  await siteModules('lib/evolution.ts', 'lib/small-chains.ts', 'lib/mixing-time.ts');

const near = (a, b, tolerance = 1e-12) => assert.ok(Math.abs(a - b) < tolerance, `${a} and ${b}`);
/** Metropolis's chain on a ring as a matrix: one of the two neighbours, with probability min(1, ratio of the weights). */
function metropolisRing(weights) {
  const size = weights.length;
  const isNeighbour = (i, j) => (i + 1) % size === j || (j + 1) % size === i;
  const move = (i, j) => (isNeighbour(i, j) ? 0.5 * Math.min(1, weights[j] / weights[i]) : 0);
  const leave = (i) => weights.reduce((sum, _, j) => sum + (j === i ? 0 : move(i, j)), 0);
  return matrixOf(size, (i, j) => (i === j ? 1 - leave(i) : move(i, j)));
}
const uniform = (size) => new Float64Array(size).fill(1 / size);

test('the chain of three states forgets where it began, and its mixing time is that of the engine', () => {
  const stationary = [27 / 122, 50 / 122, 45 / 122];
  const evolution = new Evolution(LECTURE);
  for (const start of [0, 1, 2]) {
    assert.ok(distanceOf(evolution.after(start, 20), stationary) < 0.01);
    near(distanceOf(evolution.after(start, 1000), stationary), 0);
  }
  assert.equal(mixingTime(evolution, stationary), 4);
});

test('the worst distance never rises, and the mixing time is the first with at most a quarter', () => {
  const evolution = new Evolution(dumbbell(0.02));
  const distances = Array.from({ length: 400 }, (_, t) => worstDistance(evolution, uniform(8), t));
  distances.slice(1).forEach((d, n) => {
    assert.ok(d <= distances[n] + 1e-12);
  });
  assert.equal(
    mixingTime(evolution, uniform(8)),
    distances.findIndex((d) => d <= 0.25),
  );
});

test('a bridge that is ten times narrower takes about ten times longer', () => {
  const timeOf = (bridge) => mixingTime(new Evolution(dumbbell(bridge)), uniform(8));
  near(timeOf(1e-4) / timeOf(1e-3), 10, 0.1);
});

test('long before it mixes, the half where it began is all alike', () => {
  const evolution = new Evolution(dumbbell(1e-4));
  const now = evolution.after(0, 300);
  for (const p of now.slice(0, 4)) near(p, 0.25, 0.01);
  assert.ok(mixingTime(evolution, uniform(8)) > 10_000);
});

test('the walk has the shares of its weights, and those of weights doubled are the same steps', () => {
  const weights = [8, 2, 1, 4, 2];
  const [walk, doubled] = [new Walk(weights), new Walk(weights.map((weight) => 2 * weight))];
  walk.go(200_000);
  doubled.go(200_000);
  assert.deepEqual(walk.visits, doubled.visits);
  assert.equal(walk.numAccepted, doubled.numAccepted);
  walk.visits.forEach((visits, n) => {
    near(visits / 200_000, weights[n] / 17, 0.01);
  });
  // The same chain as a matrix: its stationary distribution is in proportion to the weights.
  const after = new Evolution(metropolisRing(weights)).after(2, 4096);
  after.forEach((p, n) => {
    near(p, weights[n] / 17, 1e-9);
  });
});
