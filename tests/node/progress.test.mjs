/** The handle as an async iterator and as a promise. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { chain, createFakeEngine } from './fake/engine.mjs';
import { until } from './until.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-progress-'));
const engine = await createFakeEngine({ numWorkers: 2 });
after(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

let numGates = 0;
/** What a job waits for before a round, until it is let go. */
function gateAt(round) {
  const file = join(folder, `gate ${numGates++}`);
  return { hold: { in: 'coordinator', round, until: file }, letGo: () => writeFileSync(file, '') };
}

async function collect(iterable) {
  const all = [];
  for await (const item of iterable) all.push(item);
  return all;
}

test('an iterator sees progress grow, the last one last, and ends', async () => {
  // Each quarter of the job waits until something of the one before has been seen.
  const gates = [50, 100, 150].map(gateAt);
  const holds = gates.map(({ hold }) => hold);
  const all = [];
  const run = { progressInterval: 10 };
  for await (const progress of engine.exact(chain({ numRounds: 200, cost: 0.6, holds }), run)) {
    all.push(progress);
    for (const { hold, letGo } of gates) if (progress.round > hold.round - 50) letGo();
  }
  assert.ok(all.length > 3, `${all.length} reports`);
  for (let i = 1; i < all.length; i++) assert.ok(all[i].round > all[i - 1].round);
  assert.deepEqual(all.at(-1), { round: 200, fraction: 1, done: true });
});

test('several iterators, also one that starts late, all see the last progress', async () => {
  const handle = engine.exact(chain({ numRounds: 100, cost: 0.5 }));
  const [a, b] = await Promise.all([collect(handle), collect(handle)]);
  const late = await collect(handle);
  for (const all of [a, b]) assert.equal(all.at(-1).done, true);
  assert.equal(late.length, 1);
  assert.equal(late[0].done, true);
});

test('a slow iterator skips to the latest progress', async () => {
  const seen = [];
  const handle = engine.exact(chain({ numRounds: 800, cost: 0.2 }), {
    progressInterval: 0,
    onProgress: ({ round }) => seen.push(round),
  });
  const slow = [];
  for await (const progress of handle) {
    slow.push(progress.round);
    if (progress.done) break;
    // So slow that there are ten more reports, or the last.
    const { length } = seen;
    await until('there are reports', () => seen.length >= length + 10 || seen.at(-1) === 800);
    const latest = seen.at(-1);
    const { value } = await handle[Symbol.asyncIterator]().next();
    assert.ok(value.round >= latest, 'a new iterator begins with the latest');
  }
  assert.equal(slow.at(-1), 800);
  assert.ok(slow.length < seen.length / 2, `${slow.length} of ${seen.length} reports`);
});

test('a blocked main thread is sent one progress, not a queue of them', async () => {
  const seen = [];
  const { hold, letGo } = gateAt(200);
  const workLog = join(folder, 'work');
  const numRounds = () => (existsSync(workLog) ? statSync(workLog).size : 0);
  const model = { numShards: 1, numRounds: 800, cost: 0.8, holds: [hold], workLog };
  const run = { progressInterval: 0, onProgress: (progress) => seen.push(progress) };
  const handle = engine.exact(chain(model), run);
  await handle[Symbol.asyncIterator]().next();
  const before = seen.length;
  // Blocked until the job has come so far that it waits, too: then all reports have been sent.
  while (numRounds() < 200);
  await handle.checkpoint();
  const queued = seen.length - before;
  letGo();
  await handle;
  assert.ok(queued <= 2, `${queued} reports were waiting`);
});

test('with draws streamed and no interval every round is reported, and the job waits for a blocked thread', async () => {
  const seen = [];
  const handle = engine.exact(chain({ numRounds: 60, cost: 0 }), {
    streamDraws: true,
    progressInterval: 0,
    onProgress: ({ round }) => seen.push(round),
  });
  await handle[Symbol.asyncIterator]().next();
  const before = seen.length;
  const end = performance.now() + 200;
  while (performance.now() < end);
  assert.ok(seen.length - before <= 1, 'the main thread was not blocked');
  await handle;
  assert.deepEqual(
    seen,
    Array.from({ length: 60 }, (_, n) => n + 1),
  );
});

test('onProgress is called before the promise resolves, last with done', async () => {
  const seen = [];
  await engine.exact(chain({}), { onProgress: (progress) => seen.push(progress) });
  assert.equal(seen.at(-1).done, true);
});

test('progressInterval bounds the number of reports', async () => {
  const seen = [];
  const start = performance.now();
  await engine.exact(chain({ numRounds: 300, cost: 0.5 }), {
    progressInterval: 100,
    onProgress: (progress) => seen.push(progress),
  });
  const most = 2 + Math.ceil((performance.now() - start) / 100);
  assert.ok(seen.length <= most, `${seen.length} reports, at most ${most} expected`);
});

test('leaving the loop early does not stop the job', async () => {
  const { hold, letGo } = gateAt(50);
  const handle = engine.exact(chain({ numRounds: 100, cost: 0.5, holds: [hold] }));
  for await (const progress of handle) {
    assert.equal(progress.done, false);
    break;
  }
  letGo();
  assert.equal((await handle).round, 100);
});

test('a failure is thrown by the iterator after the last progress', async () => {
  const handle = engine.exact(chain({ numRounds: 100, cost: 1, refuseAt: 50 }));
  let last;
  await assert.rejects(
    async () => {
      for await (const progress of handle) last = progress;
    },
    { name: 'UnnormError', code: 'too-large' },
  );
  assert.ok(last.round < 50);
  await assert.rejects(handle.result, { code: 'too-large' });
});

test('the handle is a promise: then, catch, finally, result', async () => {
  const handle = engine.exact(chain({}));
  let finished = false;
  const [awaited, result, viaThen] = await Promise.all([
    handle,
    handle.result,
    handle.then((value) => value),
    handle.finally(() => {
      finished = true;
    }),
  ]);
  assert.equal(awaited, result);
  assert.equal(viaThen, result);
  assert.ok(finished);
  const caught = await engine.exact(chain({ refuse: true })).catch((error) => error.code);
  assert.equal(caught, 'invalid-spec');
});

/** Runs a program with an engine in a process of its own; resolves with its exit code and output. */
async function inProcess(program) {
  const engineModule = new URL('./fake/engine.mjs', import.meta.url).href;
  const source = `
    import { chain, createFakeEngine } from ${JSON.stringify(engineModule)};
    const engine = await createFakeEngine({ numWorkers: 2 });
    ${program}`;
  const args = ['--input-type=module', '--eval', source];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 600_000 });
    return { code: 0, stdout };
  } catch ({ code, stdout, stderr }) {
    return { code, stdout, stderr };
  }
}

test('a failure that was iterated over, or asked for, is not an unhandled rejection', async () => {
  const { code, stdout, stderr } = await inProcess(`
    try {
      for await (const p of engine.exact(chain({ numRounds: 9, cost: 1, refuseAt: 5 }))) void p;
    } catch { console.log('iterated'); }
    engine.exact(chain({ numRounds: 1000, cost: 1 })).cancel();
    engine.exact(chain({}), { signal: AbortSignal.abort() });
    engine.exact(chain({ numRounds: 1000, cost: 1 }));
    await engine.close();
    console.log('closed');`);
  assert.equal(code, 0, stderr);
  assert.equal(stdout, 'iterated\nclosed\n');
});

test('a failure that nobody looks at is an unhandled rejection', async () => {
  const { code, stderr } = await inProcess('engine.exact(chain({ refuse: true }));');
  assert.equal(code, 1);
  assert.match(stderr, /model\.refuse is set/);
});

test('a process ends by itself once its jobs have, without close', async () => {
  const { code, stdout } = await inProcess(`
    engine.exact(chain({ numRounds: 100, cost: 1 })).then(({ round }) => console.log(round));`);
  assert.equal(code, 0);
  assert.equal(stdout, '100\n', 'the process waits for the job');
});

test('a paused job does not keep a process alive', async () => {
  const { code, stdout } = await inProcess(`
    const handle = engine.exact(chain({ numRounds: 1e9, cost: 1 }));
    await handle.pause();
    const bytes = await handle.checkpoint();
    console.log(bytes.length > 0);`);
  assert.equal(code, 0);
  assert.equal(stdout, 'true\n');
});
