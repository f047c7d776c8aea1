/** Messages that are lost on their way, between this thread and a worker or between two workers: the result is the same. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chain, createFakeEngine } from './fake/engine.mjs';
import { countingPatience, PATIENCE_MS, Wire } from './fake/wire.mjs';
import { until } from './until.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-lost-'));
after(() => rmSync(folder, { recursive: true }));
let numFiles = 0;
const newFile = () => join(folder, `${numFiles++}`);

/** An engine whose patience passes as fast as its workers answer, and what its messages go through. */
function withEngine(action) {
  const wire = new Wire();
  return countingPatience(wire, async () => {
    const engine = await createFakeEngine({ numWorkers: 2, patience: PATIENCE_MS, wire });
    try {
      return await action(engine, wire);
    } finally {
      await engine.close();
    }
  });
}

const spec = chain({ numShards: 4, numRounds: 20, cost: 2 });
const held = (holds, model = {}) => ({ ...spec, model: { ...spec.model, ...model, holds } });
const { total } = await withEngine((engine) => engine.exact(spec));

/** Jobs that have every kind of message sent, the last of which goes on until one is lost. */
async function eventful(engine, wire) {
  const go = newFile();
  const waiting = held([{ in: 'coordinator', round: 2, until: go }]);
  const handle = engine.exact(waiting, { progressInterval: 0, streamDraws: true });
  await handle[Symbol.asyncIterator]().next();
  const checkpoint = await handle.checkpoint();
  await handle.pause();
  handle.resume();
  writeFileSync(go, '');
  const result = await handle;
  assert.equal((await engine.exact(spec, { resumeFrom: checkpoint })).total, total);
  const data = await engine.readData({ kind: 'values', dim: 1, values: [0, 1, 1] });
  assert.equal(data.numRows, 3);
  await assert.rejects(engine.exact(chain({ refuse: true })).result, { code: 'invalid-spec' });
  const endless = engine.exact(chain({ numRounds: 1e9, cost: 2 }));
  const isLast = ['cancel', 'aborted', 'dismiss'].includes(wire.toLose.type);
  if (!isLast) await until('the message is lost', () => wire.numLost === 1);
  endless.cancel();
  await assert.rejects(endless.result, { code: 'aborted' });
  await until('the message is lost', () => wire.numLost === 1);
  return result;
}

const messages = {
  to: 'start progressReceived addHelper help pause resume checkpoint cancel dismiss readData ping',
  from: 'created wantHelpers progress checkpoint paused done refused data pong aborted',
};
for (const [way, types] of Object.entries(messages)) {
  for (const type of types.split(' ')) {
    test(`the loss of a message ${way} a worker (${type}) makes no difference`, async () => {
      await withEngine(async (engine, wire) => {
        wire.lose(way, type);
        assert.equal((await eventful(engine, wire)).total, total);
      });
    });
  }
}

/** What rounds wait for, that a message between workers is lost: `lost` exists when one was, `helped` when a helper came. */
function waitingFor(type, lost, helped) {
  if (type !== 'withdraw') return [{ in: 'coordinator', round: 1, until: lost }];
  // A helper that has come and does nothing: the shard that waits with it is taken back.
  return [
    { in: 'coordinator', round: 3, until: helped },
    { in: 'helper', round: 4, until: lost },
  ];
}

for (const type of ['ready', 'shards', 'withdraw', 'parts', 'ping', 'pong']) {
  test(`the loss of a message between workers (${type}) makes no difference`, async () => {
    const [lost, helped] = [newFile(), newFile()];
    process.env.UNNORM_TEST_LOSE = JSON.stringify({ type, file: lost });
    try {
      await withEngine(async (engine) => {
        const waiting = held(waitingFor(type, lost, helped), { helperLog: helped });
        assert.equal((await engine.exact(waiting)).total, total);
        assert.ok(existsSync(lost), 'it was lost');
      });
    } finally {
      delete process.env.UNNORM_TEST_LOSE;
    }
  });
}

for (const [way, type] of [
  ['to', 'init'],
  ['from', 'ready'],
]) {
  test(`an engine whose first worker is never heard of (${type} is lost) does not start`, async () => {
    const wire = new Wire();
    wire.lose(way, type);
    await countingPatience(wire, () =>
      assert.rejects(createFakeEngine({ patience: PATIENCE_MS, wire }), {
        code: 'wasm-unavailable',
        message: /did not answer for 60 seconds/,
      }),
    );
    assert.equal(wire.numLost, 1);
  });
}
