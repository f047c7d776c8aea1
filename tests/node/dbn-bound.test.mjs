/**
 * The lower bound on the likelihood of deep belief networks, against enumeration of all their states.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawUp, logRatio, lowerBound } from '../repro/dbn-bound.mjs';
import { createEngine } from './package.mjs';
import { uniforms } from './uniforms.mjs';

/** Machines over neighbouring layers, their weights of size about 1; no randomness is needed. */
function machinesOf(sizes) {
  const wave = (n) => Math.sin(1 + 7 * n * n + n);
  return sizes.slice(1).map((numHidden, at) => {
    const [numVisible, first] = [sizes[at], 1000 * at];
    return {
      weights: Float64Array.from({ length: numVisible * numHidden }, (_, n) => wave(first + n)),
      visibleBias: Float64Array.from({ length: numVisible }, (_, n) => wave(first + n + 300)),
      hiddenBias: Float64Array.from({ length: numHidden }, (_, n) => wave(first + n + 600) - 0.5),
    };
  });
}

const statesOf = (dim) =>
  Array.from({ length: 2 ** dim }, (_, state) =>
    Uint8Array.from({ length: dim }, (_, i) => (state >> i) & 1),
  );
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/** exp(−E(v, h)) of a machine, by its definition. */
function weightOf({ weights, visibleBias, hiddenBias }, v, h) {
  let energy = 0;
  v.forEach((on, i) => {
    energy -= on * visibleBias[i];
  });
  h.forEach((on, j) => {
    energy -= on * hiddenBias[j];
    v.forEach((visible, i) => {
      energy -= on * visible * weights[j * v.length + i];
    });
  });
  return Math.exp(-energy);
}

/** Everything about a network of three layers by enumeration: Z of the top machine, p(v), p(v, h) and q(h | v). */
function enumerated([bottom, top], sizes) {
  const [all, hidden, highest] = sizes.map(statesOf);
  const onTop = hidden.map((h) => sumOf(highest.map((above) => weightOf(top, h, above))));
  const topZ = sumOf(onTop);
  const below = hidden.map((h) => sumOf(all.map((v) => weightOf(bottom, v, h))));
  const joint = (v) =>
    hidden.map((h, at) => ((weightOf(bottom, v, h) / below[at]) * onTop[at]) / topZ);
  const up = (v) => {
    const weights = hidden.map((h) => weightOf(bottom, v, h));
    return weights.map((weight) => weight / sumOf(weights));
  };
  return { all, hidden, logZ: Math.log(topZ), joint, up };
}

const sizes = [6, 4, 3];
const layers = machinesOf(sizes);
const { all, hidden, logZ, joint, up } = enumerated(layers, sizes);

test('the probabilities by enumeration are those of a distribution', () => {
  assert.ok(Math.abs(sumOf(all.map((v) => sumOf(joint(v)))) - 1) < 1e-12);
});

test('log Z of the top machine is the package’s', async () => {
  const engine = await createEngine();
  const model = { kind: 'rbm', numVisible: sizes[1], numHidden: sizes[2], ...layers[1] };
  const exact = await engine.exact({ model });
  await engine.close();
  assert.ok(Math.abs(exact.logZ - logZ) < 1e-9);
});

test('what is averaged has the expectation by enumeration, and lies below log p(v)', () => {
  for (const v of all) {
    const [p, q] = [joint(v), up(v)];
    const ratios = hidden.map((h) => logRatio(layers, [v, h]));
    const bound = sumOf(ratios.map((ratio, at) => q[at] * ratio)) - logZ;
    const direct = sumOf(q.map((way, at) => way * (Math.log(p[at]) - Math.log(way))));
    assert.ok(Math.abs(bound - direct) < 1e-9, `${v}: ${bound}, not ${direct}`);
    const logProbability = Math.log(sumOf(p));
    assert.ok(bound < logProbability - 1e-6, `${v}: ${bound} is not below ${logProbability}`);
    // The mean of exponentials is p(v) itself.
    const mean = Math.log(sumOf(ratios.map((ratio, at) => q[at] * Math.exp(ratio)))) - logZ;
    assert.ok(Math.abs(mean - logProbability) < 1e-9);
  }
});

test('means over draws come to the expectation', () => {
  const random = uniforms(7);
  const uniform = () => random.next().value;
  const expected = all.map((v) => {
    const q = up(v);
    const ratios = hidden.map((h) => logRatio(layers, [v, h]));
    return sumOf(ratios.map((ratio, at) => q[at] * ratio)) - logZ;
  });
  // Of the mean over all 64 states; it is six standard errors away once in 5·10⁸ seeds.
  const numDraws = 1000;
  const variance = sumOf(
    all.map((v, row) => {
      const q = up(v);
      return sumOf(
        hidden.map((h, at) => q[at] * (logRatio(layers, [v, h]) - logZ - expected[row]) ** 2),
      );
    }),
  );
  const error = Math.sqrt(variance / numDraws) / all.length;
  const { mean, rows } = lowerBound({ layers, logZ, rows: all, numDraws, uniform });
  assert.equal(rows.length, all.length);
  assert.ok(error > 0 && error < 0.01, `error ${error}`);
  assert.ok(Math.abs(mean - sumOf(expected) / all.length) < 6 * error);
});

test('with one machine nothing is drawn, and the bound is the log likelihood', () => {
  const [bottom] = layers;
  const weights = all.map((v) => sumOf(hidden.map((h) => weightOf(bottom, v, h))));
  const one = Math.log(sumOf(weights));
  const uniform = () => assert.fail('a number was drawn');
  const { rows } = lowerBound({ layers: [bottom], logZ: one, rows: all, numDraws: 1, uniform });
  rows.forEach((bound, at) => {
    assert.ok(Math.abs(bound - (Math.log(weights[at]) - one)) < 1e-9);
  });
});

test('three machines: the way up has a state a layer, and the mean of exponentials is p(v)', () => {
  const deep = [5, 3, 4, 2];
  const [first, second, top] = machinesOf(deep);
  const [bottoms, middles, uppers, highest] = deep.map(statesOf);
  const onTop = uppers.map((h) => sumOf(highest.map((above) => weightOf(top, h, above))));
  const topZ = sumOf(onTop);
  /** p(below | above) of a machine. */
  const down = (machine, below, above, belows) =>
    weightOf(machine, below, above) / sumOf(belows.map((other) => weightOf(machine, other, above)));
  const [v] = bottoms.slice(-6);
  let [p, mean] = [0, 0];
  for (const h of middles) {
    const way = weightOf(first, v, h) / sumOf(middles.map((other) => weightOf(first, v, other)));
    uppers.forEach((above, at) => {
      const next =
        weightOf(second, h, above) / sumOf(uppers.map((other) => weightOf(second, h, other)));
      p += (down(first, v, h, bottoms) * down(second, h, above, middles) * onTop[at]) / topZ;
      mean += way * next * Math.exp(logRatio([first, second, top], [v, h, above]));
    });
  }
  assert.ok(Math.abs(Math.log(mean / topZ) - Math.log(p)) < 1e-9);
  const random = uniforms(3);
  const drawn = drawUp([first, second, top], v, () => random.next().value);
  assert.deepEqual(
    drawn.map((states) => states.length),
    [5, 3, 4],
  );
});
