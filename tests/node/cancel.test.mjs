/**
 * The fits of the largest lab, 784 visible by 500 hidden units and 9,000 rows, and annealing of that machine and of others,
 * cancelled on the way: the engine waits less than 100 ms for the worker's answer, and does without; and the worker, at
 * work on so much, does answer.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { cancelByHand } from './cancelled.mjs';
import { createEngine } from './package.mjs';

const bits = readFileSync(new URL('../../www/data/mnist-binary-9000.bits', import.meta.url));
const data = { kind: 'bits', dim: 784, numRows: 9000, bits: new Uint8Array(bits) };
const model = { kind: 'rbm', numVisible: 784, numHidden: 500 };
const optimizer = { kind: 'sgd', learningRate: { start: 0.01, end: 0.01 } };

const methods = {
  'flow by L-BFGS': { objective: { kind: 'mpf' } },
  'pseudolikelihood by L-BFGS': { objective: { kind: 'pseudolikelihood' } },
  'flow by SGD': { objective: { kind: 'mpf' }, optimizer },
  'pseudolikelihood by SGD': { objective: { kind: 'pseudolikelihood' }, optimizer },
  'CD-1': { objective: { kind: 'contrastiveDivergence', numSteps: 1 }, optimizer },
  PCD: {
    objective: { kind: 'persistentContrastiveDivergence', numChains: 100, numSteps: 1 },
    optimizer,
  },
};

const engine = await createEngine({ numWorkers: 2 });
after(() => engine.close());

/** Cancels a job that has come so far, and gives the error; `answered` says whether the worker has the time to answer. */
async function cancelled(handle, numReports, answered) {
  let numSeen = 0;
  for await (const _ of handle) if (++numSeen > numReports) break;
  const limit = cancelByHand(handle);
  if (!answered) limit.pass();
  const error = await handle.catch((reason) => reason);
  assert.equal(error.code, 'aborted');
  assert.ok(error.checkpoint.length > 0);
  return error;
}

/** Every round is reported, and none is done before the last one's report has been received: no job is over too soon. */
const inStep = { progressInterval: 0, streamDraws: true };

for (const [index, [name, method]] of Object.entries(methods).entries()) {
  test(`${name} ends when it is cancelled, whether the worker answers in time or not`, async () => {
    const init = { kind: 'normal', scale: 0.01 };
    const spec = { model, data, init, seed: 1, ...method };
    for (const answered of [true, false]) {
      const handle = engine.fit(spec, inStep);
      const first = await handle.checkpoint();
      const { checkpoint } = await cancelled(handle, index, answered);
      assert.equal(checkpoint.slice(0, 6).toString(), first.slice(0, 6).toString());
    }
  });
}

const annealed = {
  'a large machine': { model, numDistributions: 1000 },
  'the same with many chains': { model, numChains: 5000, numDistributions: 1000 },
  'experts by HAIS': {
    model: {
      kind: 'productOfExperts',
      dim: 100,
      expert: 'studentT',
      lambda: new Float64Array(100).fill(2),
    },
    numDistributions: 100_000,
  },
  'a dense glass by Gibbs sampling': {
    model: { kind: 'ising', dim: 1000 },
    numDistributions: 10_000,
  },
  'a million distributions': { model: { kind: 'ring' }, numDistributions: 1_000_000 },
};

for (const [index, [name, spec]] of Object.entries(annealed).entries()) {
  test(`annealing ${name} ends when it is cancelled, whether the worker answers in time or not`, async () => {
    const schedule = { kind: 'linear' };
    for (const answered of [true, false]) {
      const handle = engine.logZ({ numChains: 200, schedule, seed: 1, ...spec }, inStep);
      await handle.checkpoint();
      await cancelled(handle, index, answered);
    }
  });
}

test('the workers are free again', async () => {
  const values = [0, 1, 1, 1, 1, 0, 0, 0];
  const small = { kind: 'values', dim: 2, values };
  const [one, other] = await Promise.all(
    [1, 2].map((seed) =>
      engine.fit({
        model: { kind: 'ising', dim: 2 },
        data: small,
        objective: { kind: 'mpf' },
        seed,
      }),
    ),
  );
  assert.ok(one.converged && other.converged);
});
