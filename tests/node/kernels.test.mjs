/** The search for kernels through the package: what arrives as typed arrays, and that it can be stopped. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from './package.mjs';

const times = Float64Array.from({ length: 60 }, (_, at) => at);
const values = times.map(
  (t) => 3 * Math.sin((2 * Math.PI * t) / 10) + 0.05 * t + Math.sin(7.3 * t * t),
);
const spec = { inputs: times, values, numRestarts: 0, predict: [60, 61.5], seed: 1 };

test('arrays are typed, in lists too', async () => {
  const engine = await createEngine({ numWorkers: 1 });
  const job = engine.kernels({ ...spec, maxDepth: 2 });
  const seen = [];
  for await (const progress of job) seen.push(progress);
  const result = await job;
  const isArray = (array, length) =>
    assert.ok(array instanceof Float64Array && array.length === length);
  for (const component of result.components) {
    isArray(component.means, 60);
    isArray(component.variances, 60);
    isArray(component.predicted.means, 2);
  }
  for (const levels of [result.levels, seen.at(-1).levels]) {
    assert.equal(levels.length, 2);
    for (const { prediction } of levels) isArray(prediction.variances, 2);
  }
  isArray(result.noise, 60);
  isArray(result.fitted.means, 60);
  isArray(result.prediction.means, 2);
  isArray(result.model.covariance, 3600);
  const { logZ } = await engine.exact({ model: result.model });
  const { energies } = await engine.energies({ model: result.model, states: values });
  assert.ok(Math.abs(-energies[0] - logZ - result.logEvidence) < 1e-8);
  await engine.close();
});

test('a search that is paused and cancelled goes on from its checkpoint', async () => {
  const engine = await createEngine({ numWorkers: 2 });
  const long = { ...spec, maxDepth: 3, numRestarts: 2 };
  const { digest } = await engine.kernels(long);
  const handle = engine.kernels(long);
  for await (const { level, numCandidates, done } of handle) {
    assert.ok(level >= 1 && numCandidates >= 4 && !done);
    break;
  }
  await handle.pause();
  handle.cancel();
  const { code, checkpoint } = await handle.catch((error) => error);
  assert.equal(code, 'aborted');
  const resumed = await engine.kernels(long, { resumeFrom: checkpoint });
  assert.equal(resumed.digest, digest);
  await engine.close();
});
