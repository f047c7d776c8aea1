/**
 * What pages need before they are of use, in bytes and requests: what a slow line makes of that is in the output, and
 * `node tests/bench/startup.mjs` measures it properly. Nothing here depends on a clock.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { siteFolder } from '../../src/tools/build.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { sitePages } from './site-under-test.mjs';
import { LINES, openMeter } from './startup-measured.mjs';

/**
 * Most bytes over the line, with headers, and most requests until a page is interactive. 150 kB take 0.75 s at 1.6
 * Mbit/s; two journeys of 150 ms and what the browser does come on top. The pictures of labs on the landing page come after
 * its own.
 */
const BUDGET = { bytes: 150_000, requests: 20 };

/** What may come when it likes: the labs below answer, and have a picture, while these are on their way. */
const WITHHELD = /\.(wasm|bits)$/;

/** Labs whose first picture is of data, or computed: they need these, too, and more time. */
const MORE = {
  'digits-rbm': 'the handwritten digits, 0.25 MB',
  'evidence-race': 'the WebAssembly file, which draws the table',
  'fit-energy': 'the WebAssembly file, which draws the rows',
  'partition-function': 'the WebAssembly file, which computes the exact answer',
  pictures: 'the photographs and the WebAssembly file',
  'sampler-playground': 'the WebAssembly file, which computes the density',
  'score-field': 'the WebAssembly file, which draws the points',
  'model-contest': 'its data and the WebAssembly file',
};

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
  const name = path.split('/')[1] ?? '';
  if (MORE[name]) continue;
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
