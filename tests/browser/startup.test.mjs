/**
 * What pages need before they are of use, in bytes and requests: what a slow line makes of that is in the output, and
 * `node tests/bench/startup.mjs` measures it properly. Nothing here depends on a clock.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { siteFolder } from '../../src/tools/build.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { sitePages } from './site-under-test.mjs';
import { LINES, openMeter } from './startup-measured.mjs';

/**
 * Most bytes over the line, with headers, and most requests until a page is interactive. 150 kB take 0.75 s at 1.6
 * Mbit/s; two journeys of 150 ms and what the browser does come on top. A file that is asked for in the background may
 * come early on a fast machine, so the line is slow here, too.
 */
const BUDGET = { bytes: 150_000, requests: 20 };

/** Labs whose first picture is of data, or computed: they need these, too, and more time. */
const MORE = {
  'digits-rbm': 'the handwritten digits, 0.25 MB',
  'partition-function': 'the WebAssembly file, 0.9 MB, which computes the exact answer',
  pictures: 'the photographs and the WebAssembly file, 1.9 MB',
  'sampler-playground': 'the WebAssembly file, 0.9 MB, which computes the density',
  'score-field': 'the WebAssembly file, 0.9 MB, which draws the points',
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
    );
    context.diagnostic(`${milliseconds} ms, ${requests} requests, ${(bytes / 1000).toFixed(1)} kB`);
    const list = JSON.stringify(files, null, 1);
    assert.ok(bytes > 20_000, 'the bytes are counted');
    assert.ok(bytes <= BUDGET.bytes, `${bytes} bytes: ${list}`);
    assert.ok(requests <= BUDGET.requests, `${requests} requests: ${list}`);
    assert.ok(!files.some(({ file }) => file.endsWith('.wasm')), `no WebAssembly file: ${list}`);
  });
}

test('a page names what it needs, so that no script has to run first to find out', async () => {
  for (const path of sitePages().filter((page) => /^labs\/[^/]+\/$/.test(page))) {
    const { files } = await meter.measure(server.url + path);
    const html = await (await fetch(server.url + path)).text();
    for (const { file } of files.filter((one) =>
      /\/assets\/(Lab|kit|chart)-.*\.(js|css)$/.test(one.file),
    )) {
      assert.ok(html.includes(file.split('/').at(-1)), `${path} names ${file}`);
    }
  }
});
