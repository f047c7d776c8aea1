/** Pause, resume, cancel, checkpoint, close; several jobs at once; any number of workers. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cancelByHand } from './cancelled.mjs';
import { calm, chain, createFakeEngine, STILL_CLOCK } from './fake/engine.mjs';
import { until } from './until.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-control-'));
const engine = await createFakeEngine({ numWorkers: 2 });
after(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});
let numFiles = 0;
const newFile = () => join(folder, `${numFiles++}`);

/** The total of a job, computed once and without interference. */
async function totalOf(spec) {
  return (await engine.exact(spec)).total;
}

/** Resolves with the first progress. */
async function started(handle) {
  return (await handle[Symbol.asyncIterator]().next()).value;
}

/** A job that goes on until `end` is called, and how many shards of it have been done so far. */
function lasting(model) {
  const [lasts, workLog] = [newFile(), newFile()];
  return {
    spec: chain({ ...model, lasts, workLog }),
    end: () => writeFileSync(lasts, ''),
    numDone: () => (existsSync(workLog) ? statSync(workLog).size : 0),
  };
}

/** A job that both workers have to do something for: when it is over, each has had its turn. */
const oneForBoth = () =>
  engine.exact(chain({ numRounds: 1, meet: { numWorkers: 2, file: newFile() } }));

test('the result does not depend on the number of workers, and helpers do help', async () => {
  const totals = new Set();
  for (const numWorkers of [1, 2, 3]) {
    const other = await createFakeEngine({ numWorkers });
    const meet = { numWorkers, file: newFile() };
    const spec = chain({ numShards: 7, numRounds: 60, cost: 3, meet });
    const { total, threads } = await other.exact(spec);
    totals.add(total);
    assert.equal(threads.length, numWorkers);
    await other.close();
  }
  assert.equal(totals.size, 1);
});

test('short rounds stay in one worker', async () => {
  // By a clock that stands still: on a busy machine any round may take long.
  const still = await createFakeEngine({ numWorkers: 2, workerUrl: STILL_CLOCK });
  const { threads } = await still.exact(chain({ numRounds: 5000, cost: 0.01 }));
  assert.equal(threads.length, 1);
  await still.close();
});

test('jobs at once share the workers and do not disturb one another', async () => {
  const specs = [0.02, 1, 3, 0].map((cost, i) =>
    chain({ numShards: 3 + i, numRounds: 60, cost }, { seed: 10 + i }),
  );
  const alone = [];
  for (const spec of specs) alone.push(await totalOf(spec));
  const together = await Promise.all(specs.map(totalOf));
  assert.deepEqual(together, alone);
});

test('a short job is not kept waiting by long ones', async () => {
  const still = await createFakeEngine({ numWorkers: 1, workerUrl: STILL_CLOCK });
  const long = [1, 2, 3].map((seed) => still.exact(chain({ numRounds: 1e9, cost: 2 }, { seed })));
  await Promise.all(long.map(started));
  const { numOthers } = await still.exact(chain({ numRounds: 10 }));
  for (const handle of long) handle.cancel();
  await Promise.allSettled(long);
  // A turn of each of the others, of some 12 ms.
  assert.ok(numOthers <= 3 * 6, `${numOthers} shards of others came first`);
  await still.close();
});

for (const cost of [0.001, 0.3, 20]) {
  test(`a worker hears of a cancellation after less than 100 ms of work, with shards of ${cost} ms`, async () => {
    const still = await createFakeEngine({ numWorkers: 1, workerUrl: STILL_CLOCK });
    let reported;
    const onProgress = ({ round }) => {
      reported = round;
    };
    const handle = still.exact(chain({ numRounds: 1e9, cost }), { onProgress });
    await started(handle);
    // Nothing but the worker's answer ends it.
    cancelByHand(handle);
    const error = await handle.catch((reason) => reason);
    assert.equal(error.code, 'aborted');
    const { round } = JSON.parse(new TextDecoder().decode(error.checkpoint));
    assert.ok(round >= reported, 'the checkpoint is of where it stopped');
    const { longestTurn } = await still.exact(chain({}));
    assert.ok(longestTurn >= cost && longestTurn < 100, `${longestTurn} ms`);
    await still.close();
  });
}

test('a job is cancelled in less than 100 ms even when the worker does not answer', async () => {
  const file = newFile();
  const crash = { in: 'coordinator', how: 'hang', round: 3, times: 1, file };
  const handle = engine.exact(chain({ crash, cost: 1 }));
  await until('the worker hangs', () => existsSync(file));
  cancelByHand(handle).pass();
  const error = await handle.catch((reason) => reason);
  assert.equal(error.code, 'aborted');
  assert.equal(await totalOf(chain({})), await totalOf(chain({})), 'the engine is usable');
});

test('an aborted signal cancels, with its reason as the cause', async () => {
  const controller = new AbortController();
  const spec = chain({ numRounds: 1e9, cost: 1 });
  const handle = engine.exact(spec, { signal: controller.signal });
  await started(handle);
  controller.abort('enough');
  const error = await handle.catch((reason) => reason);
  assert.equal(error.code, 'aborted');
  assert.equal(error.cause, 'enough');
  assert.ok(error.checkpoint instanceof Uint8Array);
});

test('a signal that is aborted already cancels before anything starts', async () => {
  const resumeFrom = new TextEncoder().encode('{"round":3,"total":5,"seed":1}');
  const run = { signal: AbortSignal.abort(), resumeFrom };
  const error = await engine.exact(chain({}), run).catch((reason) => reason);
  assert.equal(error.code, 'aborted');
  assert.deepEqual(error.checkpoint, resumeFrom);
});

test('a signal has no listener left after the end', async () => {
  const { signal } = new AbortController();
  const listeners = new Set();
  signal.addEventListener = (_type, listener) => listeners.add(listener);
  signal.removeEventListener = (_type, listener) => listeners.delete(listener);
  const done = engine.exact(chain({}), { signal });
  assert.equal(listeners.size, 1);
  await done;
  assert.equal(listeners.size, 0);
  await engine.exact(chain({ refuse: true }), { signal }).catch(() => undefined);
  assert.equal(listeners.size, 0);
});

test('a paused job uses no processor time, and goes on to the same result', async () => {
  const { spec, end, numDone } = lasting({ numShards: 8, numRounds: 5, cost: 3 });
  const seen = [];
  const handle = engine.exact(spec, { onProgress: ({ round }) => seen.push(round) });
  await started(handle);
  for (let i = 0; i < 4; i++) {
    await handle.pause();
    // What a helper began in vain is over, too, when it has had its turn.
    await oneForBoth();
    const [{ length }, before] = [seen, numDone()];
    await oneForBoth();
    // One that went on would take all there is of every moment; other things, such as garbage, take some moments.
    await until('no processor is used', async () => {
      const earlier = process.cpuUsage();
      await sleep(100);
      const { user, system } = process.cpuUsage(earlier);
      return user + system < 60_000;
    });
    assert.equal(numDone(), before);
    assert.equal(seen.length, length);
    handle.resume();
    await until('it goes on', () => numDone() > before);
  }
  end();
  const { round, total } = await handle;
  assert.equal(total, await totalOf(calm(spec, round)));
});

test('pause and resume in any order leave the job running or paused as asked last', async () => {
  const { spec, end, numDone } = lasting({ numRounds: 40, cost: 1 });
  const handle = engine.exact(spec);
  await Promise.all([handle.pause(), handle.pause()]);
  handle.resume();
  handle.resume();
  const first = handle.pause();
  handle.resume();
  const second = handle.pause();
  await Promise.all([first, second]);
  await oneForBoth();
  const before = numDone();
  await oneForBoth();
  assert.equal(numDone(), before, 'it is paused');
  handle.resume();
  end();
  const { round, total } = await handle;
  assert.ok(round >= 40);
  assert.equal(total, await totalOf(calm(spec, round)));
  await handle.pause();
});

test('cancelling a paused job ends it', async () => {
  const handle = engine.exact(chain({ numRounds: 1e9, cost: 1 }));
  await handle.pause();
  handle.cancel();
  await assert.rejects(handle.result, { code: 'aborted' });
});

test('a checkpoint taken while running, paused or cancelled continues to the same result', async () => {
  const spec = chain({ numShards: 5, numRounds: 60, cost: 1 });
  const expected = await totalOf(spec);
  // It is not over before all three are taken.
  const holds = [{ in: 'coordinator', round: 30, until: newFile() }];
  const handle = engine.exact({ ...spec, model: { ...spec.model, holds } });
  await started(handle);
  const running = await handle.checkpoint();
  await handle.pause();
  const [paused, again] = await Promise.all([handle.checkpoint(), handle.checkpoint()]);
  assert.deepEqual(paused, again);
  handle.cancel();
  const { checkpoint: cancelled } = await handle.catch((error) => error);
  for (const resumeFrom of [running, paused, cancelled]) {
    const { round } = JSON.parse(new TextDecoder().decode(resumeFrom));
    assert.ok(round > 0 && round <= 30, `round ${round}`);
    assert.equal((await engine.exact(spec, { resumeFrom })).total, expected);
    assert.ok(resumeFrom.length > 0, 'the bytes are still the caller’s');
  }
});

test('a finished job’s checkpoint gives the result again at once', async () => {
  const spec = chain({ numRounds: 20, cost: 1 });
  const handle = engine.exact(spec);
  const { total } = await handle;
  const resumeFrom = await handle.checkpoint();
  const seen = [];
  const onProgress = (progress) => seen.push(progress);
  const again = await engine.exact(spec, { resumeFrom, onProgress, progressInterval: 0 });
  assert.equal(again.total, total);
  assert.deepEqual(seen, [{ round: 20, fraction: 1, done: true }]);
});

test('a job that never was has no checkpoint', async () => {
  const handle = engine.exact(chain({ refuse: true }));
  await assert.rejects(handle.result, { code: 'invalid-spec', field: 'model.refuse' });
  await assert.rejects(handle.checkpoint(), { code: 'invalid-spec' });
});

test('close ends running jobs and refuses new ones', async () => {
  const other = await createFakeEngine({ numWorkers: 2 });
  const handle = other.exact(chain({ numRounds: 1e9, cost: 1 }));
  await started(handle);
  const closing = other.close();
  await assert.rejects(handle.result, { code: 'closed' });
  await closing;
  await other.close();
  await assert.rejects(other.exact(chain({})).result, { code: 'closed' });
  const data = { kind: 'values', dim: 1, values: [0, 1] };
  await assert.rejects(other.readData(data), { code: 'closed' });
});
