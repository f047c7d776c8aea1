/**
 * What pages need before they are of use, in bytes and requests: what a slow line makes of that is in the output, and
 * `node tests/bench/startup.mjs` measures it properly. Nothing here depends on a clock.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { siteFolder } from '../../src/tools/build.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { PATIENCE_MS, sitePages, untilStatus } from './site-under-test.mjs';
import { LINES, openMeter } from './startup-measured.mjs';

/**
 * Most bytes over the line, with headers, and most requests until a page is interactive. 150 kB take 0.75 s at 1.6
 * Mbit/s; two journeys of 150 ms and what the browser does come on top. The pictures of labs on the landing page come after
 * its own.
 */
const BUDGET = { bytes: 150_000, requests: 20 };

/** What may come when it likes: labs answer, and have a picture, while these are on their way. */
const WITHHELD = /\.(wasm|bits)$/;
/** The same, and the photographs. */
const LATE = /\.(wasm|bits|png)$/;

/** Labs whose first picture is of data, or computed: it comes with the page (see www/lib/first-answers.ts). */
const FIRST_ANSWERS = readdirSync(new URL('../../www/labs/', import.meta.url), { recursive: true })
  .map((name) => String(name).replaceAll('\\', '/'))
  .filter((name) => name.endsWith('/first-answers.json'))
  .map((name) => name.split('/')[0]);

let server;
let meter;
before(async () => {
  server = await serve(siteFolder);
  meter = await openMeter();
});
after(async () => {
  await meter?.close();
  await server?.close();
});

for (const path of sitePages().filter((path) => path === '' || path.startsWith('labs/'))) {
  test(`/${path} needs few bytes until it is interactive`, async (context) => {
    const { milliseconds, requests, bytes, files } = await meter.measure(
      server.url + path,
      LINES.slow4G,
      WITHHELD,
    );
    context.diagnostic(`${milliseconds} ms, ${requests} requests, ${(bytes / 1000).toFixed(1)} kB`);
    const list = JSON.stringify(files, null, 1);
    assert.ok(bytes > 20_000, 'the bytes are counted');
    assert.ok(bytes <= BUDGET.bytes, `${bytes} bytes: ${list}`);
    assert.ok(requests <= BUDGET.requests, `${requests} requests: ${list}`);
  });
}

for (const name of FIRST_ANSWERS) {
  test(`/labs/${name}/ starts a run that waits for what is on its way`, async () => {
    const context = await meter.browser.newContext({ serviceWorkers: 'block' });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      let release = () => {};
      const released = new Promise((resolve) => {
        release = resolve;
      });
      await page.route(LATE, async (route) => {
        await released;
        await route.continue();
      });
      await page.goto(`${server.url}labs/${name}/`);
      const main = page.locator('[data-action="primary"]:enabled');
      await main.click();
      await untilStatus(page, 'starting');
      release();
      await page.locator('[data-status="running"], [data-status="done"]').waitFor();
      assert.deepEqual(await page.getByRole('alert').allTextContents(), []);
    } finally {
      await context.close();
    }
  });
}

test('a page names what it needs, so that no script has to run first to find out', () => {
  for (const path of sitePages().filter((page) => /^labs\/[^/]+\/$/.test(page))) {
    const html = readFileSync(join(siteFolder, path, 'index.html'), 'utf8');
    const named = [...html.matchAll(/(?:href|src)="([^"]+\.js)"/g)].map(([, name]) =>
      basename(name),
    );
    assert.ok(
      named.some((name) => name.startsWith('Lab-')),
      path,
    );
    for (const name of named) {
      const source = readFileSync(join(siteFolder, 'assets', name), 'utf8');
      for (const [, imported] of source.matchAll(
        /(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g,
      )) {
        // A lab's own code may hold the text of other code.
        if (existsSync(join(siteFolder, 'assets', imported)))
          assert.ok(named.includes(imported), `${path} names ${imported}, which ${name} imports`);
      }
    }
  }
});
