/** The figures of the chapter *Hamiltonian dynamics* against the engine and closed forms, and what the chapter says of them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { orbitOf, VALLEYS } from '../../www/course/figures/leapfrog-orbit/orbit.js';
import { areaOf, CENTRE, patchesOf, STEPS } from '../../www/course/figures/phase-volume/phase.js';
import {
  ACROSS,
  ALONG,
  CORRELATION,
  chainsOf,
  costOfGlide,
  costOfWalk,
  crossingsOf,
  LEAPFROG_STEP,
} from '../../www/course/figures/walk-and-glide/chains.js';
import { groundOf } from '../../www/lib/energy-ground.js';
import {
  acceptance,
  glides,
  randomWalk,
  ridge,
  ring,
  stateAfter,
  trajectory,
} from '../../www/lib/leapfrog.js';
import { createEngine } from './package.mjs';
import { siteModule } from './site-module.mjs';

let engine;
let targets;
before(async () => {
  engine = await createEngine();
  targets = (await siteModule('lib/plane-targets.ts')).PLANE_TARGETS;
});
after(() => engine?.close());

function near(found, expected, within = 1e-9) {
  assert.ok(Math.abs(found - expected) <= within, `${found} is not ${expected}`);
}

const POINTS = [
  [0.7, 1.3],
  [-1.4, 0.2],
  [0.3, -0.9],
];

test('energies and gradients are those of the engine, but for a constant', async () => {
  for (const [id, { model, shape }] of Object.entries(VALLEYS)) {
    const spec = targets[id].model(shape);
    const found = await engine.energies({
      model: spec,
      states: Float64Array.from(POINTS.flat()),
      gradients: true,
    });
    const constant = model.energy(POINTS[0]) - found.energies[0];
    POINTS.forEach((point, n) => {
      near(model.energy(point) - found.energies[n], constant, 1e-9);
      const gradient = model.gradient(point);
      near(gradient[0], found.gradients[2 * n], 1e-8);
      near(gradient[1], found.gradients[2 * n + 1], 1e-8);
    });
  }
});

test('a leapfrog trajectory of a round Gaussian turns by the angle that its steps have', () => {
  // With E = ½|x|² one step has the trace 2 − ε²: it turns by θ, cos θ = 1 − ε²/2.
  const [stepSize, numSteps] = [0.3, 17];
  const start = { x: [1, -0.5], v: [0, 0] };
  const end = trajectory(ridge(0), start, stepSize, numSteps).at(-1);
  const angle = numSteps * Math.acos(1 - stepSize ** 2 / 2);
  near(end.x[0], Math.cos(angle), 1e-12);
  near(end.x[1], -0.5 * Math.cos(angle), 1e-12);
});

test('every orbit that the figure begins with comes back, and its error falls as the square of the step', () => {
  for (const { model, start } of Object.values(VALLEYS)) {
    const worst = (stepSize) =>
      Math.max(...orbitOf(model, start, stepSize, Math.round(2 / stepSize)).errors.map(Math.abs));
    assert.ok(orbitOf(model, start, 0.2, 20).missed < 1e-6);
    const ratio = worst(0.02) / worst(0.01);
    assert.ok(ratio > 3.5 && ratio < 4.5, `${ratio}`);
  }
});

test('beyond two standard deviations of the narrow direction the orbit leaves', () => {
  const { model, start } = VALLEYS.gaussian;
  const limit = 2 * Math.sqrt(1 - 0.9);
  assert.ok(Math.max(...orbitOf(model, start, 0.98 * limit, 60).errors.map(Math.abs)) < 100);
  assert.ok(orbitOf(model, start, 1.05 * limit, 60).energyError > 1000);
  assert.equal(orbitOf(model, start, 1.05 * limit, 60).acceptance, 0);
});

test('Metropolis’s rule: falls for certain, a rise of 0.1 nats is refused one time in ten, what is no number always', () => {
  assert.equal(acceptance(-2), 1);
  near(1 - acceptance(0.1), 0.1, 0.005);
  assert.equal(acceptance(Number.NaN), 0);
  assert.equal(acceptance(Number.POSITIVE_INFINITY), 0);
});

test('both chains keep their distribution: the variances on a ridge, and the mean of r² on a ring', () => {
  const settings = { numProposals: 40_000, seed: 5 };
  const walk = randomWalk(ridge(0.5), [0, 0], { ...settings, stepSize: 1.5 });
  const glide = glides(ridge(0.5), [0, 0], { ...settings, stepSize: 1.2, numLeapfrogSteps: 3 });
  for (const chain of [walk, glide]) {
    const states = chain.map(stateAfter);
    const mean = (value) => states.reduce((sum, state) => sum + value(state), 0) / states.length;
    // Five standard errors and more of some 4,000 independent draws.
    near(
      mean(([x]) => x * x),
      1,
      0.12,
    );
    near(
      mean(([x, y]) => x * y),
      0.5,
      0.1,
    );
  }
  const round = glides(ring(100), [1, 0], {
    ...settings,
    stepSize: 0.06,
    numLeapfrogSteps: 10,
  }).map(stateAfter);
  const square = round.reduce((sum, [x, y]) => sum + x * x + y * y, 0) / round.length;
  near(square, Math.exp(0.03), 0.01);
});

test('the ridge of the first figure: its deviations, the limit of its steps, what draws cost', () => {
  near(ALONG, 1.41, 0.005);
  near(ACROSS, 0.14, 0.005);
  near(2 * ACROSS, 0.28, 0.005);
  assert.ok(LEAPFROG_STEP < 2 * ACROSS);
  const [walk, one, fifteen, fiftyNine] = [
    costOfWalk(),
    costOfGlide(1),
    costOfGlide(15),
    costOfGlide(59),
  ];
  assert.ok(walk > 150 && walk < 400, `${walk}`);
  assert.ok(one > 100, `one step is a random walk: ${one}`);
  assert.ok(fifteen < 25 && fifteen >= 15, `${fifteen}`);
  assert.ok(fiftyNine > 2000, `59 steps come back: ${fiftyNine}`);
  const { glide } = chainsOf(590, 59);
  assert.equal(glide.ways.length, 10);
  assert.ok(glide.numAccepted >= 9);
  // Along the ridge a step turns by this angle: 59 of them are once round and no more.
  const turn = 59 * Math.acos(1 - LEAPFROG_STEP ** 2 / (2 * (1 + CORRELATION)));
  near(turn / (2 * Math.PI), 1, 0.005);
});

test('with 600 evaluations the walk has not crossed the ridge once, and trajectories of 15 steps several times', () => {
  assert.equal(crossingsOf([-1.2, 0, 1.3, 0.9, 1.1, -0.5, -1.1, 2]), 3);
  assert.equal(crossingsOf([-1.2, 0.9, -2]), 0);
  const { walk, glide } = chainsOf(600, 15);
  assert.equal(walk.numCrossings, 0);
  assert.equal(glide.numCrossings, 5);
  assert.equal(chainsOf(600, 1).glide.numCrossings, 0);
  assert.equal(chainsOf(600, 59).glide.numCrossings, 0);
});

test('leapfrog keeps areas, whatever its step; Euler’s make them 1 + ε² times as large', () => {
  for (const stepSize of [0.1, 0.5, 1.9, 2.2]) {
    near(patchesOf('leapfrog', stepSize, 16).areaRatio, 1, 1e-3);
    near(patchesOf('euler', stepSize, 5).areaRatio, (1 + stepSize ** 2) ** 5, 1e-6 * 6 ** 5);
  }
  near(
    areaOf([
      [0, 0],
      [2, 0],
      [2, 3],
      [0, 3],
    ]),
    6,
  );
});

test('in the narrow direction orbits are closed up to a step of 2, and grow beyond', () => {
  const farthest = (stepSize) =>
    Math.max(...patchesOf('leapfrog', stepSize, 200).middles.map(([x]) => Math.abs(x)));
  near(farthest(1.99), CENTRE[0], 1e-6);
  assert.ok(farthest(2.01) > 10);
  const [one] = trajectory(ridge(0), { x: [0.8, 0], v: [-0.3, 0] }, 0.7, 1).slice(1);
  near(STEPS.leapfrog([0.8, -0.3], 0.7)[0], one.x[0], 1e-14);
  near(STEPS.leapfrog([0.8, -0.3], 0.7)[1], one.v[0], 1e-14);
  const [x, v] = STEPS.euler([1, 0], 0.5);
  assert.deepEqual([x, v], [1, -0.5]);
});

test('the ground of the pictures is highest where the energy is least', () => {
  const { relative, size } = groundOf(ridge(0.98), { centre: [0, 0], reach: 3.2 });
  assert.ok(relative[(size / 2) * size + size / 2] > 0.95);
  assert.ok(relative[0] < 1e-6);
});
