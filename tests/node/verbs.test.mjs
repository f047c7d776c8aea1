/** The verbs against independent formulas, and the forms in which data may come. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  chainRows,
  csv,
  enumerate,
  nested,
  npy,
  packed,
  probabilityFlow,
  randomCouplings,
} from './data.mjs';
import { createEngine } from './package.mjs';

const engine = await createEngine({ numWorkers: 2 });
after(() => engine.close());

const dim = 6;
const values = chainRows({ numRows: 500, dim });
const data = { kind: 'values', dim, values };

/** Asserts that two arrays of numbers are close, element by element. */
function assertClose(actual, expected, tolerance) {
  assert.equal(actual.length, expected.length);
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(actual[i] - expected[i]);
    assert.ok(difference <= tolerance, `[${i}]: ${actual[i]} against ${expected[i]}`);
  }
}

test('a fit minimizes the probability flow', async () => {
  const result = await engine.fit({ model: { kind: 'ising', dim }, data, seed: 1 });
  const { couplings } = result.model;
  assert.ok(result.converged, result.stopReason);
  assert.ok(couplings instanceof Float64Array);
  assert.equal(couplings.length, dim * dim);
  assert.match(result.digest, /^[0-9a-f]{64}$/);
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j < i; j++) assert.equal(couplings[i * dim + j], couplings[j * dim + i]);
  }
  const objective = probabilityFlow(couplings, values, dim);
  assertClose([result.objective], [objective], 1e-12 * objective);
  // No small step along any parameter lowers a minimum.
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j <= i; j++) {
      for (const step of [-1e-3, 1e-3]) {
        const moved = couplings.slice();
        moved[i * dim + j] += step;
        if (i !== j) moved[j * dim + i] += step;
        assert.ok(probabilityFlow(moved, values, dim) > objective, `J[${i}][${j}] by ${step}`);
      }
    }
  }
});

test('a fit with a pattern leaves everything else at zero', async () => {
  const pattern = { kind: 'lattice', numRows: 2, numCols: 3, periodic: false };
  const { model } = await engine.fit({ model: { kind: 'ising', dim, pattern }, data });
  const isNeighbour = (i, j) => {
    const [[a, b], [c, d]] = [i, j].map((site) => [Math.floor(site / 3), site % 3]);
    return Math.abs(a - c) + Math.abs(b - d) <= 1;
  };
  for (let i = 0; i < dim; i++) {
    for (let j = 0; j < dim; j++) {
      const value = model.couplings[i * dim + j];
      assert.equal(value !== 0, isNeighbour(i, j), `J[${i}][${j}] = ${value}`);
    }
  }
});

test('progress of a fit carries the model so far and ends with the result', async () => {
  const all = [];
  const run = { onProgress: (progress) => all.push(progress), progressInterval: 0 };
  const result = await engine.fit({ model: { kind: 'ising', dim }, data, seed: 1 }, run);
  const last = all.at(-1);
  assert.equal(last.verb, 'fit');
  assert.equal(last.done, true);
  assert.equal(last.fraction, 1);
  assert.equal(last.objective, result.objective);
  assert.deepEqual(last.model.couplings, result.model.couplings);
  for (const { fraction } of all) assert.ok(fraction >= 0 && fraction <= 1);
});

test('all forms of the same data give the same digest, and are left as they were', async () => {
  const forms = {
    rows: { kind: 'rows', rows: nested(values, dim) },
    bytes: { kind: 'values', dim, values: values.slice() },
    doubles: { kind: 'values', dim, values: Float64Array.from(values) },
    numbers: { kind: 'values', dim, values: Array.from(values) },
    bits: { kind: 'bits', ...packed(values, dim) },
    csv: { kind: 'csv', bytes: csv(values, dim) },
    npy: { kind: 'npy', bytes: npy(values, dim) },
    buffer: { kind: 'csv', bytes: Buffer.from(csv(values, dim)) },
  };
  const before = structuredClone(forms);
  const digests = {};
  for (const [name, form] of Object.entries(forms)) {
    const spec = { model: { kind: 'ising', dim }, data: form, seed: 1 };
    digests[name] = (await engine.fit(spec)).digest;
    const read = { ...packed(values, dim), entries: 'bits' };
    assert.deepEqual(await engine.readData(form), read, name);
  }
  assert.equal(new Set(Object.values(digests)).size, 1, JSON.stringify(digests));
  assert.deepEqual(structuredClone(forms), before);
});

test('a spec may change after the call', async () => {
  const spec = {
    model: { kind: 'ising', dim, couplings: new Float64Array(dim * dim) },
    data: { ...data, values: values.slice() },
    seed: 1,
  };
  const expected = await engine.fit(structuredClone(spec));
  const handle = engine.fit(spec);
  spec.data.values.fill(1);
  spec.model.couplings.fill(5);
  spec.model.dim = 3;
  assert.equal((await handle).digest, expected.digest);
});

test('a seed is chosen where there is none, and reported', async () => {
  const init = { kind: 'normal', scale: 0.1 };
  const spec = { model: { kind: 'ising', dim }, data, init };
  const [a, b] = await Promise.all([engine.fit(spec), engine.fit(spec)]);
  assert.ok(Number.isSafeInteger(a.seed) && a.seed >= 0);
  assert.notEqual(a.seed, b.seed);
  assert.equal((await engine.fit({ ...spec, seed: a.seed })).digest, a.digest);
  assert.equal(
    (await engine.fit({ ...spec, seed: Number.MAX_SAFE_INTEGER })).seed,
    Number.MAX_SAFE_INTEGER,
  );
});

test('exact agrees with enumeration', async () => {
  for (const [d, scale] of [
    [1, 1],
    [4, 0.5],
    [9, 2],
  ]) {
    const couplings = randomCouplings(d, scale, 7);
    const expected = enumerate(couplings, d);
    const result = await engine.exact({ model: { kind: 'ising', dim: d, couplings } });
    assertClose(
      [result.logZ, result.meanEnergy, result.entropy],
      [expected.logZ, expected.meanEnergy, expected.entropy],
      1e-11,
    );
    assertClose(result.moments, expected.moments, 1e-12);
  }
});

test('exact says how it knows, and tells what that method tells', async () => {
  const ln2 = Math.log(2);
  const cases = [
    [{ kind: 'ising', dim: 20 }, 'enumeration', 20 * ln2, true],
    [{ kind: 'ising', dim: 70 }, 'frontier', 70 * ln2, true],
    [{ kind: 'rbm', numVisible: 40, numHidden: 3 }, 'smallerSide', 43 * ln2, false],
    [{ kind: 'gaussian', dim: 2 }, 'closedForm', Math.log(2 * Math.PI), false],
  ];
  for (const [model, method, logZ, hasEnergy] of cases) {
    const result = await engine.exact({ model });
    assert.equal(result.method, method);
    assertClose([result.logZ], [logZ], 1e-13);
    assert.equal('moments' in result, method === 'enumeration');
    assert.deepEqual(['meanEnergy' in result, 'entropy' in result], [hasEnergy, hasEnergy]);
  }
});

test('samples have the moments of the model, within their errors', async () => {
  const model = { kind: 'ising', dim, couplings: randomCouplings(dim, 0.7, 3) };
  const result = await engine.sample({
    model,
    transition: { kind: 'gibbs' },
    numChains: 64,
    numWarmup: 50,
    numDraws: 200,
    seed: 5,
  });
  const { draws, moments, momentErrors } = result;
  assert.equal(draws.numRows, 64 * 200);
  assert.equal(draws.dim, dim);
  const exact = await engine.exact({ model });
  for (let i = 0; i < dim * dim; i++) {
    assert.ok(momentErrors[i] > 0 && momentErrors[i] < 0.02, `error ${momentErrors[i]}`);
    const deviation = (moments[i] - exact.moments[i]) / momentErrors[i];
    assert.ok(Math.abs(deviation) < 5, `moment ${i} is off by ${deviation} standard errors`);
  }
  // The draws are what the moments were taken from.
  const sums = new Float64Array(dim * dim);
  for (const byte of draws.bits) {
    for (let i = 0; i < dim; i++)
      for (let j = 0; j < dim; j++) sums[i * dim + j] += (byte >> i) & (byte >> j) & 1;
  }
  assertClose(
    moments,
    sums.map((sum) => sum / draws.numRows),
    1e-12,
  );
});

test('what sampling draws can be fitted and sampled from again', async () => {
  const model = { kind: 'ising', dim, couplings: randomCouplings(dim, 0.5, 4) };
  const gibbs = {
    transition: { kind: 'gibbs' },
    numChains: 8,
    numWarmup: 5,
    numDraws: 50,
    seed: 2,
  };
  const { draws } = await engine.sample({ model, ...gibbs });
  const fitted = await engine.fit({
    model: { kind: 'ising', dim },
    data: { kind: 'bits', ...draws },
  });
  const start = { kind: 'data', data: { kind: 'bits', ...draws } };
  const again = await engine.sample({ model: fitted.model, ...gibbs, start });
  assert.equal(again.draws.numRows, 400);
});

test('a deep belief network is fitted layer by layer, evaluated and sampled from', async () => {
  const sizes = [dim, 5, 3];
  const handle = engine.fit({
    model: { kind: 'dbn', sizes },
    data,
    optimizer: { kind: 'adam', numEpochs: 4 },
    init: { kind: 'dataMeans', scale: 0.01 },
    seed: 1,
  });
  const { model, layers } = await handle;
  assert.deepEqual(model.sizes, sizes);
  assert.equal(layers.length, 2);
  for (const [at, { weights, visibleBias, hiddenBias }] of model.layers.entries()) {
    for (const params of [weights, visibleBias, hiddenBias])
      assert.ok(params instanceof Float64Array);
    assert.deepEqual(
      [weights.length, visibleBias.length, hiddenBias.length],
      [sizes[at] * sizes[at + 1], sizes[at], sizes[at + 1]],
    );
  }
  // The bottom layer is a machine of its own.
  const bottom = { kind: 'rbm', numVisible: sizes[0], numHidden: sizes[1], ...model.layers[0] };
  const evaluated = await engine.fit({
    model: bottom,
    data,
    objective: { kind: 'pseudolikelihood' },
    optimizer: { kind: 'lbfgs', maxIterations: 0 },
  });
  assert.deepEqual(evaluated.model, bottom);
  assert.ok(evaluated.objective > 0 && evaluated.objective < dim * Math.log(2));
  const { draws } = await engine.sample({
    model,
    transition: { kind: 'blockGibbs' },
    numChains: 4,
    numWarmup: 5,
    numDraws: 10,
    start: { kind: 'data', data },
  });
  assert.deepEqual([draws.dim, draws.numRows], [dim, 40]);
  const refused = await engine.exact({ model }).catch((error) => error);
  assert.equal(refused.code, 'missing-capability');
});

test('log Z is estimated from both sides, with what it is worth', async () => {
  const model = { kind: 'ising', dim, couplings: randomCouplings(dim, 0.7, 3) };
  const exact = await engine.exact({ model, data });
  const all = [];
  const run = {
    onProgress: (progress) => all.push(progress),
    progressInterval: 0,
    streamDraws: true,
  };
  const numChains = 100;
  const spec = { model, data, numChains, numDistributions: 50, seed: 1 };
  const result = await engine.logZ({ ...spec, reverse: { start: { kind: 'exact' } } }, run);
  const { logZ, standardError, forward, reverse, bounds, likelihood, schedule } = result;
  assert.ok(standardError > 0 && standardError < 0.1, `error ${standardError}`);
  assert.ok(Math.abs(logZ - exact.logZ) < 6 * standardError, `${logZ} against ${exact.logZ}`);
  assertClose([result.exactLogZ, result.referenceLogZ], [exact.logZ, dim * Math.LN2], 1e-12);
  assert.ok(bounds.boundIsCertified && bounds.lower < exact.logZ && exact.logZ < bounds.upper);
  assert.deepEqual(result.bridge, { value: logZ, standardError, interval: result.interval });
  assertClose([likelihood.mean.value - exact.logLikelihood], [exact.logZ - logZ], 1e-12);
  assert.ok(!('rows' in likelihood));
  assert.deepEqual(result.warnings, []);
  assert.match(result.digest, /^[0-9a-f]{64}$/);
  assert.equal(schedule.length, 51);
  for (const { logWeights, histogramEdges, histogramCounts, betas, acceptance, variances } of [
    forward,
    reverse,
  ]) {
    for (const numbers of [histogramEdges, betas]) assert.ok(numbers instanceof Float64Array);
    assert.equal(logWeights.length, numChains);
    assert.equal(histogramEdges.length, histogramCounts.length + 1);
    assert.deepEqual([betas.length, acceptance.length, variances.length], [51, 50, 50]);
  }
  const last = all.at(-1);
  assert.deepEqual([last.verb, last.done, last.fraction], ['logZ', true, 1]);
  const annealing = all.filter(({ phase, logWeights }) => phase === 'forward' && logWeights.length);
  for (const { logWeights, states, beta } of annealing) {
    assert.ok(beta > 0 && beta <= 1);
    assert.deepEqual([logWeights.length, states.length], [numChains, numChains * dim]);
    assert.ok(states.every((state) => state === 0 || state === 1));
  }
});

test('the likelihood of each row under a generative model', async () => {
  // x = a + n, so that it is normal with the variance 1 + 0.25.
  const model = { kind: 'linearGenerative', numObserved: 1, numLatent: 1, prior: 'gaussian' };
  const states = [0.5, -2, 0];
  const pilot = { numChains: 32, numDistributions: 50 };
  const spec = { model: { ...model, noise: 0.5 }, states, numChains: 100, pilot, seed: 1 };
  const { likelihood } = await engine.logZ({ ...spec, numDistributions: 100 });
  const { rows, rowStandardErrors, mean } = likelihood;
  for (const [at, x] of states.entries()) {
    const truth = -(x * x) / 2.5 - Math.log(2 * Math.PI * 1.25) / 2;
    const off = Math.abs(rows[at] - truth) / rowStandardErrors[at];
    assert.ok(off < 6 && rowStandardErrors[at] < 0.2, `row ${at}: ${rows[at]} for ${truth}`);
  }
  assertClose([mean.value], [(rows[0] + rows[1] + rows[2]) / 3], 1e-12);
});
