/** Bad input: the right code, a message that names the field, and an engine that still works. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chainRows, csv, nested, npy, packed, randomCouplings } from './data.mjs';
import { createEngine, UnnormError, writeNpy } from './package.mjs';

const engine = await createEngine({ numWorkers: 2 });
after(() => engine.close());

const dim = 4;
const values = chainRows({ numRows: 50, dim });
const model = { kind: 'ising', dim };
const good = { model, data: { kind: 'values', dim, values }, seed: 1 };
const { digest } = await engine.fit(good);

/** Asserts the failure of a call, and that a good fit afterwards is as before. */
async function refused(promise, code, field, words) {
  const error = await Promise.resolve(promise).then(
    () => assert.fail('it was accepted'),
    (reason) => reason,
  );
  assert.ok(error instanceof UnnormError, String(error));
  assert.equal(error.code, code, error.message);
  // The field itself, or a place within it.
  const place = error.field?.slice(field?.length);
  assert.ok(
    error.field === field || (error.field.startsWith(field) && /^[[.]/.test(place)),
    error.field,
  );
  if (field !== undefined) assert.ok(error.message.startsWith(`${error.field}: `), error.message);
  if (words) assert.match(error.message, words);
  assert.equal((await engine.fit(good)).digest, digest);
}

const text = (string) => new TextEncoder().encode(string);

/** Changes some entries of a copy. */
function changed(array, changes) {
  const copy = Float64Array.from(array);
  for (const [at, value] of Object.entries(changes)) copy[at] = value;
  return copy;
}

/** The first bytes of a PNG file. */
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array(60).keys()]);

function detached() {
  const array = new Uint8Array(8);
  structuredClone(array, { transfer: [array.buffer] });
  return array;
}

const badData = {
  'no data': [undefined, 'data'],
  'data that is no object': [[[0, 1]], 'data'],
  'an unknown kind': [{ kind: 'json', bytes: text('[]') }, 'data.kind'],
  'an unknown field': [{ kind: 'csv', bytes: text('0,1\n'), header: true }, 'data.header'],
  'no rows': [{ kind: 'rows', rows: [] }, 'data.rows'],
  'empty rows': [{ kind: 'rows', rows: [[], []] }, 'data.rows[0]'],
  'ragged rows': [
    {
      kind: 'rows',
      rows: [
        [0, 1, 1, 0],
        [0, 1, 1],
      ],
    },
    'data.rows[1]',
  ],
  'a row that is no array': [{ kind: 'rows', rows: [[0, 1, 1, 0], '0110'] }, 'data.rows[1]'],
  'a string among the numbers': [{ kind: 'rows', rows: [[0, 1, '1', 0]] }, 'data.rows[0][2]'],
  'undefined among the numbers': [
    { kind: 'values', dim: 2, values: [0, undefined, 1, 1] },
    'data.values[1]',
  ],
  'null among the numbers': [{ kind: 'values', dim: 2, values: [0, null] }, 'data.values[1]'],
  'NaN in rows': [
    {
      kind: 'rows',
      rows: [
        [0, 1],
        [0, NaN],
      ],
    },
    'data.rows[1][1]',
  ],
  '2 in rows': [
    {
      kind: 'rows',
      rows: [
        [0, 1],
        [2, 1],
      ],
    },
    'data.rows[1][0]',
  ],
  'spins and a 0 in rows': [
    {
      kind: 'rows',
      rows: [
        [1, -1],
        [0, 1],
      ],
    },
    'data.rows[1][0]',
  ],
  'spins and a 0 in values': [{ kind: 'values', dim: 2, values: [1, -1, 0, 1] }, 'data.values[2]'],
  'spins and a 0 in a CSV': [{ kind: 'csv', bytes: text('1,-1\n0,1\n') }, 'data.bytes'],
  'spins and a 0 in an NPY': [
    { kind: 'npy', bytes: npy(Int8Array.of(1, -1, 0, 1), 2, '|i1') },
    'data.bytes',
  ],
  'entries of no known kind': [
    { kind: 'bits', ...packed(values, dim), entries: 'spin' },
    'data.entries',
  ],
  'a missing row': [{ kind: 'rows', rows: [[0, 1], undefined] }, 'data.rows[1]'],
  '2 in values': [{ kind: 'values', dim, values: changed(values, { 5: 2 }) }, 'data.values'],
  'NaN in values': [{ kind: 'values', dim, values: changed(values, { 7: NaN }) }, 'data.values'],
  'infinity in values': [
    { kind: 'values', dim, values: changed(values, { 7: Infinity }) },
    'data.values',
  ],
  'one half in values': [
    { kind: 'values', dim, values: changed(values, { 0: 0.5 }) },
    'data.values',
  ],
  'values that do not fill the last row': [
    { kind: 'values', dim, values: values.slice(1) },
    'data.values',
  ],
  'no values': [{ kind: 'values', dim, values: new Uint8Array(0) }, 'data.values'],
  'values of another type': [{ kind: 'values', dim, values: new Float32Array(dim) }, 'data.values'],
  'dim 0': [{ kind: 'values', dim: 0, values: new Uint8Array(0) }, 'data.dim'],
  'a negative dim': [{ kind: 'values', dim: -4, values }, 'data.dim'],
  'a fractional dim': [{ kind: 'values', dim: 2.5, values }, 'data.dim'],
  'values that were transferred': [{ kind: 'values', dim, values: detached() }, 'data.values'],
  'bits of the wrong length': [{ kind: 'bits', ...packed(values, dim), numRows: 49 }, 'data.bits'],
  'bits beyond the last column': [
    { kind: 'bits', dim, numRows: 1, bits: Uint8Array.of(0xff) },
    'data.bits',
  ],
  'bits without rows': [{ kind: 'bits', dim, numRows: 0, bits: new Uint8Array(0) }, 'data.numRows'],
  'a file that is no Uint8Array': [{ kind: 'npy', bytes: npy(values, dim).buffer }, 'data.bytes'],
  'a file that was transferred': [{ kind: 'csv', bytes: detached() }, 'data.bytes'],
  'a PNG as NPY': [{ kind: 'npy', bytes: png }, 'data.bytes'],
  'a PNG as CSV': [{ kind: 'csv', bytes: png }, 'data.bytes'],
  'a truncated NPY': [{ kind: 'npy', bytes: npy(values, dim).slice(0, -3) }, 'data.bytes'],
  'an NPY that ends in its header': [
    { kind: 'npy', bytes: npy(values, dim).slice(0, 30) },
    'data.bytes',
  ],
  'an NPY with a 2': [{ kind: 'npy', bytes: npy(Uint8Array.of(0, 1, 2, 1), 2) }, 'data.bytes'],
  'an empty file': [{ kind: 'csv', bytes: new Uint8Array(0) }, 'data.bytes'],
  'a ragged CSV': [{ kind: 'csv', bytes: text('0,1\n1\n') }, 'data.bytes'],
  'a CSV of words': [{ kind: 'csv', bytes: text('once,upon\na,time\n') }, 'data.bytes'],
  'a CSV with a 2': [{ kind: 'csv', bytes: text('0,1\n1,2\n') }, 'data.bytes'],
};

for (const [name, [data, field]] of Object.entries(badData)) {
  test(`data: ${name}`, async () => {
    await refused(engine.fit({ ...good, data }), 'invalid-data', field);
    await refused(engine.readData(data), 'invalid-data', field);
    if (data !== undefined) {
      const gibbs = { transition: { kind: 'gibbs' }, numChains: 1, numWarmup: 1, numDraws: 1 };
      const sampled = engine.sample({ model, ...gibbs, start: { kind: 'data', data } });
      await refused(sampled, 'invalid-data', `start.${field}`);
    }
  });
}

const couplings = randomCouplings(dim, 1);
const lattice = { kind: 'lattice', numRows: 2, numCols: 2, periodic: false };
const badModels = {
  'no model': [undefined, 'spec'],
  'no kind': [{ dim }, 'model'],
  'an unknown kind': [{ kind: 'heisenberg', dim }, 'model'],
  'an unknown field': [{ ...model, colour: 'red' }, 'model'],
  'no dim': [{ kind: 'ising' }, 'model'],
  'dim 0': [{ kind: 'ising', dim: 0 }, 'model.dim'],
  'a negative dim': [{ kind: 'ising', dim: -1 }, 'model'],
  'a fractional dim': [{ kind: 'ising', dim: 1.5 }, 'model'],
  'couplings of the wrong length': [{ ...model, couplings: couplings.slice(1) }, 'model.couplings'],
  'asymmetric couplings': [
    { ...model, couplings: changed(couplings, { 1: 9 }) },
    'model.couplings',
  ],
  'NaN in couplings': [{ ...model, couplings: changed(couplings, { 0: NaN }) }, 'model.couplings'],
  'couplings off the pattern': [{ ...model, couplings, pattern: lattice }, 'model.couplings'],
  'a lattice of another size': [{ ...model, pattern: { ...lattice, numRows: 3 } }, 'model.pattern'],
  'a pair of a site with itself': [
    { ...model, pattern: { kind: 'pairs', pairs: [[1, 1]] } },
    'model.pattern',
  ],
  'a pair beyond the last site': [
    { ...model, pattern: { kind: 'pairs', pairs: [[0, 4]] } },
    'model.pattern',
  ],
  'an unknown pattern': [{ ...model, pattern: { kind: 'tree' } }, 'model'],
  'a function': [{ ...model, couplings: () => couplings }, 'model.couplings'],
  'a bigint': [{ ...model, dim: 4n }, 'model.dim'],
  'big integers as couplings': [{ ...model, couplings: new BigInt64Array(16) }, 'model.couplings'],
};

for (const [name, [bad, field]] of Object.entries(badModels)) {
  test(`model: ${name}`, async () => {
    await refused(engine.fit({ ...good, model: bad }), 'invalid-spec', field);
    await refused(engine.exact({ model: bad }), 'invalid-spec', field);
  });
}

for (const seed of [-1, 1.5, NaN, Infinity, 2 ** 53, '1', null, 1n]) {
  test(`seed: ${typeof seed} ${seed}`, () =>
    refused(engine.fit({ ...good, seed }), 'invalid-spec', 'seed'));
}

const cyclic = {};
cyclic.inner = cyclic;
const badSpecs = {
  'no spec': [undefined, 'spec'],
  'an array': [[good], 'spec'],
  'an unknown field': [{ ...good, sede: 1 }, 'sede'],
  'a prototype, as JSON may have it': [
    { ...good, init: JSON.parse('{ "__proto__": { "kind": "dataMeans" } }') },
    'init.__proto__',
  ],
  'a verb': [{ ...good, verb: 'fit' }, 'verb'],
  'an unknown objective': [{ ...good, objective: { kind: 'ml' } }, 'objective'],
  'an unknown optimizer': [{ ...good, optimizer: { kind: 'newton' } }, 'optimizer'],
  'an unknown field of the optimizer': [
    { ...good, optimizer: { kind: 'lbfgs', steps: 3 } },
    'optimizer',
  ],
  'an iteration limit of −1': [
    { ...good, optimizer: { kind: 'lbfgs', maxIterations: -1 } },
    'optimizer',
  ],
  'a tolerance of NaN': [{ ...good, optimizer: { kind: 'lbfgs', tolerance: NaN } }, 'optimizer'],
  'a scale of −1': [{ ...good, init: { kind: 'normal', scale: -1 } }, 'init'],
  'a cycle': [{ ...good, init: cyclic }, 'init'],
};

for (const [name, [spec, field]] of Object.entries(badSpecs)) {
  test(`spec: ${name}`, async () => {
    const error = await engine.fit(spec).catch((reason) => reason);
    await refused(Promise.reject(error), 'invalid-spec', error.field);
    assert.ok(error.field?.startsWith(field), `${error.field}: ${error.message}`);
  });
}

test('data of another dim than the model', () =>
  refused(
    engine.fit({ ...good, model: { kind: 'ising', dim: 5 } }),
    'invalid-spec',
    'model.dim',
    /5.*4/,
  ));

test('an exact answer for too many sites', () =>
  refused(
    engine.exact({ model: { kind: 'ising', dim: 30, couplings: randomCouplings(30, 1) } }),
    'too-large',
    'model.dim',
  ));

// 2^32 rows, or bytes, are none at all in the 32 bits that WebAssembly counts in.
for (const [numRows, numBytes] of [
  [4096, 1],
  [4, 512],
]) {
  const [dim, bits] = [8 * numBytes, new Uint8Array(numRows * numBytes)];
  const rows = { kind: 'bits', dim, numRows, bits };
  const job = { model: { kind: 'ising', dim }, noise: { numFlips: 1, numCopies: 2 ** 20 } };
  const tooMany = (promise) => refused(promise, 'too-large', 'noise.numCopies');
  test(`a million copies each of ${numRows} rows of ${dim} bits`, async () => {
    await tooMany(engine.recall({ ...job, cues: rows }));
    if (dim > 8) return;
    await tooMany(engine.memorize({ ...job, patterns: rows }));
    await tooMany(engine.memorize({ ...job, patterns: rows, rule: { kind: 'perceptron' } }));
  });
}

const gibbs = { model, transition: { kind: 'gibbs' }, numChains: 2, numWarmup: 1, numDraws: 1 };
for (const [field, value] of [
  ['numChains', 0],
  ['numDraws', 0],
  ['numDraws', 1.5],
  ['numWarmup', -1],
  ['numStepsPerDraw', 0],
  ['transition', { kind: 'hmm' }],
  ['start', { kind: 'zero' }],
  ['start', { kind: 'random', data: good.data }],
]) {
  test(`sample: ${field} ${JSON.stringify(value)?.slice(0, 40)}`, async () => {
    const error = await engine.sample({ ...gibbs, [field]: value }).catch((reason) => reason);
    await refused(Promise.reject(error), 'invalid-spec', error.field);
    assert.ok(error.field?.startsWith(field), `${error.field}: ${error.message}`);
  });
}

test('run options that make no sense', async () => {
  await refused(engine.fit(good, { onProgress: true }), 'invalid-spec', 'onProgress');
  await refused(engine.fit(good, { onprogress: () => undefined }), 'invalid-spec', 'onprogress');
  await refused(engine.fit(good, { signal: {} }), 'invalid-spec', 'signal');
  await refused(engine.fit(good, { progressInterval: -1 }), 'invalid-spec', 'progressInterval');
  await refused(engine.fit(good, { resumeFrom: 'saved' }), 'bad-checkpoint', 'resumeFrom');
});

test('checkpoints that are damaged, or of another job', async () => {
  const handle = engine.fit(good);
  await handle;
  const checkpoint = await handle.checkpoint();
  assert.equal((await engine.fit(good, { resumeFrom: checkpoint })).digest, digest);
  const resume = (resumeFrom, spec = good) => engine.fit(spec, { resumeFrom });
  await refused(resume(png), 'bad-checkpoint');
  await refused(resume(new Uint8Array(0)), 'bad-checkpoint');
  await refused(resume(checkpoint.slice(0, -1)), 'bad-checkpoint');
  for (const at of [0, checkpoint.length >> 1, checkpoint.length - 1]) {
    const flipped = checkpoint.slice();
    flipped[at] ^= 1;
    await refused(resume(flipped), 'bad-checkpoint');
  }
  await refused(resume(checkpoint, { ...good, seed: 2 }), 'checkpoint-mismatch');
  const otherData = { ...good.data, values: changed(values, { 0: 1 - values[0] }) };
  await refused(resume(checkpoint, { ...good, data: otherData }), 'checkpoint-mismatch');
  const { seed: _, ...seedless } = good;
  assert.equal(
    (await resume(checkpoint, seedless)).digest,
    digest,
    'the seed is in the checkpoint',
  );
  await refused(engine.exact({ model }, { resumeFrom: checkpoint }), 'checkpoint-mismatch');
});

test('a CSV with a header and other line ends is read all the same', async () => {
  const rows = new TextDecoder().decode(csv(values, dim));
  const withHeader = text(`a,b,c,d\r\n${rows.replaceAll('\n', '\r\n')}`);
  const read = await engine.readData({ kind: 'csv', bytes: withHeader });
  assert.deepEqual(read, { ...packed(values, dim), entries: 'bits' });
});

test('spins are read as bits, and said to be spins', async () => {
  const spins = Int8Array.from(values, (value) => 2 * value - 1);
  const rows = nested(spins, dim);
  const forms = {
    rows: { kind: 'rows', rows },
    'values of bytes': { kind: 'values', dim, values: spins },
    'values of doubles': { kind: 'values', dim, values: Float64Array.from(spins) },
    'values in an array': { kind: 'values', dim, values: [...spins] },
    csv: { kind: 'csv', bytes: csv(spins, dim) },
    npy: { kind: 'npy', bytes: npy(spins, dim, '|i1') },
    'npy of doubles': { kind: 'npy', bytes: writeNpy(Float64Array.from(spins), [50, dim]) },
  };
  const expected = { ...packed(values, dim), entries: 'spins' };
  for (const [name, data] of Object.entries(forms)) {
    const read = await engine.readData(data);
    assert.deepEqual(read, expected, name);
    assert.equal((await engine.fit({ ...good, data })).digest, digest, name);
    // What was read can be read again, and still says what it was.
    assert.deepEqual(await engine.readData({ kind: 'bits', ...read }), expected, name);
    assert.equal((await engine.fit({ ...good, data: { kind: 'bits', ...read } })).digest, digest);
  }
});

const annealing = { model: { kind: 'ring' }, numChains: 10, numDistributions: 20, seed: 1 };
const onBits = { ...annealing, model };
const badAnnealing = {
  'one chain': [{ ...annealing, numChains: 1 }, 'numChains'],
  'no distributions': [{ ...annealing, numDistributions: 0 }, 'numDistributions'],
  'a confidence of 95': [{ ...annealing, confidence: 95 }, 'confidence'],
  'a reference for bits': [{ ...annealing, reference: { kind: 'uniform' } }, 'reference.kind'],
  'a reference of another dim': [
    { ...annealing, reference: { kind: 'model', model: { kind: 'gaussian', dim: 3 } } },
    'reference.model.dim',
  ],
  'log odds of another dim': [
    { ...onBits, reference: { kind: 'independent', logOdds: new Float64Array(3) } },
    'reference.logOdds',
  ],
  'NaN in log odds': [
    { ...onBits, reference: { kind: 'independent', logOdds: Float64Array.of(0, 0, NaN, 0) } },
    'reference.logOdds[2]',
  ],
  'moment averages of a ring': [{ ...annealing, path: { kind: 'momentAverages' } }, 'path.kind'],
  'a schedule that descends': [
    { ...annealing, numDistributions: 2, schedule: { kind: 'given', betas: [0, 1, 0.5] } },
    'schedule.betas',
  ],
  'unadjusted Langevin dynamics': [
    { ...annealing, transition: { kind: 'langevin', adjusted: false, stepSize: 0.1 } },
    'transition.adjusted',
  ],
  'data of a model on the reals': [{ ...annealing, data: good.data }, 'data'],
  'states of a binary model': [{ ...onBits, states: [0, 1, 0, 1] }, 'states'],
  'states that do not fill the last row': [{ ...annealing, states: [0, 1, 0] }, 'states'],
  'infinity in states': [{ ...annealing, states: Float64Array.of(0, Infinity) }, 'states[1]'],
};

for (const [name, [spec, field]] of Object.entries(badAnnealing)) {
  test(`annealing: ${name}`, () => refused(engine.logZ(spec), 'invalid-spec', field));
}

test('annealing from exact draws that there are none of', () =>
  refused(
    engine.logZ({
      ...annealing,
      model: { kind: 'linearGenerative', numObserved: 1, numLatent: 1, prior: 'laplace' },
      reverse: { start: { kind: 'exact' } },
    }),
    'missing-capability',
    'model.kind',
    /from the forward runs/,
  ));

test('the likelihood of data by enumeration, and its bound', async () => {
  const { data } = good;
  const alone = await engine.exact({ model });
  assert.ok(!('logLikelihood' in alone) && !('mpfBound' in alone));
  // All couplings 0: each state has the same chance, and flows out at rate dim.
  const { logLikelihood, mpfBound } = await engine.exact({
    model,
    data,
    connectivity: { kind: 'singleFlips' },
  });
  assert.ok(Math.abs(logLikelihood + dim * Math.log(2)) < 1e-12);
  assert.ok(Math.abs(mpfBound.lambda2 + 2) < 1e-12);
  assert.deepEqual([mpfBound.logLikelihood, mpfBound.numVacuous], [-Infinity, 50]);
  await refused(
    engine.exact({ model, connectivity: { kind: 'singleFlips' } }),
    'invalid-spec',
    'connectivity',
  );
  await refused(
    engine.exact({ model, data: { kind: 'rows', rows: [[0, 2]] } }),
    'invalid-data',
    'data',
  );
});
