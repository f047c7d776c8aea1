/**
 * What the package does in Chromium where something of the platform is missing, stops or is taken away: the right
 * result all the same, or an error that says what happened. Missing and wrong files are in
 * `tests/environments/errors.test.mjs`, faults at random in `chaos.test.mjs`.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../src/tools/run.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { until } from '../node/until.mjs';
import { openEmptyPage } from './empty-page.mjs';
import { countPatience, shortenModulePatience } from './patience.mjs';
import {
  fit,
  LAB,
  launchChromium,
  openSite,
  PATIENCE_MS,
  press,
  SMALL,
  untilStatus,
} from './site-under-test.mjs';

const goldenOf = (name) =>
  JSON.parse(readFileSync(join(root, `tests/golden/${name}.json`), 'utf8'));
const golden = goldenOf('sample-neural');

let server;
let plainServer;
let browser;
before(async () => {
  server = await serve(join(root, 'dist'));
  plainServer = await serve(join(root, 'dist'), { headers: {} });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await server?.close();
  await plainServer?.close();
});

/** An empty page beside the package's files, in which `setUp` has run first, with `given`. */
async function emptyPage({ setUp, given, from = browser, isolated = true } = {}) {
  const context = await from.newContext();
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  if (setUp) await page.addInitScript(setUp, given);
  if (isolated) await openEmptyPage(page, server);
  else await openEmptyPage(page, plainServer, {});
  return page;
}

/** In the page: the digest of the golden job, or the error, as plain data. */
async function runInPage({ spec, options, times = 1 }) {
  const { createEngine } = await import('./index.js');
  try {
    const engine = await createEngine({ numWorkers: 2, ...options });
    const { verb, ...rest } = spec;
    let digest;
    for (let i = 0; i < times; i++) ({ digest } = await engine[verb](rest));
    await engine.close();
    return { digest };
  } catch ({ name, code, message }) {
    return { name, code, message };
  }
}

/** What comes of the golden job in a page. */
async function outcome(given, { options = {}, spec = golden.spec } = {}) {
  const page = await emptyPage(given);
  try {
    return await page.evaluate(runInPage, { spec, options });
  } finally {
    await page.context().close();
  }
}

const right = { digest: golden.digest };

/** By what is missing: how it is taken away. */
const notNeeded = {
  structuredClone: () => delete globalThis.structuredClone,
  OffscreenCanvas: () => delete globalThis.OffscreenCanvas,
  SharedArrayBuffer: () => delete globalThis.SharedArrayBuffer,
  'the storages': () => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
      Object.defineProperty(globalThis, name, {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
    }
  },
};
for (const [name, setUp] of Object.entries(notNeeded)) {
  test(`without ${name} the result is the same`, async () => {
    assert.deepEqual(await outcome({ setUp }), right);
  });
}

test('a page that is not isolated gives the same result, and no threads, with the reason', async () => {
  assert.deepEqual(await outcome({ isolated: false }), right);
  const error = await outcome({ isolated: false }, { options: { threads: true } });
  assert.equal(error.code, 'unsupported');
  assert.match(error.message, /Cross-Origin-Opener-Policy/);
});

const needed = {
  WebAssembly: [() => delete globalThis.WebAssembly, /WebAssembly is not available.*browser/],
  Worker: [() => delete globalThis.Worker, /no web workers/],
};
for (const [name, [setUp, words]] of Object.entries(needed)) {
  test(`without ${name} it is unsupported`, async () => {
    const error = await outcome({ setUp });
    assert.equal(error.name, 'UnnormError');
    assert.equal(error.code, 'unsupported');
    assert.match(error.message, words);
  });
}

/** Runs with a browser of its own. */
async function withFlags(flags, action) {
  const own = await launchChromium({ flags });
  try {
    await action(own);
  } finally {
    await own.close();
  }
}

const onX64 = { skip: process.arch !== 'x64' && 'the flag is one of x64' };
test('where the processor has no SIMD for WebAssembly it is unsupported', onX64, async () => {
  await withFlags(['--js-flags=--no-enable-sse4-1'], async (from) => {
    const error = await outcome({ from });
    assert.equal(error.code, 'unsupported');
    assert.match(error.message, /no SIMD.*browser from 2023/);
  });
});

test('memory that runs out is said so, and the engine works on', async () => {
  await withFlags(['--js-flags=--wasm-max-mem-pages=300'], async (from) => {
    const page = await emptyPage({ from });
    const [error, digest] = await page.evaluate(async ({ verb, ...rest }) => {
      const { createEngine } = await import('./index.js');
      const engine = await createEngine({ numWorkers: 1 });
      const { code, message } = await engine
        .sample({
          model: { kind: 'ring' },
          transition: { kind: 'hmc' },
          numChains: 64,
          numWarmup: 100,
          numDraws: 100_000,
          seed: 1,
        })
        .catch((error) => error);
      return [{ code, message }, (await engine[verb](rest)).digest];
    }, golden.spec);
    assert.equal(error.code, 'worker-crashed');
    assert.match(error.message, /its memory of \d+ MiB could not be doubled.*ask for less/);
    assert.equal(digest, golden.digest);
  });
});

/** Files that do not come: with which patience, and what the error says. */
const stalled = {
  'unnorm_bg.wasm': [
    { patience: 2000 },
    /unnorm_bg\.wasm did not come: its server has been silent for 2 seconds/,
  ],
  'worker.js': [{}, /could not be started: it did not answer for 60 seconds/],
};
for (const [file, [options, words]] of Object.entries(stalled)) {
  test(`an engine whose ${file} never comes does not start, or is given up by a signal`, async () => {
    const page = await emptyPage({ setUp: countPatience, given: { canStart: false } });
    let onRequest;
    await page.route(`**/${file}`, () => onRequest?.());
    const error = await page.evaluate(runInPage, { spec: golden.spec, options });
    assert.equal(error.code, 'wasm-unavailable');
    assert.match(error.message, words);
    const requested = new Promise((resolve) => {
      onRequest = resolve;
    });
    await page.evaluate(async () => {
      const { createEngine } = await import('./index.js');
      const controller = new AbortController();
      globalThis.giveUp = () => controller.abort();
      const options = { signal: controller.signal, patience: Infinity };
      globalThis.code = createEngine(options).catch((error) => error.code);
    });
    await requested;
    const code = await page.evaluate(() => {
      globalThis.giveUp();
      return globalThis.code;
    });
    assert.equal(code, 'aborted');
    await until('no worker is left', () => page.workers().length === 0);
    await page.context().close();
  });
}

test('a custom model whose module never comes is refused', async () => {
  const page = await emptyPage({ setUp: shortenModulePatience });
  await page.route('**/model.js', () => undefined);
  const model = { kind: 'custom', url: `${server.url}model.js`, dim: 2 };
  const transition = { kind: 'hmc' };
  const spec = {
    verb: 'sample',
    model,
    transition,
    numChains: 2,
    numWarmup: 9,
    numDraws: 9,
    seed: 1,
  };
  const error = await page.evaluate(runInPage, { spec });
  assert.equal(error.code, 'invalid-model');
  assert.match(error.message, /model\.js could not be loaded: it did not come within 0.1 seconds/);
  await page.context().close();
});

test('workers that are ended behind its back are replaced, and the result is the same', async () => {
  const page = await emptyPage({ setUp: countPatience });
  const { digest, done, numEnded, numMade } = await page.evaluate(async ({ verb, ...rest }) => {
    const { createEngine } = await import('./index.js');
    const engine = await createEngine({ numWorkers: 2 });
    // Each round waits until the report of the last has been received: the job is not over too soon.
    const job = engine[verb](rest, { progressInterval: 0, streamDraws: true });
    const { value } = await job[Symbol.asyncIterator]().next();
    const numEnded = globalThis.made.length;
    for (const worker of globalThis.made) worker.end();
    const result = await job;
    await engine.close();
    const numMade = globalThis.made.length;
    return { digest: result.digest, done: value.done, numEnded, numMade };
  }, golden.spec);
  assert.equal(done, false);
  assert.equal(digest, golden.digest);
  assert.ok(numMade > numEnded, 'one was replaced');
  await page.context().close();
});

/**
 * A page of which nobody says that it has the focus, as Playwright does of all of its own: only such a one can be
 * hidden and frozen.
 */
async function unfocusedPage(from, url) {
  const session = await from.newBrowserCDPSession();
  const { targetId } = await session.send('Target.createTarget', { url });
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const waiting = new Map();
  session.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return;
    const { id, result, error } = JSON.parse(event.message);
    waiting.get(id)?.({ result, error });
    waiting.delete(id);
  });
  const send = async (method, params = {}) => {
    const id = waiting.size + 1 + Math.floor(1e9 * Math.random());
    const answer = new Promise((resolve) => waiting.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    await session.send('Target.sendMessageToTarget', { sessionId, message });
    const { result, error } = await answer;
    if (error) throw new Error(error.message);
    return result;
  };
  return {
    send,
    show: () => session.send('Target.activateTarget', { targetId }),
    async evaluate(expression) {
      const options = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await send('Runtime.evaluate', options);
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description);
      return result.value;
    },
  };
}

/** In which any worker answers, frozen ones excepted. */
const FROZEN_PATIENCE_MS = 30_000;

test('a tab that is hidden, frozen for longer than its patience, and thawed goes on', async () => {
  const long = goldenOf('sample-nuts');
  // Playwright has switched off what browsers do to tabs in the background.
  const own = await launchChromium({
    whole: true,
    ignoreDefaultArgs: [
      '--disable-backgrounding-occluded-windows',
      '--disable-renderer-backgrounding',
      '--disable-background-timer-throttling',
    ],
  });
  try {
    const page = await unfocusedPage(own, `${server.url}index.js`);
    const start = `(async () => {
      globalThis.seen = [];
      for (const name of ['freeze', 'resume', 'visibilitychange'])
        document.addEventListener(name, () => seen.push(name === 'visibilitychange' ? document.visibilityState : name));
      globalThis.numMade = 0;
      globalThis.Worker = class extends Worker {
        constructor(...args) {
          super(...args);
          numMade += 1;
        }
      };
      const { createEngine } = await import(location.href);
      const engine = await createEngine({ numWorkers: 1, patience: ${FROZEN_PATIENCE_MS} });
      const { verb, ...rest } = ${JSON.stringify(long.spec)};
      const job = engine[verb](rest, { progressInterval: 0 });
      globalThis.result = job.result;
      job.then(() => seen.push('done'));
      await job[Symbol.asyncIterator]().next();
      await job.pause();
      // It goes on as the page is frozen, and not before: it may be short.
      document.addEventListener('freeze', () => job.resume());
    })()`;
    const hasLoaded = "location.href.endsWith('index.js') && document.readyState === 'complete'";
    // There is nothing to ask while the page is on its way.
    while (!(await page.evaluate(hasLoaded).catch(() => false))) await sleep(50);
    await page.evaluate(start);
    const other = await unfocusedPage(own, 'about:blank');
    await other.show();
    while ((await page.evaluate('document.visibilityState')) !== 'hidden') await sleep(50);
    await page.send('Page.setWebLifecycleState', { state: 'frozen' });
    await sleep(1.1 * FROZEN_PATIENCE_MS);
    await page.send('Page.setWebLifecycleState', { state: 'active' });
    // Still hidden: timers are throttled, messages are not.
    assert.equal(await page.evaluate('result.then(({ digest }) => digest)'), long.digest);
    assert.deepEqual(await page.evaluate('seen'), ['hidden', 'freeze', 'resume', 'done']);
    assert.equal(await page.evaluate('numMade'), 1, 'it was not replaced');
  } finally {
    await own.close();
  }
});

test('the site works where storage is forbidden, as in some private windows', async () => {
  const site = await openSite();
  try {
    const context = await site.browser.newContext({ serviceWorkers: 'block' });
    await context.addInitScript(notNeeded['the storages']);
    const { page, problems } = await site.page(LAB + SMALL, { context });
    const storage = await page.evaluate(() => {
      try {
        return String(localStorage.length);
      } catch ({ name }) {
        return name;
      }
    });
    assert.equal(storage, 'SecurityError');
    assert.match(await fit(page), /^[0-9a-f]{64}$/);
    assert.deepEqual(problems, []);
  } finally {
    await site.close();
  }
});

test('a lab whose WebAssembly comes as a web page says so, and works at the next try', async () => {
  const site = await openSite();
  try {
    const context = await site.browser.newContext({ serviceWorkers: 'block' });
    await context.route('**/*.wasm', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>An app</title>' }),
    );
    const { page } = await site.page(LAB + SMALL, { context });
    await press(page, 'Fit');
    await untilStatus(page, 'failed');
    const alert = page.getByRole('alert');
    assert.equal(await alert.getAttribute('data-error-code'), 'wasm-unavailable');
    assert.match(await alert.textContent(), /was answered with a web page/);
    // Waits for the answers that are on their way.
    await context.unrouteAll({ behavior: 'wait' });
    assert.match(await fit(page), /^[0-9a-f]{64}$/);
    assert.equal(await alert.count(), 0);
  } finally {
    await site.close();
  }
});
