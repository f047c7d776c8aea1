/** Fits of models on the reals, through the package. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createEngine } from './package.mjs';

const engine = await createEngine({ numWorkers: 2 });
after(() => engine.close());

/** Uniform numbers by a multiplicative generator. */
function* uniform(seed) {
  for (let state = seed; ; ) {
    state = (state * 48271) % 2147483647;
    yield state / 2147483647;
  }
}

/** Mixtures of two independent Laplace numbers u each. */
function mixed(numRows) {
  const numbers = uniform(17);
  const next = () => numbers.next().value;
  const laplace = () => (next() < 0.5 ? -1 : 1) * -Math.log(1 - next());
  const rows = Array.from({ length: numRows }, () => {
    const [a, b] = [laplace(), laplace()];
    return [a + 0.5 * b, b - 0.25 * a];
  });
  return Float64Array.from(rows.flat());
}

test('independent components are found again', async () => {
  const states = mixed(1000);
  const copy = states.slice();
  const result = await engine.fit({
    model: { kind: 'ica', dim: 2 },
    states,
    objective: { kind: 'maximumLikelihood' },
    seed: 1,
  });
  assert.deepEqual(states, copy);
  const { filters } = result.model;
  assert.ok(filters instanceof Float64Array);
  // The filters invert the mixture, but for order and sign, to some standard errors.
  const products = [0, 2].map((row) => {
    const [j0, j1] = [filters[row], filters[row + 1]];
    return [j0 - 0.25 * j1, 0.5 * j0 + j1].map(Math.abs);
  });
  products.sort(([a], [b]) => b - a);
  const expected = [1, 0, 0, 1];
  for (const [at, value] of products.flat().entries()) {
    assert.ok(Math.abs(value - expected[at]) < 0.25, `${products}`);
  }
  // The mean negative log likelihood, by its formula.
  const determinant = Math.abs(filters[0] * filters[3] - filters[1] * filters[2]);
  let sum = 0;
  for (let at = 0; at < states.length; at += 2) {
    for (const row of [0, 2]) {
      sum += Math.abs(filters[row] * states[at] + filters[row + 1] * states[at + 1]);
    }
  }
  const objective = (2 * sum) / states.length + 2 * Math.LN2 - Math.log(determinant);
  assert.ok(Math.abs(result.objective - objective) < 1e-12 * objective);
});

test('rows come as any array, and what does not suit is refused', async () => {
  const states = mixed(300);
  const spec = {
    model: { kind: 'gaussian', dim: 2 },
    states,
    objective: { kind: 'denoisingScoreMatching', noise: 0.5 },
    optimizer: { kind: 'adam', numEpochs: 3 },
    seed: 2,
  };
  const [once, again] = [
    await engine.fit(spec),
    await engine.fit({ ...spec, states: [...states] }),
  ];
  assert.equal(once.digest, again.digest);
  const refused = async (fields, field) => {
    const failure = await engine.fit({ ...spec, ...fields }).catch((error) => error);
    assert.equal(failure.field, field, failure.message);
  };
  await refused({ states: undefined }, 'data');
  await refused({ states: [1, 2, 3] }, 'states');
  await refused({ states: [1, Number.NaN] }, 'states[1]');
  await refused({ data: { kind: 'values', dim: 2, values: [0, 1] } }, 'data');
});
