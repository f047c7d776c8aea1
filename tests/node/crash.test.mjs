/** Workers that crash: replaced, their jobs resumed once. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { calm, chain, createFakeEngine } from './fake/engine.mjs';
import { Wire } from './fake/wire.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-crash-'));
const wire = new Wire();
const engine = await createFakeEngine({ numWorkers: 2, wire });
after(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

let numFiles = 0;
const newFile = () => join(folder, `${numFiles++}`);

/**
 * A job that crashes its worker, the same job without the crash, and a count of the crashes. Where a helper is to crash,
 * the rounds wait until one has helped, and until one has crashed.
 */
function crashing(crash, model = {}, rest = {}) {
  const [file, helperLog] = [newFile(), newFile()];
  const helped = { in: 'coordinator', round: 3, until: helperLog };
  const crashed = { in: 'coordinator', round: 5, until: file };
  const holds = crash.in === 'helper' ? [helped, crashed] : [];
  const all = { numShards: 5, numRounds: 30, cost: 1, helperLog, holds, ...model };
  const wild = chain({ ...all, crash: { times: 1, round: 5, file, ...crash } }, rest);
  return {
    numCrashes: () => (existsSync(file) ? statSync(file).size : 0),
    calm: calm(wild),
    wild,
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
  const { calm, wild, numCrashes } = crashing({ in: 'helper' });
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
  // Checkpoints come when it is time for them: it crashes once there is one that is far from the start.
  const [when, lasts] = [newFile(), newFile()];
  const { wild, numCrashes } = crashing({ in: 'coordinator', when }, { cost: 2, lasts });
  let [last, numStarts] = [0, 0];
  wire.watch(({ type, asked, checkpoint }) => {
    if (type === 'created') numStarts += 1;
    if (type !== 'checkpoint' || asked || existsSync(when)) return;
    last = JSON.parse(new TextDecoder().decode(checkpoint)).round;
    if (last > 30) writeFileSync(when, '');
  });
  const rounds = [];
  const onProgress = ({ round }) => {
    rounds.push(round);
    // Reports of the lost worker may still come when it has crashed.
    if (numStarts === 2) writeFileSync(lasts, '');
  };
  const { round, total } = await engine.exact(wild, { progressInterval: 0, onProgress });
  assert.equal(numCrashes(), 1);
  assert.ok(last > 30);
  // The checkpoint may be as new as the last report; then no report goes back.
  const back = rounds.findIndex((each, i) => each <= rounds[i - 1]);
  assert.ok(back < 0 || rounds[back] > last, `it went back to round ${rounds[back]}`);
  assert.equal(rounds.at(-1), round);
  assert.equal(total, (await engine.exact(calm(wild, round))).total);
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
    const go = newFile();
    const holds = [{ in: 'coordinator', round: 10, until: go }];
    const { calm, wild, numCrashes } = crashing({ in: 'create', round: 0 }, { holds });
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
    writeFileSync(go, '');
    assert.equal((await handle).total, (await engine.exact(calm)).total, action);
    assert.equal(numCrashes(), 1);
  }
});

test('a worker lost while reading data is replaced', async () => {
  const values = { kind: 'values', dim: 1, values: [0, 1, 1] };
  const { calm, wild, numCrashes } = crashing({ in: 'create', how: 'exit', round: 0 });
  // With one worker, which ends before it comes to the data.
  const single = await createFakeEngine({ numWorkers: 1 });
  const [{ total }, data] = await Promise.all([single.exact(wild), single.readData(values)]);
  assert.equal(data.numRows, 3);
  assert.equal(numCrashes(), 1);
  assert.equal(total, (await single.exact(calm)).total);
  await single.close();
});

function encode(value) {
  return new TextEncoder().encode(JSON.stringify(value));
}
