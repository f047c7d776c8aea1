/**
 * Faults at random moments in an engine at work in Chromium: the page lives, every promise settles, every result has
 * the digest it should, errors are the package's own, no worker and no memory is left over.
 *
 *     npm run chaos -- --faults 1000 --seed 1
 */
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { chromiumFlags, chromiumPath } from '../../src/tools/chromium.mjs';
import { Failure, main, root } from '../../src/tools/run.mjs';

const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

/** The jobs: all with a golden digest that are over in half a second and need no file. */
function goldenJobs() {
  const folder = join(root, 'tests/golden');
  return readdirSync(folder)
    .filter((name) => name !== 'sample-nuts.json')
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((text) => !text.includes('"file"'))
    .map((text) => JSON.parse(text));
}

/** Serves the package, with what the page has ordered by `answer?` for the next file of a worker. */
async function serveChaos() {
  let next = '';
  const page = '<!doctype html><script type="module" src="page.js"></script>';
  const script = "import './chaos-worker.js'; import './worker-itself.js';";
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, 'http://localhost');
    const send = (type, body, status = 200) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    const sendFile = (path) =>
      createReadStream(path)
        .on('error', () => send('text/plain', '', 404))
        .once('open', () =>
          response.writeHead(200, {
            'content-type': types[extname(path)] ?? 'text/plain',
            'cache-control': 'no-store',
          }),
        )
        .pipe(response);
    const spoilt = {
      missing: () => send('text/plain', 'not found', 404),
      webPage: () => send('text/html', '<!doctype html><title>An app</title>'),
      cutOff: () => send(types['.js'], script.slice(0, 9)),
      brokenOff: () => response.destroy(),
      stalled: () => setTimeout(() => response.destroy(), 10_000).unref(),
    };
    const answers = {
      '/': () => send('text/html', page),
      '/favicon.ico': () => send('image/x-icon', ''),
      '/page.js': () => sendFile(join(root, 'tests/chaos/page.js')),
      '/digests.mjs': () => sendFile(join(root, 'tests/matrix/digests.mjs')),
      '/uniforms.mjs': () => sendFile(join(root, 'tests/node/uniforms.mjs')),
      '/unnorm/chaos-worker.js': () => sendFile(join(root, 'tests/chaos/worker.js')),
      '/unnorm/worker-itself.js': () => sendFile(join(root, 'dist/worker.js')),
      '/unnorm/worker.js': () => send(types['.js'], script),
      '/answer': () => {
        next = search.slice(1);
        send('text/plain', '');
      },
    };
    const isWorkers = ['/unnorm/worker.js', '/unnorm/wasm/plain/unnorm_bg.wasm'].includes(pathname);
    if (isWorkers && next) {
      const fault = spoilt[next];
      next = '';
      return void fault();
    }
    const answer = answers[pathname] ?? (() => sendFile(join(root, 'dist', pathname.slice(8))));
    answer();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Runs the faults and gives what came of them; `report` is told of the state now and then. */
export async function chaos({ numFaults, seed, report = () => undefined, every = 100 }) {
  const server = await serveChaos();
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: chromiumFlags });
  try {
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    const uncaught = [];
    const crash = new Promise((_, reject) =>
      page.on('crash', () => reject(new Error('the page crashed'))),
    );
    page.on('pageerror', (error) => uncaught.push(String(error)));
    await page.goto(server.url);
    await page.waitForFunction(() => globalThis.runChaos);
    /** What the page's own objects take after a collection, in MB. */
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
    };
    const heaps = [];
    const watch = setInterval(async () => {
      const numDone = await page.evaluate(() => globalThis.numFaultsDone ?? 0).catch(() => 0);
      if (numDone < (heaps.length + 1) * every) return;
      const state = { numDone, heap: await heap(), numWorkers: page.workers().length };
      heaps.push(state.heap);
      report(state);
    }, 500);
    try {
      const goldens = goldenJobs();
      const outcome = await Promise.race([
        page.evaluate((options) => globalThis.runChaos(options), { numFaults, seed, goldens }),
        crash,
      ]);
      clearInterval(watch);
      // Workers that were ended are still on their way out.
      const end = performance.now() + 30_000;
      while (page.workers().length > 0 && performance.now() < end) await page.waitForTimeout(100);
      return {
        ...outcome,
        uncaught,
        heaps: [...heaps, await heap()],
        numLeft: page.workers().length,
        numDigests: goldens.length,
      };
    } finally {
      clearInterval(watch);
    }
  } finally {
    await browser.close();
    server.close();
  }
}

await main(import.meta.url, async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      faults: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
    },
  });
  const start = performance.now();
  const outcome = await chaos({
    numFaults: Number(values.faults),
    seed: Number(values.seed),
    report: ({ numDone, heap, numWorkers }) =>
      console.log(`${numDone} faults, ${heap.toFixed(1)} MB in the page, ${numWorkers} workers`),
  });
  console.log(JSON.stringify(outcome, null, 2));
  console.log(`${((performance.now() - start) / 1000).toFixed(0)} s`);
  const { wrong, uncaught, numLeft } = outcome;
  if (wrong.length > 0 || uncaught.length > 0 || numLeft > 0)
    throw new Failure('Something did not end as it should (see above).');
});
