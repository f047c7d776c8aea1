/**
 * The golden digests in Chromium, from the package as it is published, unbundled: the same as natively and in Node,
 * with one worker, with two, and with threads over shared memory.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { root } from '../../src/tools/run.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { goldens, withBase64 } from '../matrix/jobs.mjs';
import { openEmptyPage } from './empty-page.mjs';
import { launchChromium } from './site-under-test.mjs';

const jobs = goldens();

let server;
let browser;
let page;
before(async () => {
  server = await serve(root);
  browser = await launchChromium();
  page = await browser.newPage();
  await openEmptyPage(page, server);
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Starts the engine of the tests that follow, in the place of the one before. */
async function startInPage(options) {
  const { createEngine } = await import('/dist/index.js');
  await globalThis.engine?.close();
  globalThis.engine = await createEngine(options);
}

async function digestInPage(spec) {
  const { withBits } = await import('/tests/matrix/digests.mjs');
  const { verb, ...rest } = withBits(spec);
  const { digest } = await globalThis.engine[verb](rest);
  return digest;
}

const engines = {
  'one worker': { numWorkers: 1 },
  'two workers': { numWorkers: 2 },
  'two threads': { numWorkers: 2, threads: true },
};

for (const [name, options] of Object.entries(engines)) {
  describe(name, () => {
    before(() => page.evaluate(startInPage, options));
    for (const { title, spec, digest } of jobs) {
      test(title, async () => {
        assert.equal(await page.evaluate(digestInPage, withBase64(spec)), digest);
      });
    }
  });
}
