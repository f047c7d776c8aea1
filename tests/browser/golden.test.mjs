/**
 * The golden digests in Chromium, from the package as it is published, unbundled: the same as natively and in Node,
 * with one worker, with two, and with threads over shared memory.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { root } from '../../src/tools/run.mjs';
import { isolation, serve } from '../../src/tools/serve.mjs';
import { goldens, withBase64 } from '../matrix/jobs.mjs';
import { launchChromium } from './site-under-test.mjs';

const jobs = goldens();

let server;
let browser;
let page;
before(async () => {
  server = await serve(root);
  browser = await launchChromium();
  page = await browser.newPage();
  await page.route('**/empty.html', (route) =>
    route.fulfill({ contentType: 'text/html', headers: isolation, body: '<!doctype html>' }),
  );
  await page.goto(`${server.url}empty.html`);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

async function digestInPage({ spec, options }) {
  const { withBits } = await import('/tests/matrix/digests.mjs');
  const { createEngine } = await import('/dist/index.js');
  const { verb, ...rest } = withBits(spec);
  const engine = await createEngine(options);
  const { digest } = await engine[verb](rest);
  await engine.close();
  return digest;
}

const engines = {
  'one worker': { numWorkers: 1 },
  'two workers': { numWorkers: 2 },
  'two threads': { numWorkers: 2, threads: true },
};

for (const [name, options] of Object.entries(engines)) {
  for (const { title, spec, digest } of jobs) {
    test(`${title}: ${name}`, async () => {
      assert.equal(await page.evaluate(digestInPage, { spec: withBase64(spec), options }), digest);
    });
  }
}
