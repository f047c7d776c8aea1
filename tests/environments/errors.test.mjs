/**
 * What a page is told where a file of the package is missing, is something else, or is forbidden: the
 * address, and what to do. In Chromium; in Node the same is in `tests/node/loading.test.mjs`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { after, before, test } from 'node:test';
import { dist } from '../node/package.mjs';
import { open } from './environment.mjs';
import { expected } from './expected.mjs';
import { sharedFiles } from './guide.mjs';

const types = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };
const WASM = '/unnorm/wasm/plain/unnorm_bg.wasm';
const WORKER = '/unnorm/worker.js';

/** What the test at hand has the server do otherwise. */
let answers = {};
let policy;
let entry = 'index.js';
let options = {};

const program = () => `
  import { createEngine } from './unnorm/${entry}';
  import { hello } from './hello.js';
  let text;
  try {
    const engine = await createEngine(${JSON.stringify(options)});
    text = JSON.stringify(await hello(engine));
    await engine.close();
  } catch ({ name, code, message }) {
    text = JSON.stringify({ name, code, message });
  }
  document.body.append(text);`;

const server = createServer((request, response) => {
  const send = ({ status = 200, type, body = '' }) => {
    const headers = { 'content-type': type ?? types[extname(request.url)] ?? 'text/html' };
    if (policy) headers['content-security-policy'] = policy;
    response.writeHead(status, headers).end(body);
  };
  const bodyOf = {
    '/': () => sharedFiles.get('index.html'),
    '/main.js': program,
    '/hello.js': () => sharedFiles.get('hello.js'),
  };
  try {
    const body =
      bodyOf[request.url]?.() ?? readFileSync(new URL(request.url.replace('/unnorm/', ''), dist));
    send({ body, ...answers[request.url] });
  } catch {
    send({ status: 404, ...answers[request.url] });
  }
});
let origin;
before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const webPage = { type: 'text/html', body: '<!doctype html><title>An app</title>' };
const wholePolicy = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** What the page shows. */
async function shown(changes) {
  answers = changes.answers ?? {};
  policy = changes.policy;
  entry = changes.entry ?? 'index.js';
  options = changes.options ?? {};
  const { page } = await open(`${origin}/`);
  await page.waitForFunction(() => globalThis.shown().includes('}'));
  const text = await page.evaluate(() => globalThis.shown());
  await page.context().close();
  return JSON.parse(text);
}

/** By name: what is changed, the address that is named, and what the message says. */
const failures = {
  'the WebAssembly file is missing': [
    { answers: { [WASM]: { status: 404 } } },
    WASM,
    /404.*wasmUrl/,
  ],
  'a web page is sent for the WebAssembly file': [
    { answers: { [WASM]: webPage } },
    WASM,
    /web page.*not deployed.*wasmUrl/,
  ],
  'the WebAssembly file is cut off': [
    {
      answers: {
        [WASM]: {
          body: readFileSync(new URL('wasm/plain/unnorm_bg.wasm', dist)).subarray(0, 5000),
        },
      },
    },
    WASM,
    /not a WebAssembly file/,
  ],
  'WebAssembly is forbidden': [
    { policy: wholePolicy.replace(" 'wasm-unsafe-eval'", '') },
    WASM,
    /'wasm-unsafe-eval'.*script-src/,
  ],
  'fetching the WebAssembly file is forbidden': [
    { policy: wholePolicy.replace("connect-src 'self'", "connect-src 'none'") },
    WASM,
    /connect-src/,
  ],
  'the WebAssembly file cannot be reached': [
    { options: { wasmUrl: 'http://127.0.0.1:9/a.wasm' } },
    'http://127.0.0.1:9/a.wasm',
    /could not be fetched.*wasmUrl/,
  ],
  'the worker’s script is missing': [
    { answers: { [WORKER]: { status: 404 } } },
    WORKER,
    /404.*workerUrl/,
  ],
  'the worker’s script that was named is missing': [
    { options: { workerUrl: './elsewhere/worker.js' } },
    '/elsewhere/worker.js',
    /404.*workerUrl/,
  ],
  'a web page is sent for the worker’s script': [
    { answers: { [WORKER]: webPage } },
    WORKER,
    /web page.*not deployed.*workerUrl/,
  ],
  'the worker’s script has a wrong type': [
    { answers: { [WORKER]: { type: 'text/plain; charset=utf-8' } } },
    WORKER,
    /as text\/plain: have the server send it as text\/javascript/,
  ],
  'a module of the worker is missing': [
    { answers: { '/unnorm/worker-core.js': { status: 404 } } },
    WORKER,
    /a module that it imports/,
  ],
  'the wasm’s own module is missing in the worker': [
    { answers: { '/unnorm/wasm/plain/unnorm.js': { status: 404 } } },
    '/unnorm/wasm/plain/unnorm.js',
    /Failed to fetch/,
  ],
  'workers are forbidden': [
    { policy: wholePolicy.replace("worker-src 'self'", "worker-src 'none'") },
    WORKER,
    /worker-src/,
  ],
  'workers from a blob are forbidden': [
    { policy: wholePolicy, options: { blobWorker: true } },
    WORKER,
    /blob: in worker-src/,
  ],
  'the worker of unnorm/inline is forbidden': [
    { policy: wholePolicy, entry: 'inline.js' },
    'its script',
    /blob: in worker-src/,
  ],
  'the script that a worker from a blob imports is missing': [
    { answers: { [WORKER]: { status: 404 } }, options: { blobWorker: true } },
    WORKER,
    /404.*workerUrl/,
  ],
};
for (const [name, [changes, address, words]] of Object.entries(failures)) {
  test(name, async () => {
    const error = await shown(changes);
    assert.equal(error.name, 'UnnormError', JSON.stringify(error));
    assert.equal(error.code, 'wasm-unavailable');
    assert.match(error.message, words);
    const named = address.startsWith('/') ? origin + address : address;
    assert.ok(error.message.includes(named), error.message);
  });
}

test('a WebAssembly file with a wrong type works all the same', async () => {
  assert.deepEqual(await shown({ answers: { [WASM]: { type: 'text/plain' } } }), expected);
});

test('unnorm/inline has no threads', async () => {
  const error = await shown({ entry: 'inline.js', options: { threads: true } });
  assert.equal(error.code, 'unsupported');
  assert.match(error.message, /import unnorm instead/);
});
