/**
 * What the lab Model contest knows of its models without the engine: closed forms against one another, and draws
 * against the moments of their distributions.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  gaussianLogLikelihoods,
  noiseLogLikelihoods,
  normalLogLikelihoods,
  precisionLogLikelihoods,
} from '../../www/lib/gaussian-likelihoods.js';
import { startingModel } from '../../www/lib/image-models.js';
import { priorDraws } from '../../www/lib/prior-draws.js';
import { normals } from '../../www/lib/random-models.js';

const near = (a, b, tolerance = 1e-12) =>
  assert.ok(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)), `${a} against ${b}`);

test('Gaussian log likelihoods by covariance, by precision and by hand', () => {
  // Covariance [[2, 1], [1, 1]] has determinant 1 and the inverse [[1, −1], [−1, 2]].
  const states = [1, 2, -0.5, 0.25];
  const byCovariance = normalLogLikelihoods([2, 1, 1, 1], 2, states);
  const byPrecision = precisionLogLikelihoods({ mean: [0, 0], precision: [1, -1, -1, 2] }, states);
  const squares = [1 - 4 + 8, 0.25 + 0.25 + 0.125];
  squares.forEach((square, row) => {
    near(byCovariance[row], -Math.log(2 * Math.PI) - square / 2);
    near(byPrecision[row], byCovariance[row]);
  });
  const moved = precisionLogLikelihoods({ mean: [1, 2], precision: [1, -1, -1, 2] }, [2, 4]);
  near(moved[0], byPrecision[0]);
});

test('a linear Gaussian model is the Gaussian of covariance ΦΦᵀ + σ², and without basis functions noise', () => {
  const states = [0.3, -1, 2, 0.7];
  const [found] = [gaussianLogLikelihoods({ basis: [1, 1, 0, 1], noise: 0.5 }, 2, states)];
  const wanted = normalLogLikelihoods([2.25, 1, 1, 1.25], 2, states);
  found.forEach((value, row) => {
    near(value, wanted[row]);
  });
  const zero = gaussianLogLikelihoods({ basis: [0, 0, 0, 0], noise: 0.3 }, 2, states);
  noiseLogLikelihoods(0.3, 2, states).forEach((value, row) => {
    near(value, zero[row]);
  });
});

test('draws have the moments of their priors', () => {
  const NUM = 40_000;
  const dim = 2;
  const moments = (draws) => {
    const sum = (power, at) => {
      let total = 0;
      for (let n = 0; n < NUM; n++) total += draws[n * dim + at] ** power;
      return total / NUM;
    };
    return [0, 1].map((at) => ({ mean: sum(1, at), square: sum(2, at), fourth: sum(4, at) }));
  };
  const linear = (prior) => ({
    kind: 'linearGenerative',
    prior,
    basis: [1, 0, 0, 2],
    noise: 0,
  });
  const [plain] = moments(priorDraws(linear('gaussian'), dim, NUM, normals(1)));
  const [first, second] = moments(priorDraws(linear('laplace'), dim, NUM, normals(2)));
  // Six standard errors at least: false alarms below 1e-8 each. The variances are those of the numbers meant. The means
  // are those of the numbers made of "nearly normal" ones, whose fourth moment is 2.9, not 3.
  const within = (value, wanted, variance) =>
    assert.ok(Math.abs(value - wanted) < 6 * Math.sqrt(variance / NUM), `${value}: ${wanted}`);
  within(plain.mean, 0, 1);
  within(plain.square, 1, 2);
  within(first.mean, 0, 2);
  within(first.square, 1.9, 20);
  within(second.square, 7.6, 320);
  // A Laplace number has 24, a normal one of this variance 11.
  assert.ok(first.fourth > 15 && first.fourth < 26, String(first.fourth));
  const bilinear = {
    kind: 'bilinearGenerative',
    basis: [1, 0, 0, 1],
    theta: [1, 0, 0, 1],
    psi: [1, 0, 0, 1],
    numSigned: 2,
    numPositive: 2,
    noise: 1,
  };
  // c d + n: mean 0, variance 1.9 · 1.95 + 1; the fourth moment of c d is 24 · 24.
  const [product] = moments(priorDraws(bilinear, dim, NUM, normals(3)));
  within(product.mean, 0, 5);
  within(product.square, 4.705, 600);
});

test('models start with the variance of white patches, about', () => {
  const dim = 16;
  for (const kind of ['linearGaussian', 'linearLaplace', 'bilinear']) {
    const model = startingModel(kind, dim, dim, normals(5));
    const draws = priorDraws({ ...model, noise: 0.1 }, dim, 4000, normals(6));
    const square = draws.reduce((sum, value) => sum + value ** 2, 0) / draws.length;
    assert.ok(square > 0.5 && square < 2, `${kind}: ${square}`);
  }
  assert.equal(startingModel('mcRbm', dim, 32, normals(1), 8).weights.length, 8 * dim);
  assert.equal(startingModel('mcRbm', dim, 32, normals(1)).numMeanUnits, 32);
});
