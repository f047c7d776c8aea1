/**
 * Sweeps over lattices on a graphics processor, by WebGPU: the bits are those of the CPU. Chromium's processor in
 * software is slow, but makes them as any other has to.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { root } from '../../src/tools/run.mjs';
import { isolation, serve } from '../../src/tools/serve.mjs';
import { deviceFlags } from '../matrix/environments.mjs';
import { goldens } from '../matrix/jobs.mjs';
import { openEmptyPage } from './empty-page.mjs';
import { launchChromium } from './site-under-test.mjs';

let server;
let browser;
before(async () => {
  server = await serve(root);
  browser = await launchChromium({ flags: deviceFlags });
});
const contexts = [];
afterEach(() => Promise.all(contexts.splice(0).map((context) => context.close())));
after(async () => {
  await browser?.close();
  await server?.close();
});

/** A page with the package; `change` is what becomes of the module that has the shader. */
async function open({ change, from = browser } = {}) {
  const context = await from.newContext();
  contexts.push(context);
  const page = await context.newPage();
  const warnings = [];
  page.on('console', (message) => warnings.push(message.text()));
  if (change) {
    const module = await readFile(join(root, 'dist/lattice-device.js'), 'utf8');
    const body = change(module);
    assert.notEqual(body, module);
    await context.route('**/lattice-device.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', headers: isolation, body }),
    );
  }
  await openEmptyPage(page, server);
  return { page, warnings };
}

/** A job of `numSweeps` sweeps with ten draws. */
function jobOf({ side, numCols = side, temperature, field = 0, numChains = 1, numSweeps }) {
  return {
    model: {
      kind: 'ising',
      dim: side * numCols,
      pattern: { kind: 'lattice', numRows: side, numCols, periodic: true },
      uniform: { coupling: 1 / temperature, field },
    },
    transition: { kind: 'checkerboard' },
    numChains,
    numWarmup: 0,
    numDraws: 10,
    numStepsPerDraw: numSweeps / 10,
    moments: false,
    energies: true,
    seed: 5,
  };
}

/** The digests of jobs, and the processor before and after. */
function run(page, specs, options) {
  return page.evaluate(
    async ([specs, options]) => {
      const { createEngine } = await import('/dist/index.js');
      const engine = await createEngine(options);
      const before = engine.gpu;
      const digests = [];
      for (const spec of specs) digests.push((await engine.sample(spec)).digest);
      const after = engine.gpu;
      await engine.close();
      return { digests, before, after };
    },
    [specs, options],
  );
}

test('1,000 sweeps at three temperatures have the golden digests', async () => {
  const { page, warnings } = await open();
  const jobs = goldens().filter(({ name }) =>
    /^sample-torus-(ordered|critical|disordered)$/.test(name),
  );
  assert.equal(jobs.length, 3);
  const specs = jobs.map(({ spec: { verb, ...spec } }) => spec);
  const { digests, before, after } = await run(page, specs, { gpu: true });
  assert.match(before, /swiftshader/i);
  assert.equal(after, before);
  assert.deepEqual(
    digests,
    jobs.map(({ digest }) => digest),
  );
  assert.deepEqual(warnings, []);
});

test('digests are those of the CPU with several chains, rows that end within a word, a field, and every engine', async () => {
  const { page } = await open();
  const jobs = [
    jobOf({ side: 258, numCols: 300, temperature: 2.2, field: 0.01, numChains: 3, numSweeps: 40 }),
    jobOf({ side: 512, temperature: 2.5, field: -0.1, numSweeps: 20 }),
    jobOf({ side: 96, temperature: 2.2, numSweeps: 50 }),
  ];
  const { digests } = await run(page, jobs, {});
  for (const options of [{ numWorkers: 1 }, { numWorkers: 2 }, { numWorkers: 2, threads: true }]) {
    const found = await run(page, jobs, { ...options, gpu: true });
    assert.match(found.after, /swiftshader/i);
    assert.deepEqual(found.digests, digests);
  }
});

test('a job is paused, cancelled and resumed from its checkpoint', async () => {
  const { page } = await open();
  const spec = jobOf({ side: 1024, temperature: 2.3, numSweeps: 200 });
  const [expected] = (await run(page, [spec], {})).digests;
  const digests = await page.evaluate(async (spec) => {
    const { createEngine } = await import('/dist/index.js');
    const engine = await createEngine({ gpu: true });
    let handle;
    await new Promise((begun) => {
      handle = engine.sample(spec, { onProgress: begun, progressInterval: 0 });
    });
    await handle.pause();
    const checkpoint = await handle.checkpoint();
    handle.resume();
    const whole = (await handle).digest;
    const other = engine.sample(spec);
    other.cancel();
    const code = await other.catch((error) => error.code);
    const rest = (await engine.sample(spec, { resumeFrom: checkpoint })).digest;
    await engine.close();
    return [whole, code, rest];
  }, spec);
  assert.deepEqual(digests, [expected, 'aborted', expected]);
});

// Whoever writes such a shader, or has such a processor, gets the numbers of the CPU and is told.
test('a processor that makes other bits, or fails, is used no more', async () => {
  const spec = jobOf({ side: 256, temperature: 2.3, numSweeps: 400 });
  const { page } = await open();
  const { digests } = await run(page, [spec, spec], {});
  const faults = [
    [(module) => module.replace('0x846ca68bu', '0x846ca68du'), /does not make the bits/],
    [(module) => module.replace('part < 2u &&', 'part < 2u &&&'), /./],
    [(module) => module.replace('adapter.requestDevice(', 'adapter.noSuchDevice('), /noSuchDevice/],
    [
      (module) => module.replace('device.queue.submit(', 'device.destroy(), device.queue.submit('),
      /./,
    ],
  ];
  for (const [change, reason] of faults) {
    const { page, warnings } = await open({ change });
    const found = await run(page, [spec, spec], { gpu: true });
    assert.deepEqual(found.digests, digests);
    assert.equal(found.after, undefined);
    assert.match(found.before, /swiftshader/i);
    const told = warnings.filter((text) => text.includes('the CPU goes on'));
    assert.equal(told.length, 1, warnings.join('\n'));
    assert.match(told[0].replace(/.*the CPU goes on: /, ''), reason);
  }
});

test('without a processor the CPU computes', async () => {
  const other = await launchChromium();
  try {
    const { page, warnings } = await open({ from: other });
    const spec = jobOf({ side: 256, temperature: 2.3, numSweeps: 20 });
    const cpu = await run(page, [spec], {});
    assert.deepEqual(await run(page, [spec], { gpu: true }), cpu);
    assert.equal(cpu.after, undefined);
    assert.deepEqual(warnings, []);
  } finally {
    await other.close();
  }
});

test('lattices of 4,096 by 4,096 have the same digests', async () => {
  const { page } = await open();
  const spec = {
    ...jobOf({ side: 4096, temperature: 2.3, numSweeps: 10 }),
    numDraws: 2,
    numStepsPerDraw: 2,
  };
  const { digests } = await run(page, [spec], {});
  assert.deepEqual((await run(page, [spec], { gpu: true })).digests, digests);
});
