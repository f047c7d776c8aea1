/** Pause, resume, cancel, checkpoint, close; several jobs at once; any number of workers. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chain, createFakeEngine } from './fake/engine.mjs';

const engine = await createFakeEngine({ numWorkers: 2 });
after(() => engine.close());

/** The total of a job, computed once and without interference. */
async function totalOf(spec) {
  return (await engine.exact(spec)).total;
}

/** Resolves with the first progress. */
async function started(handle) {
  return (await handle[Symbol.asyncIterator]().next()).value;
}

test('the result does not depend on the number of workers, and helpers do help', async () => {
  const spec = chain({ numShards: 7, numRounds: 60, cost: 3 });
  const totals = new Set();
  for (const numWorkers of [1, 2, 3]) {
    const other = await createFakeEngine({ numWorkers });
    const { total, threads } = await other.exact(spec);
    totals.add(total);
    assert.equal(threads.length, numWorkers);
    await other.close();
  }
  assert.equal(totals.size, 1);
});

test('short rounds stay in one worker', async () => {
  const { threads } = await engine.exact(chain({ numRounds: 5000 }));
  assert.equal(threads.length, 1);
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
  const long = [1, 2, 3].map((seed) => engine.exact(chain({ numRounds: 1e9, cost: 2 }, { seed })));
  await Promise.all(long.map(started));
  const start = performance.now();
  await engine.exact(chain({ numRounds: 10 }));
  const wait = performance.now() - start;
  for (const handle of long) handle.cancel();
  assert.ok(wait < 250, `${wait} ms`);
});

for (const cost of [0.001, 0.3, 20]) {
  test(`cancel takes less than 100 ms with shards of ${cost} ms`, async () => {
    let reported;
    const onProgress = ({ round }) => {
      reported = round;
    };
    const handle = engine.exact(chain({ numRounds: 1e9, cost }), { onProgress });
    await started(handle);
    await sleep(50);
    const start = performance.now();
    handle.cancel();
    const error = await handle.catch((reason) => reason);
    const latency = performance.now() - start;
    assert.equal(error.code, 'aborted');
    assert.ok(latency < 100, `${latency} ms`);
    const { round } = JSON.parse(new TextDecoder().decode(error.checkpoint));
    assert.ok(round >= reported, 'the checkpoint is of where it stopped');
  });
}

test('cancel takes less than 100 ms even when the worker does not answer', async () => {
  const handle = engine.exact(chain({ numShards: 1, numRounds: 100, cost: 500 }));
  await sleep(100);
  const start = performance.now();
  handle.cancel();
  const error = await handle.catch((reason) => reason);
  const latency = performance.now() - start;
  assert.equal(error.code, 'aborted');
  assert.ok(latency < 100, `${latency} ms`);
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
  const spec = chain({ numShards: 8, numRounds: 5, cost: 30 });
  const expected = await totalOf(spec);
  const seen = [];
  const handle = engine.exact(spec, { onProgress: ({ round }) => seen.push(round) });
  await started(handle);
  for (let i = 0; i < 4; i++) {
    await handle.pause();
    // From the moment that it is paused: helpers have finished what they had, too.
    const before = process.cpuUsage();
    const { length } = seen;
    await sleep(100);
    const { user, system } = process.cpuUsage(before);
    // A job that went on would take all of it; what a collection of garbage takes is let pass.
    assert.ok(user + system < 60_000, `${(user + system) / 1000} ms of 100`);
    assert.equal(seen.length, length);
    handle.resume();
    await sleep(50);
  }
  assert.equal((await handle).total, expected);
});

test('pause and resume in any order leave the job running or paused as asked last', async () => {
  const handle = engine.exact(chain({ numRounds: 40, cost: 1 }));
  await Promise.all([handle.pause(), handle.pause()]);
  handle.resume();
  handle.resume();
  const first = handle.pause();
  handle.resume();
  const second = handle.pause();
  await Promise.all([first, second]);
  const ended = await Promise.race([handle.then(() => true), sleep(300, false)]);
  assert.equal(ended, false, 'it is paused');
  handle.resume();
  assert.equal((await handle).round, 40);
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
  const handle = engine.exact(spec);
  await started(handle);
  const running = await handle.checkpoint();
  await handle.pause();
  const [paused, again] = await Promise.all([handle.checkpoint(), handle.checkpoint()]);
  assert.deepEqual(paused, again);
  handle.cancel();
  const { checkpoint: cancelled } = await handle.catch((error) => error);
  for (const resumeFrom of [running, paused, cancelled]) {
    const { round } = JSON.parse(new TextDecoder().decode(resumeFrom));
    assert.ok(round > 0 && round < 60, `round ${round}`);
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
