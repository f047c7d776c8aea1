/** The same bits with any number of workers, stopped or not, in one process or two. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { cancelByHand } from './cancelled.mjs';
import { chainRows } from './data.mjs';
import { createEngine, entry } from './package.mjs';

const dim = 64;
/** Large enough that a round takes long and is shared out. */
const fit = {
  model: { kind: 'ising', dim },
  data: { kind: 'values', dim, values: chainRows({ numRows: 20_000, dim }) },
  optimizer: { kind: 'lbfgs', maxIterations: 15 },
  init: { kind: 'normal', scale: 0.01 },
  seed: 3,
};
const sample = {
  model: { kind: 'ising', dim },
  transition: { kind: 'gibbs' },
  numChains: 128,
  numWarmup: 50,
  numDraws: 400,
  seed: 3,
};
/** Pilot runs, there, exact draws, back, and rows. */
const logZ = {
  model: {
    kind: 'productOfExperts',
    dim: 36,
    expert: 'studentT',
    lambda: new Float64Array(36).fill(2),
  },
  states: new Float64Array(72).fill(0.5),
  numChains: 200,
  numDistributions: 1500,
  pilot: { numChains: 64, numDistributions: 100 },
  reverse: { start: { kind: 'exact' } },
  seed: 3,
};

/** Its names and walls have to reach every worker. */
const ofFormula = {
  model: {
    kind: 'formula',
    expression: 'a*(x - y)^2/2 + b*y^2/2',
    variables: ['x', 'y'],
    constants: { a: 2, b: 0.5 },
    constraints: [{ normal: [1, 0], offset: 0 }],
  },
  numChains: 100,
  numDistributions: 200,
  seed: 3,
};

const engine = await createEngine({ numWorkers: 2 });
const expected = {
  fit: (await engine.fit(fit)).digest,
  sample: (await engine.sample(sample)).digest,
  logZ: (await engine.logZ(logZ)).digest,
};
const { logZ: logZOfFormula, standardError, digest } = await engine.logZ(ofFormula);
expected.ofFormula = digest;
after(() => engine.close());

test('the constants of a formula count, whoever works on it', () => {
  // Half of a Gaussian whose precision has the determinant ab.
  const truth = Math.log(Math.PI / Math.sqrt(2 * 0.5));
  assert.ok(Math.abs(logZOfFormula - truth) < 6 * standardError && standardError < 0.1);
});

for (const numWorkers of [1, 2, 3]) {
  test(`${numWorkers} workers give the same digests`, async () => {
    const other = await createEngine({ numWorkers });
    assert.equal((await other.fit(fit)).digest, expected.fit);
    assert.equal((await other.sample(sample)).digest, expected.sample);
    assert.equal((await other.logZ(logZ)).digest, expected.logZ);
    assert.equal((await other.logZ(ofFormula)).digest, expected.ofFormula);
    await other.close();
  });
}

test('jobs at once give the same digests as one after the other', async () => {
  const results = await Promise.all([
    engine.fit(fit),
    engine.sample(sample),
    engine.logZ(logZ),
    engine.fit(fit),
    engine.sample(sample),
  ]);
  const { fit: f, sample: s, logZ: z } = expected;
  assert.deepEqual(
    results.map(({ digest }) => digest),
    [f, s, z, f, s],
  );
});

/** Every round is reported, and none is done before the last one's report has been received: no job is over too soon. */
const inStep = { progressInterval: 0, streamDraws: true };

/** Resolves with the first progress. */
async function started(handle) {
  return (await handle[Symbol.asyncIterator]().next()).value;
}

/** Whether a job stands still: its state is the same when both workers have done something else. */
async function assertStill(handle) {
  const before = await handle.checkpoint();
  assert.equal((await engine.fit(fit)).digest, expected.fit);
  assert.deepEqual(await handle.checkpoint(), before);
  return before;
}

test('paused and resumed gives the same digest', async () => {
  const handle = engine.fit(fit, inStep);
  assert.equal((await started(handle)).done, false);
  await handle.pause();
  await assertStill(handle);
  handle.resume();
  assert.equal((await handle).digest, expected.fit);
});

test('annealing paused in mid-anneal gives the same digest', async () => {
  const phases = new Set();
  const onProgress = ({ phase }) => phases.add(phase);
  const handle = engine.logZ(logZ, { ...inStep, onProgress });
  for await (const { phase, beta } of handle) {
    if (phase === 'forward' && beta > 0) break;
  }
  await handle.pause();
  const checkpoint = await assertStill(handle);
  handle.resume();
  assert.equal((await handle).digest, expected.logZ);
  // What is not reported in between are phases that are over at once.
  for (const phase of ['pilot', 'forward', 'reverse']) assert.ok(phases.has(phase), phase);
  const later = new Set();
  const run = { ...inStep, resumeFrom: checkpoint, onProgress: (p) => later.add(p.phase) };
  assert.equal((await engine.logZ(logZ, run)).digest, expected.logZ);
  assert.ok(!later.has('pilot') && later.has('forward'), 'it did not start again');
});

test('cancelled, and continued from its checkpoint to the same digest', async () => {
  for (const [verb, spec] of Object.entries({ fit, sample, logZ })) {
    const handle = engine[verb](spec, inStep);
    assert.equal((await started(handle)).done, false);
    // The state is the worker's answer, not that of the last report.
    cancelByHand(handle);
    const error = await handle.catch((reason) => reason);
    assert.equal(error.code, 'aborted');
    assert.ok(error.checkpoint?.length > 0);
    const result = await engine[verb](spec, { resumeFrom: error.checkpoint });
    assert.equal(result.digest, expected[verb], verb);
  }
});

test('a checkpoint continues in a new process to the same digest', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unnorm-resume-'));
  const handle = engine.fit(fit, inStep);
  await started(handle);
  await handle.pause();
  writeFileSync(join(folder, 'checkpoint'), await handle.checkpoint());
  handle.cancel();
  writeFileSync(join(folder, 'values'), fit.data.values);
  const program = `
    import { readFileSync } from 'node:fs';
    import { createEngine } from ${JSON.stringify(entry.href)};
    const [folder, spec] = process.argv.slice(1);
    const read = (name) => new Uint8Array(readFileSync(folder + '/' + name));
    const engine = await createEngine({ numWorkers: 1 });
    const { data, ...rest } = JSON.parse(spec);
    const resumed = { ...rest, data: { ...data, values: read('values') } };
    let first;
    const onProgress = ({ iteration }) => (first ??= iteration);
    const run = { resumeFrom: read('checkpoint'), progressInterval: 0, onProgress };
    const { digest } = await engine.fit(resumed, run);
    console.log(JSON.stringify({ digest, first }));`;
  const { data, ...rest } = fit;
  const spec = JSON.stringify({ ...rest, data: { kind: data.kind, dim: data.dim } });
  const args = ['--input-type=module', '--eval', program, folder, spec];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  rmSync(folder, { recursive: true });
  const { digest, first } = JSON.parse(stdout);
  assert.equal(digest, expected.fit);
  assert.ok(first > 0, 'it did not start again');
});
