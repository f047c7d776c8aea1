/** Starting an engine where a server or a worker keeps it waiting, and giving it up. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { chain, createFakeEngine } from './fake/engine.mjs';
import { PATIENCE_MS, Wire, withTicks } from './fake/wire.mjs';
import { dist, UnnormError } from './package.mjs';
import { until } from './until.mjs';

const { Silence } = await import(new URL('silence.js', dist).href);

async function failure(promise) {
  const error = await promise.then(
    () => assert.fail('it did not fail'),
    (reason) => reason,
  );
  assert.ok(error instanceof UnnormError, String(error));
  return error;
}

/** A WebAssembly module with nothing in it but a custom section, 64 bytes. */
const padded = Buffer.concat([
  Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 54, 1, 97]),
  Buffer.alloc(52),
]);
/** Called with the answer to a request for '/slow.wasm', or when one for '/stalls.wasm' has come. */
let onRequest = () => undefined;
/** How the server sends that file. */
const ways = {
  '/stalls.wasm': () => onRequest(),
  '/stalls-half-way.wasm': (response) => response.write(padded.subarray(0, 32)),
  '/breaks-off.wasm': (response) => {
    response.write(padded.subarray(0, 32), () => response.destroy());
  },
  '/slow.wasm': (response) => onRequest(response),
};
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname !== '/stalls.wasm') {
    response.writeHead(200, { 'content-type': searchParams.get('type'), 'content-length': 64 });
  }
  ways[pathname](response);
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
  for (const [path, words, patience] of [
    ['/stalls.wasm', /did not come: its server has been silent for 0.5 seconds/, 500],
    ['/stalls-half-way.wasm', /did not come: its server has been silent for 0.5 seconds/, 500],
    ['/breaks-off.wasm', /was broken off on its way.*try again/, Infinity],
  ]) {
    test(`a WebAssembly file that ${path.slice(1, -5).replaceAll('-', ' ')} (${type}) is unavailable`, async () => {
      const wasmUrl = `${address}${path}?type=${type}`;
      const error = await failure(createFakeEngine({ wasmUrl, patience }));
      assert.equal(error.code, 'wasm-unavailable');
      assert.match(error.message, words);
      assert.ok(error.message.includes(wasmUrl));
    });
  }

  test(`a WebAssembly file that is slow but comes (${type}) will do, however long it takes`, async (t) => {
    const { heard } = Silence.prototype;
    let numHeard = 0;
    t.mock.method(Silence.prototype, 'heard', function () {
      numHeard += 1;
      return heard.call(this);
    });
    const asked = new Promise((resolve) => {
      onRequest = resolve;
    });
    const wasmUrl = `${address}/slow.wasm?type=${type}`;
    await withTicks(async (tick) => {
      const starting = createFakeEngine({ wasmUrl, patience: PATIENCE_MS });
      const response = await asked;
      for (let at = 0; at < 64; at += 8) {
        // One more would be too many.
        for (let n = 0; n < 5; n++) tick();
        response.write(padded.subarray(at, at + 8));
        await until('these bytes have come', () => numHeard === at / 8 + 1);
      }
      response.end();
      const engine = await starting;
      assert.equal((await engine.exact(chain({}))).round, 10);
      await engine.close();
    });
  });
}

test('a signal gives up starting: before, while a file is fetched, while a worker starts', async () => {
  const deaf = new URL('data:text/javascript,setInterval(() => {}, 1000)');
  /** A wire that tells when a worker has been made. */
  const telling = (told) =>
    Object.assign(new Wire(), {
      join(...worker) {
        const host = Wire.prototype.join.apply(this, worker);
        setImmediate(told);
        return host;
      },
    });
  const whileStarting = {
    'the file is fetched': (come) => {
      onRequest = come;
      return { wasmUrl: `${address}/stalls.wasm` };
    },
    'the worker starts': (come) => ({ workerUrl: deaf, wire: telling(come) }),
  };
  for (const [name, optionsFor] of Object.entries(whileStarting)) {
    const controller = new AbortController();
    const options = optionsFor(() => controller.abort('enough'));
    const error = await failure(createFakeEngine({ ...options, signal: controller.signal }));
    assert.equal(error.code, 'aborted', name);
    assert.equal(error.cause, 'enough');
  }
  const error = await failure(createFakeEngine({ signal: AbortSignal.abort() }));
  assert.equal(error.code, 'aborted');
});

test('a signal aborted later does nothing to the engine', async () => {
  const controller = new AbortController();
  const engine = await createFakeEngine({ signal: controller.signal });
  controller.abort();
  assert.equal((await engine.exact(chain({}))).round, 10);
  await engine.close();
});
