import assert from 'node:assert/strict';
import { test } from 'node:test';
import { angleBetween, between, stagedSchedule, whitened } from '../../www/lib/particle-flow.js';
import { sigmoidal } from '../../www/lib/schedules.js';

const START = { mean: [-10, 0], covariance: [1, -0.85, 1] };
const END = { mean: [3, 1], covariance: [9, 2, 4] };

/** Normal numbers from a fixed congruential generator, by Box and Muller. */
function normals(count, seed) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return Float64Array.from({ length: count }, () => {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    return radius * Math.cos(2 * Math.PI * uniform());
  });
}

/** Means and variances of both coordinates. */
function moments(states) {
  return [0, 1].map((axis) => {
    const values = [...states].filter((_, n) => n % 2 === axis);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    return { mean, variance: square };
  });
}

test('particles begin and end where they are known to be', () => {
  const states = Float64Array.of(-10, 0.5, -9, -1, -11, 2);
  const later = Float64Array.of(4, 0.5, 2, -1, 6, 2);
  const [before, after] = [whitened(START, states), whitened(END, later)];
  const angle = angleBetween(before, after);
  between(before, after, angle, 0, START).forEach((value, n) => {
    assert.ok(Math.abs(value - states[n]) < 1e-12);
  });
  between(before, after, angle, 1, END).forEach((value, n) => {
    assert.ok(Math.abs(value - later[n]) < 1e-12);
  });
});

test('particles that follow the distribution do so on the way, whether they mix at once or hardly', () => {
  const first = normals(20000, 1);
  for (const correlation of [0, 0.5, 0.999]) {
    const fresh = normals(20000, 7);
    const second = first.map(
      (value, n) => correlation * value + Math.sqrt(1 - correlation ** 2) * fresh[n],
    );
    const angle = angleBetween(first, second);
    for (const part of [0.25, 0.5, 0.9]) {
      const found = moments(between(first, second, angle, part, END));
      found.forEach(({ mean, variance }, axis) => {
        const expected = END.covariance[2 * axis];
        assert.ok(Math.abs(variance / expected - 1) < 0.06, `${variance} is not ${expected}`);
        assert.ok(Math.abs(mean - END.mean[axis]) < 0.1, `${mean} is not ${END.mean[axis]}`);
      });
    }
  }
});

test('particles that stay where they are, stay', () => {
  const place = Float64Array.of(0.3, -1, 2, 0.1);
  assert.equal(angleBetween(place, place) < 1e-6, true);
  const found = between(place, place, angleBetween(place, place), 0.4, START);
  const expected = between(place, place, 0, 0, START);
  found.forEach((value, n) => {
    assert.ok(Math.abs(value - expected[n]) < 1e-12);
  });
});

test('a schedule to watch has a stage before the first step and one after the last', () => {
  for (const count of [1, 10, 30, 50, 51, 1000, 2500]) {
    const given = sigmoidal(count);
    const { betas, numStages, shareAt } = stagedSchedule(given, 50);
    const numSteps = betas.length - 1;
    assert.equal(numSteps % numStages, 0, 'stages differ in length');
    assert.ok(numStages <= 52);
    assert.equal(betas[0], 0);
    assert.equal(betas.at(-1), 1);
    assert.ok(betas.every((beta, k) => k === 0 || beta > betas[k - 1]));
    const perStage = numSteps / numStages;
    assert.ok(betas[perStage] < 1e-10, 'the first stage goes somewhere');
    assert.ok(betas[numSteps - perStage] > 1 - 1e-10, 'the last stage begins too soon');
    assert.equal(shareAt(perStage), 0);
    assert.equal(shareAt(numSteps - perStage), 1);
    for (const k of [1, Math.floor(count / 2)]) {
      if (k < 1 || k >= count) continue;
      assert.equal(betas[perStage + k], given[k]);
      assert.ok(Math.abs(shareAt(perStage + k) - k / count) < 1e-12);
    }
  }
});
