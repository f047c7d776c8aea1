/** The search for structures through the package: what arrives as typed arrays, how it is followed, and that it can be stopped. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from './package.mjs';

const [numRows, dim] = [18, 12];
/** Three kinds of rows, with something like noise. */
const states = Float64Array.from({ length: numRows * dim }, (_, at) => {
  const [row, col] = [Math.floor(at / dim), at % dim];
  return 2 * Math.sin(((row % 3) + 2) * (col + 1) * 1.7) + 0.5 * Math.sin(9.7 * at * at);
});
const spec = {
  states,
  dim,
  standardize: 'whole',
  maxDepth: 2,
  keep: 1,
  numFolds: 3,
  numSamples: 1,
  numSweeps: 10,
  annealingSteps: 20,
  seed: 1,
};

test('the matrices make up the table, and progress has the tree', async () => {
  const engine = await createEngine({ numWorkers: 1 });
  const job = engine.structure(spec);
  const seen = [];
  for await (const progress of job) seen.push(progress);
  const result = await job;
  assert.equal(result.text, 'MG + G');
  assert.deepEqual(
    result.matrices.map(({ letter }) => letter),
    ['M', 'G', 'G'],
  );
  for (const { values, numRows: height, numCols } of result.matrices) {
    assert.ok(values instanceof Float64Array && values.length === height * numCols);
  }
  const { matrices, shifts, scales } = result;
  const [clusters, centres, noise] = matrices;
  assert.ok(shifts instanceof Float64Array && scales instanceof Float64Array);
  for (const [at, value] of states.entries()) {
    const [row, col] = [Math.floor(at / dim), at % dim];
    let sum = noise.values[at];
    for (let k = 0; k < clusters.numCols; k++) {
      sum += clusters.values[row * clusters.numCols + k] * centres.values[k * dim + col];
    }
    assert.ok(Math.abs(shifts[col] + scales[col] * sum - value) < 1e-9, `${at}`);
  }
  // G, and the seven that one production makes of it; each knows where it comes from.
  assert.equal(result.levels[0].candidates[0].text, 'G');
  assert.equal(result.levels[1].candidates.length, 7);
  assert.ok(result.levels[1].candidates.every(({ parent }) => parent === 0));
  assert.deepEqual(seen.at(-1).levels, result.levels);
  assert.equal(seen.at(-1).fraction, 1);
  await engine.close();
});

test('a search that is paused and cancelled goes on from its checkpoint', async () => {
  const engine = await createEngine({ numWorkers: 2 });
  const long = { ...spec, keep: 3, minGain: 0.01 };
  const { digest } = await engine.structure(long);
  const handle = engine.structure(long);
  for await (const { level, done } of handle) {
    if (level < 1) continue;
    assert.ok(!done);
    break;
  }
  await handle.pause();
  handle.cancel();
  const { code, checkpoint } = await handle.catch((error) => error);
  assert.equal(code, 'aborted');
  const resumed = await engine.structure(long, { resumeFrom: checkpoint });
  assert.equal(resumed.digest, digest);
  await engine.close();
});
