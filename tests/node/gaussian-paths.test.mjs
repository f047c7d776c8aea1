/** The two paths between Gaussians, by definition: densities, moments, numerical integrals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  axesOf,
  colour,
  covarianceOf,
  divergence,
  ellipse,
  intermediate,
  logZ,
  pathCost,
  shortfall,
  whiten,
} from '../../www/lib/gaussian-paths.js';
import { linear } from '../../www/lib/schedules.js';

/** The paper's, section 5.1. */
const PAPER = [
  { mean: [-10, 0], covariance: [1, -0.85, 1] },
  { mean: [10, 0], covariance: [1, 0.85, 1] },
];
/** Two with nothing in common. */
const ODD = [
  { mean: [-0.7, 0.4], covariance: [1.3, 0.5, 0.9] },
  { mean: [0.8, -0.3], covariance: [0.6, -0.2, 1.7] },
];

function close(found, expected, within = 1e-9) {
  assert.ok(Math.abs(found - expected) <= within, `${found} is not ${expected}`);
}

function energy({ mean, covariance: [xx, xy, yy] }, x, y) {
  const [u, v] = [x - mean[0], y - mean[1]];
  return (0.5 * (yy * u * u - 2 * xy * u * v + xx * v * v)) / (xx * yy - xy * xy);
}

/** ∫ of a function over the plane, on a grid that both Gaussians of ODD are small at the edge of. */
function integral(density) {
  const [reach, step] = [12, 0.05];
  let sum = 0;
  for (let x = -reach; x <= reach; x += step) {
    for (let y = -reach; y <= reach; y += step) sum += density(x, y);
  }
  return sum * step * step;
}

test('log Z is the logarithm of the integral of exp(−E)', () => {
  for (const gaussian of ODD) {
    close(logZ(gaussian), Math.log(integral((x, y) => Math.exp(-energy(gaussian, x, y)))));
  }
  close(logZ(PAPER[0]), Math.log(2 * Math.PI) + 0.5 * Math.log(1 - 0.85 ** 2), 1e-12);
});

test('geometric averages have the average energy, up to a constant', () => {
  const beta = 0.3;
  const between = intermediate('geometric', ...ODD, beta);
  const off = (x, y) =>
    energy(between, x, y) - (1 - beta) * energy(ODD[0], x, y) - beta * energy(ODD[1], x, y);
  for (const [x, y] of [
    [1, 2],
    [-3, 0.5],
    [0.1, -4],
  ])
    close(off(x, y), off(0, 0));
});

test('moment averages have the average first and second moments', () => {
  const beta = 0.3;
  const moments = ({ mean: [x, y], covariance: [xx, xy, yy] }) => [
    x,
    y,
    xx + x * x,
    xy + x * y,
    yy + y * y,
  ];
  const [first, second] = ODD.map(moments);
  moments(intermediate('momentAverages', ...ODD, beta)).forEach((found, n) => {
    close(found, (1 - beta) * first[n] + beta * second[n]);
  });
});

test('both paths begin and end where they should', () => {
  for (const kind of ['geometric', 'momentAverages']) {
    assert.deepEqual(intermediate(kind, ...ODD, 0), ODD[0]);
    assert.deepEqual(intermediate(kind, ...ODD, 1), ODD[1]);
    const near = intermediate(kind, ...ODD, 1 - 1e-9);
    close(near.mean[0], ODD[1].mean[0], 1e-8);
    close(near.covariance[1], ODD[1].covariance[1], 1e-8);
  }
});

test('the divergence is the integral it is defined by', () => {
  const [p, q] = ODD;
  const found = integral((x, y) => {
    const logP = -energy(p, x, y) - logZ(p);
    const logQ = -energy(q, x, y) - logZ(q);
    return Math.exp(logP) * (logP - logQ);
  });
  close(divergence(p, q), found);
  close(divergence(p, p), 0, 1e-12);
});

test('the cost of a path is half of both divergences, and 725.93 with the ends of the paper', () => {
  for (const [p, q] of [ODD, PAPER]) {
    close(pathCost(p, q), 0.5 * (divergence(p, q) + divergence(q, p)));
  }
  close(pathCost(...PAPER), 725.93, 0.005);
});

test('with one distribution the log weight falls short by the divergence from the start to the target', () => {
  assert.ok(Math.abs(divergence(...ODD) - divergence(ODD[1], ODD[0])) > 0.1, 'the same both ways');
  close(shortfall('geometric', ...ODD, [0, 1]), divergence(...ODD));
});

test('with the ends of the paper log weights fall short by F / K exactly, on both paths', () => {
  for (const kind of ['geometric', 'momentAverages']) {
    for (const count of [1, 10, 25, 1000]) {
      const expected = pathCost(...PAPER) / count;
      close(shortfall(kind, ...PAPER, linear(count)), expected, 1e-8 * expected);
    }
  }
});

test('with other ends they fall short by F / K where K is large', () => {
  for (const kind of ['geometric', 'momentAverages']) {
    const found = [50, 5000].map((count) => count * shortfall(kind, ...ODD, linear(count)));
    close(found[1] / pathCost(...ODD), 1, 1e-3);
    assert.ok(Math.abs(found[0] / found[1] - 1) > 1e-4, 'it was F / K at once');
  }
});

test('axes and covariances are two ways to say the same', () => {
  for (const { covariance } of [...ODD, ...PAPER]) {
    covarianceOf(axesOf(covariance)).forEach((found, n) => {
      close(found, covariance[n]);
    });
  }
  const { first, second, angle } = axesOf(PAPER[0].covariance);
  close(first ** 2, 1.85);
  close(second ** 2, 0.15);
  close(angle, -Math.PI / 4);
  assert.deepEqual(axesOf([4, 0, 4]), { first: 2, second: 2, angle: 0 });
});

test('whitening undoes colouring, and ellipses lie at one distance', () => {
  const [gaussian] = ODD;
  const point = whiten(gaussian, colour(gaussian, [0.3, -1.2]));
  close(point[0], 0.3);
  close(point[1], -1.2);
  for (const [x, y] of ellipse(gaussian, 2, 17)) close(energy(gaussian, x, y), 0.5 * 2 ** 2);
});
