/** What nobody tells the engine of: workers that fall silent, messages that are lost, servers that stall. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { chain, createFakeEngine } from './fake/engine.mjs';
import { createEngine, dist, entry, moduleUrl, UnnormError } from './package.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-faults-'));
after(() => rmSync(folder, { recursive: true }));
let numFiles = 0;
const newFile = () => join(folder, `${numFiles++}`);

/** Long enough for a worker on a busy machine to answer, short enough for a test. */
const PATIENCE_MS = 2400;

async function withEngine(options, action) {
  const engine = await createFakeEngine({ numWorkers: 2, patience: PATIENCE_MS, ...options });
  try {
    return await action(engine);
  } finally {
    await engine.close();
  }
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
/** Long enough for pings, of which there is one in each sixth of the patience. */
const long = chain({ numShards: 4, numRounds: 200, cost: 2 });
const [total, longTotal] = await withEngine({}, async (engine) => [
  (await engine.exact(spec)).total,
  (await engine.exact(long)).total,
]);

for (const where of ['create', 'coordinator', 'helper']) {
  test(`a worker that falls silent (${where}) is replaced, and the result is the same`, async () => {
    const crash = {
      in: where,
      round: where === 'create' ? 0 : 3,
      how: 'hang',
      times: 1,
      file: newFile(),
    };
    const hanging = { ...spec, model: { ...spec.model, crash } };
    assert.equal((await withEngine({}, (engine) => engine.exact(hanging))).total, total);
    assert.ok(existsSync(crash.file), 'it did hang');
  });
}

test('a job that leaves its worker silent twice fails, and the engine works on', async () => {
  const crash = { in: 'coordinator', round: 3, how: 'hang', times: 2, file: newFile() };
  await withEngine({ numWorkers: 1 }, async (engine) => {
    const error = await failure(engine.exact({ ...spec, model: { ...spec.model, crash } }).result);
    assert.equal(error.code, 'worker-crashed');
    assert.match(error.message, /did not answer for 2.4 seconds/);
    assert.equal((await engine.exact(spec)).total, total);
  });
});

test('a worker that hangs when its job is cancelled is not waited for by the next job', async () => {
  await withEngine({ numWorkers: 1, patience: Infinity }, async (engine) => {
    const crash = { in: 'coordinator', round: 3, how: 'hang', times: 1, file: newFile() };
    const hanging = { ...spec, model: { ...spec.model, crash } };
    const handle = engine.exact(hanging);
    while (!existsSync(crash.file)) await sleep(10);
    handle.cancel();
    const { code, checkpoint: resumeFrom } = await failure(handle.result);
    assert.equal(code, 'aborted');
    assert.equal((await engine.exact(spec)).total, total);
    // Its first report was seen, and came with a checkpoint.
    assert.ok(JSON.parse(new TextDecoder().decode(resumeFrom)).round >= 1);
    assert.equal((await engine.exact(hanging, { resumeFrom })).total, total);
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

/** Loses the first message of a type; `emit` is how those of a worker arrive. */
function losing(t, method, type) {
  const original = Worker.prototype[method];
  let numLost = 0;
  t.mock.method(Worker.prototype, method, function (...args) {
    const message = method === 'emit' ? args[0] === 'message' && args[1] : args[0];
    if (numLost > 0 || message?.type !== type) return original.apply(this, args);
    numLost += 1;
  });
  return () => numLost;
}

/** A job that has every kind of message sent. */
async function eventful(engine, waitsForPing) {
  const handle = engine.exact(spec, { progressInterval: 0, streamDraws: true });
  await handle[Symbol.asyncIterator]().next();
  const checkpoint = await handle.checkpoint();
  await handle.pause();
  handle.resume();
  const result = await handle;
  assert.equal((await engine.exact(spec, { resumeFrom: checkpoint })).total, total);
  const data = await engine.readData({ kind: 'values', dim: 1, values: [0, 1, 1] });
  assert.equal(data.numRows, 3);
  const { code } = await failure(engine.exact(chain({ refuse: true })).result);
  assert.equal(code, 'invalid-spec');
  const cancelled = engine.exact(long);
  if (waitsForPing) await sleep(PATIENCE_MS / 5);
  cancelled.cancel();
  assert.equal((await failure(cancelled.result)).code, 'aborted');
  return result;
}

const messages = {
  postMessage:
    'start progressReceived addHelper help pause resume checkpoint cancel dismiss readData ping',
  emit: 'created wantHelpers progress checkpoint paused done refused data pong aborted',
};
for (const [method, types] of Object.entries(messages)) {
  for (const type of types.split(' ')) {
    const way = method === 'emit' ? 'from' : 'to';
    test(`the loss of a message ${way} a worker (${type}) makes no difference`, async (t) => {
      await withEngine({}, async (engine) => {
        const numLost = losing(t, method, type);
        assert.equal((await eventful(engine, /^p.ng$/.test(type))).total, total);
        assert.equal(numLost(), 1);
      });
    });
  }
}

/** With a helper so slow that shards are withdrawn from it. */
const uneven = chain({ ...long.model, helperCost: 5 });
for (const type of ['ready', 'shards', 'withdraw', 'parts', 'ping', 'pong']) {
  test(`the loss of a message between workers (${type}) makes no difference`, async () => {
    const file = newFile();
    process.env.UNNORM_TEST_LOSE = JSON.stringify({ type, file });
    try {
      await withEngine({}, async (engine) => {
        assert.equal((await engine.exact(uneven)).total, longTotal);
        assert.ok(existsSync(file), 'it was lost');
      });
    } finally {
      delete process.env.UNNORM_TEST_LOSE;
    }
  });
}

for (const [method, type] of [
  ['postMessage', 'init'],
  ['emit', 'ready'],
]) {
  test(`an engine whose first worker is never heard of (${type} is lost) does not start`, async (t) => {
    losing(t, method, type);
    const error = await failure(createFakeEngine({ patience: 500 }));
    assert.equal(error.code, 'wasm-unavailable');
    assert.match(error.message, /did not answer for 0.5 seconds/);
  });
}

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
    const crash = { in: 'coordinator', round: 5, times: 1, file: newFile() };
    process.env.UNNORM_TEST_BROKEN_WORKER = '1';
    const crashing = { ...spec, model: { ...spec.model, crash } };
    const resumeFrom = new TextEncoder().encode('{"round":0,"total":1,"seed":1}');
    const error = await failure(engine.exact(crashing, { resumeFrom }).result);
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

test('a custom model whose module never comes is refused', async () => {
  const engine = await createEngine({ numWorkers: 1, patience: PATIENCE_MS });
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
  assert.match(error.message, /did not come within 2.4 seconds/);
  await engine.close();
});

/** A WebAssembly module with nothing in it but a custom section, 64 bytes. */
const padded = Buffer.concat([
  Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 54, 1, 97]),
  Buffer.alloc(52),
]);
/** How the server sends that file. */
const ways = {
  '/stalls.wasm': () => undefined,
  '/stalls-half-way.wasm': (response) => response.write(padded.subarray(0, 32)),
  '/breaks-off.wasm': (response) => {
    response.write(padded.subarray(0, 32), () => response.destroy());
  },
  '/slow.wasm': async (response) => {
    for (let i = 0; i < 64; i += 8) {
      response.write(padded.subarray(i, i + 8));
      await sleep(400);
    }
    response.end();
  },
};
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname !== '/stalls.wasm') {
    response.writeHead(200, { 'content-type': searchParams.get('type'), 'content-length': 64 });
  }
  void ways[pathname](response);
});
let address;
before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

for (const type of ['application/wasm', 'application/octet-stream']) {
  for (const [path, words] of [
    ['/stalls.wasm', /did not come: its server has been silent for 0.5 seconds/],
    ['/stalls-half-way.wasm', /did not come: its server has been silent for 0.5 seconds/],
    ['/breaks-off.wasm', /was broken off on its way.*try again/],
  ]) {
    test(`a WebAssembly file that ${path.slice(1, -5).replaceAll('-', ' ')} (${type}) is unavailable`, async () => {
      const wasmUrl = `${address}${path}?type=${type}`;
      const error = await failure(createFakeEngine({ wasmUrl, patience: 500 }));
      assert.equal(error.code, 'wasm-unavailable');
      assert.match(error.message, words);
      assert.ok(error.message.includes(wasmUrl));
    });
  }

  test(`a WebAssembly file that is slow but comes (${type}) will do, however long it takes`, async () => {
    const wasmUrl = `${address}/slow.wasm?type=${type}`;
    await withEngine({ wasmUrl }, async (engine) => {
      assert.equal((await engine.exact(spec)).total, total);
    });
  });
}

test('a signal gives up starting: before, while a file is fetched, while a worker starts', async () => {
  const deaf = new URL('data:text/javascript,setInterval(() => {}, 1000)');
  const whileStarting = {
    'the file is fetched': { wasmUrl: `${address}/stalls.wasm` },
    'the worker starts': { workerUrl: deaf },
  };
  for (const [name, options] of Object.entries(whileStarting)) {
    const controller = new AbortController();
    setTimeout(() => controller.abort('enough'), 200);
    const error = await failure(createFakeEngine({ ...options, signal: controller.signal }));
    assert.equal(error.code, 'aborted', name);
    assert.equal(error.cause, 'enough');
  }
  const error = await failure(createFakeEngine({ signal: AbortSignal.abort() }));
  assert.equal(error.code, 'aborted');
});

test('a signal aborted later does nothing to the engine', async () => {
  const controller = new AbortController();
  await withEngine({ signal: controller.signal }, async (engine) => {
    controller.abort();
    assert.equal((await engine.exact(spec)).total, total);
  });
});

test('a patience without end will do', async () => {
  await withEngine({ patience: Infinity }, async (engine) => {
    assert.equal((await engine.exact(spec)).total, total);
  });
});
