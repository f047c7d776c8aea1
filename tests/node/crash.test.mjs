/** Workers that crash: replaced, their jobs resumed once. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chain, createFakeEngine } from './fake/engine.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-crash-'));
const engine = await createFakeEngine({ numWorkers: 2 });
after(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

let numFiles = 0;
/** A job that crashes its worker, the same job without the crash, and a count of the crashes. */
function crashing(crash, model = {}, rest = {}) {
  const file = join(folder, `${numFiles++}`);
  const calm = { numShards: 5, numRounds: 30, cost: 1, ...model };
  return {
    numCrashes: () => (existsSync(file) ? statSync(file).size : 0),
    calm: chain(calm, rest),
    wild: chain({ ...calm, crash: { times: 1, round: 5, file, ...crash } }, rest),
  };
}

for (const how of ['trap', 'stack', 'exit']) {
  test(`a job whose coordinator crashes once (${how}) still gives the same result`, async () => {
    const { calm, wild, numCrashes } = crashing({ in: 'coordinator', how });
    assert.equal((await engine.exact(wild)).total, (await engine.exact(calm)).total);
    assert.equal(numCrashes(), 1);
  });
}

test('a job whose helper crashes once still gives the same result', async () => {
  const { calm, wild, numCrashes } = crashing({ in: 'helper' }, { numRounds: 60 });
  const { total, threads } = await engine.exact(wild);
  assert.equal(numCrashes(), 1);
  assert.equal(total, (await engine.exact(calm)).total);
  assert.ok(threads.length >= 2, 'it was helped');
});

test('a seed chosen by the core survives a crash', async () => {
  const { wild } = crashing({ in: 'coordinator' }, {}, { seed: undefined });
  const { seed, total } = await engine.exact(wild);
  assert.equal(total, (await engine.exact(chain(wild.model, { seed }))).total);
});

test('data survives a crash, also one before it is packed, and whatever the caller does', async () => {
  const given = () => ({ kind: 'values', dim: 2, values: Float64Array.of(0, 1, 1, 1) });
  const { total } = await engine.fit({ ...crashing({}).calm, data: given() });
  assert.notEqual(total, (await engine.exact(crashing({}).calm)).total, 'data matters');
  for (const where of ['create', 'coordinator', 'helper']) {
    const { wild, numCrashes } = crashing({ in: where, round: where === 'create' ? 0 : 5 });
    const data = given();
    const handle = engine.fit({ ...wild, data });
    data.values.fill(0);
    assert.equal((await handle).total, total, where);
    assert.equal(numCrashes(), 1);
  }
});

test('it resumes from its last checkpoint, not from the start', async () => {
  const { wild, numCrashes } = crashing(
    { in: 'coordinator', round: 100 },
    { numRounds: 120, cost: 12 },
  );
  const rounds = [];
  await engine.exact(wild, { progressInterval: 0, onProgress: ({ round }) => rounds.push(round) });
  assert.equal(numCrashes(), 1);
  // The checkpoint may be as new as the last report; then no report goes back.
  const back = rounds.findIndex((round, i) => round <= rounds[i - 1]);
  assert.ok(back < 0 || rounds[back] > 30, `it went back to round ${rounds[back]}`);
  assert.equal(rounds.at(-1), 120);
});

test('a job that crashes twice fails with its last checkpoint; others do not notice', async () => {
  const other = chain({ numShards: 3, numRounds: 200, cost: 1 }, { seed: 9 });
  const expected = (await engine.exact(other)).total;
  const { calm, wild, numCrashes } = crashing({ in: 'coordinator', times: 2 });
  const bystanders = [engine.exact(other), engine.exact(other)];
  const handle = engine.exact(wild, { resumeFrom: encode({ round: 2, total: 77, seed: 1 }) });
  const error = await handle.catch((reason) => reason);
  assert.equal(error.code, 'worker-crashed');
  assert.match(error.message, /unreachable/);
  assert.equal(numCrashes(), 2);
  const { total } = await engine.exact(calm, { resumeFrom: error.checkpoint });
  const direct = engine.exact(calm, { resumeFrom: encode({ round: 2, total: 77, seed: 1 }) });
  assert.equal(total, (await direct).total);
  for (const handle of bystanders) assert.equal((await handle).total, expected);
});

test('pause, checkpoint and cancel reach a job that was restarted meanwhile', async () => {
  for (const action of ['pause', 'checkpoint', 'cancel']) {
    const { calm, wild, numCrashes } = crashing({ in: 'create', round: 0 });
    const handle = engine.exact(wild);
    const acted = handle[action]();
    if (action === 'cancel') {
      await assert.rejects(handle.result, { code: 'aborted' });
      continue;
    }
    await acted;
    const { round } = JSON.parse(new TextDecoder().decode(await handle.checkpoint()));
    assert.ok(round < calm.model.numRounds, `${action} came before the end, at round ${round}`);
    handle.resume();
    assert.equal((await handle).total, (await engine.exact(calm)).total, action);
    assert.equal(numCrashes(), 1);
  }
});

test('a worker lost while reading data is replaced', async () => {
  const values = { kind: 'values', dim: 1, values: [0, 1, 1] };
  const { wild } = crashing({ in: 'coordinator', how: 'exit', round: 0 });
  const [, data] = await Promise.all([engine.exact(wild), engine.readData(values)]);
  assert.equal(data.numRows, 3);
});

function encode(value) {
  return new TextEncoder().encode(JSON.stringify(value));
}
