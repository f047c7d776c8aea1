/** What nobody tells the engine of: workers that fall silent, and what there is no room for. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { calm, chain, createFakeEngine } from './fake/engine.mjs';
import { countingPatience, PATIENCE_MS, Wire } from './fake/wire.mjs';
import { createEngine, dist, entry, moduleUrl, UnnormError } from './package.mjs';
import { until } from './until.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-faults-'));
after(() => rmSync(folder, { recursive: true }));
let numFiles = 0;
const newFile = () => join(folder, `${numFiles++}`);

/** An engine whose patience passes as fast as its workers answer. */
async function withEngine(options, action) {
  const wire = new Wire();
  await countingPatience(wire, async () => {
    const engine = await createFakeEngine({
      numWorkers: 2,
      patience: PATIENCE_MS,
      wire,
      ...options,
    });
    try {
      await action(engine);
    } finally {
      await engine.close();
    }
  });
}

async function failure(promise) {
  const error = await promise.then(
    () => assert.fail('it did not fail'),
    (reason) => reason,
  );
  assert.ok(error instanceof UnnormError, String(error));
  return error;
}

const spec = chain({ numShards: 4, numRounds: 20, cost: 2 });
let total;
await withEngine({}, async (engine) => {
  ({ total } = await engine.exact(spec));
});

/** The job with a worker that hangs in it. */
function hanging(crash, model = {}) {
  const whole = { how: 'hang', times: 1, file: newFile(), ...crash };
  return { ...spec, model: { ...spec.model, ...model, crash: whole } };
}

for (const where of ['create', 'coordinator', 'helper']) {
  test(`a worker that falls silent (${where}) is replaced, and the result is the same`, async () => {
    const round = where === 'create' ? 0 : 3;
    const file = newFile();
    // A helper may be late: the round in which it falls silent waits for it.
    const holds = where === 'helper' ? [{ in: 'coordinator', round, until: file }] : [];
    const wild = hanging({ in: where, round, file }, { holds });
    await withEngine({}, async (engine) => {
      assert.equal((await engine.exact(wild)).total, total);
      assert.ok(existsSync(file), 'it did hang');
    });
  });
}

test('a job that leaves its worker silent twice fails, and the engine works on', async () => {
  const wild = hanging({ in: 'coordinator', round: 3, times: 2 });
  await withEngine({ numWorkers: 1 }, async (engine) => {
    const error = await failure(engine.exact(wild).result);
    assert.equal(error.code, 'worker-crashed');
    assert.match(error.message, /did not answer for 60 seconds/);
    assert.equal((await engine.exact(spec)).total, total);
  });
});

test('a worker that hangs when its job is cancelled is not waited for by the next job', async () => {
  await withEngine({ numWorkers: 1, patience: Infinity }, async (engine) => {
    const wild = hanging({ in: 'coordinator', round: 3 });
    const handle = engine.exact(wild);
    await until('the worker hangs', () => existsSync(wild.model.crash.file));
    handle.cancel();
    const { code, checkpoint: resumeFrom } = await failure(handle.result);
    assert.equal(code, 'aborted');
    assert.equal((await engine.exact(spec)).total, total);
    // Its first report came with a checkpoint.
    assert.ok(JSON.parse(new TextDecoder().decode(resumeFrom)).round >= 1);
    assert.equal((await engine.exact(calm(wild), { resumeFrom })).total, total);
  });
});

test('patience is counted in ticks: time in which no tick came, as in a frozen tab, is not', async (t) => {
  const { Silence } = await import(new URL('silence.js', dist).href);
  let tick;
  let now = 0;
  t.mock.method(globalThis, 'setInterval', (callback) => {
    tick = callback;
    return 1;
  });
  t.mock.method(performance, 'now', () => now);
  t.mock.method(Date, 'now', () => now);
  const events = [];
  const silence = new Silence(6000, {
    tick: () => events.push('tick'),
    tooLong: () => events.push('tooLong'),
  });
  silence.watch();
  now += 3_600_000;
  for (let i = 0; i < 5; i++) tick();
  silence.heard();
  now += 3_600_000;
  for (let i = 0; i < 6; i++) tick();
  assert.deepEqual(events, [...new Array(10).fill('tick'), 'tooLong']);
});

/** Has messages of a type refused as those are for which there is no memory. */
function refusing(t, type) {
  const { postMessage } = Worker.prototype;
  let numRefused = 0;
  t.mock.method(Worker.prototype, 'postMessage', function (message, transfer) {
    if (message.type !== type) return postMessage.call(this, message, transfer);
    numRefused += 1;
    throw new DOMException('Data cannot be cloned, out of memory.', 'DataCloneError');
  });
  return () => numRefused;
}

test('a job that cannot be copied to a worker is too large, and the engine works on', async (t) => {
  await withEngine({}, async (engine) => {
    const numRefused = refusing(t, 'start');
    const error = await failure(engine.exact(spec).result);
    assert.equal(error.code, 'too-large');
    assert.match(error.message, /out of memory.*ask for less/);
    assert.equal(numRefused(), 1);
    t.mock.restoreAll();
    assert.equal((await engine.exact(spec)).total, total);
  });
});

test('a job whose data have no room with a helper goes on without one', async (t) => {
  await withEngine({}, async (engine) => {
    const numRefused = refusing(t, 'help');
    const result = await engine.exact(spec);
    assert.equal(result.total, total);
    assert.equal(result.threads.length, 1);
    assert.equal(numRefused(), 1);
  });
});

test('a job whose worker cannot be replaced fails with its checkpoint; the next tries again', async () => {
  await withEngine({ numWorkers: 1 }, async (engine) => {
    const wild = hanging({ in: 'coordinator', round: 5, how: 'trap' });
    process.env.UNNORM_TEST_BROKEN_WORKER = '1';
    const resumeFrom = new TextEncoder().encode('{"round":0,"total":1,"seed":1}');
    const error = await failure(engine.exact(wild, { resumeFrom }).result);
    assert.equal(error.code, 'wasm-unavailable');
    assert.match(error.message, /broken on purpose/);
    const again = await failure(engine.exact(spec).result);
    assert.equal(again.code, 'wasm-unavailable');
    delete process.env.UNNORM_TEST_BROKEN_WORKER;
    assert.equal((await engine.exact(spec, { resumeFrom: error.checkpoint })).total, total);
  });
});

test('memory that runs out is said so, and the engine works on', async () => {
  const program = `
    import { createEngine } from ${JSON.stringify(entry)};
    const engine = await createEngine({ numWorkers: 1 });
    const spec = { model: { kind: 'ring' }, transition: { kind: 'hmc' }, numChains: 64, numWarmup: 100, seed: 1 };
    const { code, message } = await engine.sample({ ...spec, numDraws: 100_000 }).catch((error) => error);
    const { digest } = await engine.sample({ ...spec, numDraws: 10 });
    console.log(JSON.stringify({ code, message, digest }));
    await engine.close();`;
  const flags = ['--wasm-max-mem-pages=300', '--input-type=module'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', program]);
  const { code, message, digest } = JSON.parse(stdout);
  assert.equal(code, 'worker-crashed');
  assert.match(message, /its memory of \d+ MiB could not be doubled.*ask for less/);
  assert.match(digest, /^[0-9a-f]{64}$/);
});

/** The package's worker, that waits for the module of a custom model as long as it is told here; the engine is patient. */
const impatient = new URL(
  moduleUrl(`
    import { parentPort } from 'node:worker_threads';
    import { runWorker } from ${JSON.stringify(new URL('worker-core.js', dist).href)};
    const shortly = (message) => (message.type === 'init' ? { ...message, patience: 100 } : message);
    runWorker({
      post: (message, transfer) => parentPort.postMessage(message, transfer),
      listen: (receive) => parentPort.on('message', (message) => receive(shortly(message))),
      importWasm: () => import(${JSON.stringify(new URL('wasm/plain/unnorm.js', dist).href)}),
      yieldToMessages: () => new Promise((resolve) => setImmediate(resolve)),
    });`),
);

test('a custom model whose module never comes is refused', async () => {
  const engine = await createEngine({ numWorkers: 1, workerUrl: impatient });
  const url = moduleUrl('await new Promise(() => {}); export default () => {};');
  const model = { kind: 'custom', url, dim: 2 };
  const sampling = {
    model,
    transition: { kind: 'hmc' },
    numChains: 2,
    numWarmup: 10,
    numDraws: 10,
  };
  const error = await failure(engine.sample({ ...sampling, seed: 1 }).result);
  assert.equal(error.code, 'invalid-model');
  assert.match(error.message, /did not come within 0.1 seconds/);
  await engine.close();
});

test('a patience without end will do', async () => {
  await withEngine({ patience: Infinity }, async (engine) => {
    assert.equal((await engine.exact(spec)).total, total);
  });
});
