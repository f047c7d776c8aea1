/**
 * Models of so many numbers that they are not led through serde, nor sent to each worker anew: the
 * numbers arrive as they were, however they are given, and what the caller does to them afterwards
 * has no effect.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { normals } from '../../www/lib/random-models.js';
import { createEngine } from './package.mjs';

const engine = await createEngine({ numWorkers: 2 });
after(() => engine.close());

const dim = 400;
const normal = normals(5);
const params = Float64Array.from({ length: (dim * (dim + 1)) / 2 }, () => normal() / 20);
const couplings = new Float64Array(dim * dim);
for (let i = 0, pair = dim; i < dim; i++) {
  couplings[i * dim + i] = params[i];
  for (let j = i + 1; j < dim; j++, pair++) {
    couplings[i * dim + j] = params[pair];
    couplings[j * dim + i] = params[pair];
  }
}
const bits = Uint8Array.from({ length: (dim / 8) * 64 }, (_, at) => (at * 37 + 11) % 256);
const cues = { kind: 'bits', dim, numRows: 64, bits };
const recall = (numbers, more = {}) =>
  engine.recall({ model: { kind: 'ising', dim, ...numbers }, cues, seed: 1, ...more });

test('however a large model is given, it is the same', async () => {
  const { digest, energies } = await recall({ params });
  // E = xᵀJx where the first row came to rest, by its definition.
  const { states } = await recall({ params });
  const x = Array.from({ length: dim }, (_, i) => (states.bits[i >> 3] >> (i & 7)) & 1);
  let energy = 0;
  for (let i = 0; i < dim; i++)
    for (let j = 0; j < dim; j++) energy += couplings[i * dim + j] * x[i] * x[j];
  assert.ok(Math.abs(energy - energies[0]) < 1e-9 * Math.abs(energy), `${energy}, ${energies[0]}`);
  assert.equal((await recall({ couplings })).digest, digest);
  assert.equal((await recall({ params: Array.from(params) })).digest, digest);
  const changed = params.slice();
  const job = recall({ params: changed });
  changed.fill(0);
  assert.equal((await job).digest, digest);
  assert.notEqual((await recall({ params: changed })).digest, digest);
});

test('a job with a large model resumes, and with another model is refused', async () => {
  const job = recall({ params });
  const { digest } = await job;
  const checkpoint = await job.checkpoint();
  const model = (params) => ({ model: { kind: 'ising', dim, params }, cues });
  assert.equal((await engine.recall(model(params), { resumeFrom: checkpoint })).digest, digest);
  for (const at of [0, dim, params.length - 1]) {
    const other = params.slice();
    other[at] += 1e-9;
    const resumed = engine.recall(model(other), { resumeFrom: checkpoint });
    await assert.rejects(Promise.resolve(resumed), { code: 'checkpoint-mismatch' });
  }
});

test('what is wrong with a large array is said as of a small one', async () => {
  const other = params.slice();
  other[70_000] = NaN;
  const code = 'invalid-spec';
  await assert.rejects(Promise.resolve(recall({ params: other })), {
    code,
    field: 'model.params[70000]',
  });
  await assert.rejects(
    Promise.resolve(recall({ parameters: params })),
    /unknown field `parameters`/,
  );
  await assert.rejects(Promise.resolve(recall({ params }, { maxUpdates: params })), {
    code,
    field: 'maxUpdates',
  });
});
