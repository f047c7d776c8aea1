/** Starting an engine, and the ways in which that can fail. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { chain, createFakeEngine } from './fake/engine.mjs';
import { createEngine, dist, UnnormError } from './package.mjs';

/** What the server answers, by path. */
const answers = {
  '/page.wasm': ['text/html', '<!doctype html><title>Not found</title>'],
  '/text.wasm': ['application/octet-stream', 'once upon a time'],
  '/bad.wasm': ['application/wasm', 'once upon a time'],
  '/cut.wasm': ['application/octet-stream', new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1])],
};
const server = createServer((request, response) => {
  const [type, body] = answers[request.url] ?? [];
  if (type) response.writeHead(200, { 'content-type': type }).end(body);
  else response.writeHead(404).end();
});
let address;
before(
  () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        address = `http://127.0.0.1:${server.address().port}`;
        resolve();
      });
    }),
);
after(() => server.close());

async function failure(promise) {
  const error = await promise.then(
    () => assert.fail('it started'),
    (reason) => reason,
  );
  assert.ok(error instanceof UnnormError, String(error));
  return error;
}

const wasmFailures = [
  ['/page.wasm', /web page.*give createEngine its address as wasmUrl/],
  ['/text.wasm', /not a WebAssembly file.*wasmUrl/],
  ['/bad.wasm', /not a WebAssembly file/],
  ['/cut.wasm', /could not be compiled/],
  ['/missing.wasm', /status 404.*wasmUrl/],
];
for (const [path, words] of wasmFailures) {
  test(`a wasm file answered with ${path} is unavailable`, async () => {
    const error = await failure(createEngine({ wasmUrl: `${address}${path}` }));
    assert.equal(error.code, 'wasm-unavailable');
    assert.match(error.message, words);
    assert.ok(error.message.includes(path));
  });
}

test('a wasm file that cannot be reached or read is unavailable', async () => {
  for (const [wasmUrl, words] of [
    ['http://127.0.0.1:9/a.wasm', /could not be fetched.*wasmUrl/],
    [new URL('none.wasm', import.meta.url), /could not be read.*a bundler.*external/],
    ['none.wasm', /could not be read.*a bundler.*external/],
  ]) {
    const error = await failure(createEngine({ wasmUrl }));
    assert.equal(error.code, 'wasm-unavailable');
    assert.match(error.message, words);
    assert.ok(error.message.includes('.wasm'));
  }
});

test('a worker whose script is missing or broken is unavailable', async () => {
  const broken = 'data:text/javascript,throw new Error("broken on purpose")';
  const missing = new URL('no-such-worker.mjs', import.meta.url);
  for (const [workerUrl, words] of [
    [missing, /no-such-worker.*a bundler.*external/],
    [new URL(broken), /broken on purpose/],
    [new URL('data:text/javascript,'), /exit code 0/],
  ]) {
    const error = await failure(createFakeEngine({ workerUrl }));
    assert.equal(error.code, 'wasm-unavailable');
    assert.match(error.message, words);
  }
});

test('a module that is not ours is unavailable', async () => {
  const wasmUrl = 'data:application/wasm;base64,AGFzbQEAAAA=';
  assert.equal((await failure(createEngine({ wasmUrl }))).code, 'wasm-unavailable');
});

test('an engine goes on with the workers that did start', async () => {
  const engine = await createFakeEngine({ numWorkers: 3 });
  process.env.UNNORM_TEST_BROKEN_WORKER = '1';
  const spec = chain({ numRounds: 100, cost: 1 });
  const jobs = [1, 2, 3, 4].map((seed) => engine.exact({ ...spec, seed }));
  for (const job of jobs) assert.deepEqual((await job).threads.length, 1);
  delete process.env.UNNORM_TEST_BROKEN_WORKER;
  await engine.close();
});

test('where there is no SIMD, no WebAssembly or no shared memory, it is unsupported', async (t) => {
  const unsupported = async (options, words) => {
    const error = await failure(createEngine(options));
    assert.equal(error.code, 'unsupported');
    assert.match(error.message, words);
  };
  await unsupported({ threads: true }, /threads/);
  t.mock.method(WebAssembly, 'validate', () => false);
  await unsupported({}, /SIMD/);
  const { WebAssembly: saved } = globalThis;
  globalThis.WebAssembly = undefined;
  try {
    await unsupported({}, /WebAssembly is not available/);
  } finally {
    globalThis.WebAssembly = saved;
  }
});

test('a worker from a blob is for browsers, and makes no difference here', async () => {
  const engine = await createEngine({ blobWorker: true });
  assert.match(engine.version, /^\d/);
  await engine.close();
});

test('options that make no sense are refused by name', async () => {
  const wrong = [
    [{ numWorkers: 0 }, 'numWorkers'],
    [{ numWorkers: 1.5 }, 'numWorkers'],
    [{ numWorkers: '2' }, 'numWorkers'],
    [{ numWorkers: 1000 }, 'numWorkers'],
    [{ threads: 'yes' }, 'threads'],
    [{ workers: 2 }, 'workers'],
    [{ blobWorker: 1 }, 'blobWorker'],
    [{ gpu: 'yes' }, 'gpu'],
    [{ blobWorker: true, threads: true }, 'blobWorker'],
    [{ wasmUrl: 1 }, 'wasmUrl'],
    [{ workerUrl: null }, 'workerUrl'],
  ];
  for (const [options, field] of wrong) {
    const error = await failure(createEngine(options));
    assert.equal(error.code, 'invalid-spec');
    assert.equal(error.field, field);
  }
});

for (const entry of ['index.js', 'inline.js']) {
  test(`the browser’s ${entry} can be imported where there is no browser, and touches nothing`, async () => {
    const before = Object.getOwnPropertyNames(globalThis).sort();
    const browser = await import(new URL(entry, dist).href);
    assert.deepEqual(Object.getOwnPropertyNames(globalThis).sort(), before);
    assert.equal(typeof browser.createEngine, 'function');
    const error = await browser.createEngine().catch((reason) => reason);
    assert.equal(error.code, 'unsupported');
  });
}
