/**
 * The labs for notebooks, in a page that does what a notebook does: it has a model of traits and messages, as anywidget
 * gives one to a widget, and a content security policy under which nothing can be fetched. JupyterLab and marimo themselves are in tests/notebooks.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildNotebook, notebookFolder } from '../../src/tools/notebook.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { specOf } from '../notebooks/packed.mjs';
import { problemsOf } from './problems.mjs';
import { digestOf, launchChromium, PATIENCE_MS, untilStatus } from './site-under-test.mjs';

/** The frame inherits it. What is needed of a notebook: scripts that are inline, frames and workers of blobs. */
const POLICY = `default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline';
  img-src data:; child-src blob:`;

const HOST = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title><link rel="icon" href="data:,">
  <meta http-equiv="Content-Security-Policy" content="${POLICY}"></head><body><div id="output"></div>
  <script type="module">
    import widget from './widget.js';
    const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    globalThis.show = (traits) => {
      const hearing = [];
      const tell = (event, ...values) => {
        for (const [name, hear] of [...hearing]) if (name === event) hear(...values);
      };
      const model = {
        saved: [],
        get: (name) => traits[name],
        set: (name, value) => { traits[name] = value; },
        save_changes: () => model.saved.push(structuredClone(traits)),
        on: (event, hear) => hearing.push([event, hear]),
        off: (event, hear) => {
          const at = hearing.findIndex(([name, other]) => name === event && other === hear);
          hearing.splice(at, 1);
        },
        send: async ({ name }) => {
          const file = await readNotebookFile(name);
          const buffers = file === null ? [] : [new DataView(fromBase64(file).buffer)];
          tell('msg:custom', { type: 'file', name, found: file !== null }, buffers);
        },
        // What Python does.
        change(name, value) {
          traits[name] = value;
          tell('change:' + name);
        },
        press: (what) => tell('msg:custom', { type: 'press', what }, []),
        numHearing: () => hearing.length,
      };
      globalThis.model = model;
      globalThis.traits = traits;
      globalThis.end = widget.render({ model, el: document.getElementById('output') });
    };
  </script></body></html>`;

let browser;
let folder;
let server;
before(async () => {
  buildNotebook();
  folder = mkdtempSync(join(tmpdir(), 'unnorm-notebook-'));
  writeFileSync(join(folder, 'index.html'), HOST);
  copyFileSync(join(notebookFolder, 'widget.js'), join(folder, 'widget.js'));
  server = await serve(folder, { headers: {} });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await server?.close();
  if (folder) rmSync(folder, { recursive: true });
});

async function notebook() {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const asked = [];
  await page.exposeFunction('readNotebookFile', async (name) => {
    asked.push(name);
    return readFile(join(notebookFolder, name)).then(
      (bytes) => bytes.toString('base64'),
      () => null,
    );
  });
  const problems = problemsOf(page, {
    isHere: (url) => url.startsWith(server.url),
    isExpected: () => false,
  });
  await page.goto(server.url);
  await page.waitForFunction(() => globalThis.show);
  const show = (lab, traits = {}) =>
    page.evaluate((all) => globalThis.show(all), {
      lab,
      settings: {},
      theme: null,
      compact: false,
      version: '1',
      result: null,
      ...traits,
    });
  const trait = (name) => page.evaluate((key) => globalThis.traits[key], name);
  const frame = page.frameLocator('iframe');
  return { page, frame, problems, asked, show, trait, close: () => context.close() };
}

/** With ALL_LABS, as `npm run notebooks` has it, all; else some, with at least one of each kind of data. */
const isTried = (name) =>
  process.env.ALL_LABS ||
  ['annealing', 'lattice', 'structure-search', 'memory', 'pictures', 'topics-and-taste'].includes(
    name,
  );

test('labs are there, and all they need came from Python', async () => {
  const { page, frame, problems, asked, show, close } = await notebook();
  const labs = JSON.parse(await readFile(join(notebookFolder, 'labs.json'), 'utf8'));
  assert.ok(Object.keys(labs).length >= 24);
  for (const [name, title] of Object.entries(labs)) {
    if (!isTried(name)) continue;
    await show(name);
    await frame.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await frame.locator('[data-action="primary"]:enabled').waitFor();
    // Nothing of it is hidden below its edge.
    await page.waitForFunction(() => document.querySelector('iframe').offsetHeight > 700);
    assert.equal(await frame.locator('[role="alert"]').count(), 0, name);
    await page.evaluate(() => globalThis.end());
    assert.equal(await page.locator('iframe').count(), 0);
    assert.equal(await page.evaluate(() => globalThis.model.numHearing()), 0);
  }
  // The page is fetched once.
  assert.equal(asked.filter((name) => name === 'page.html.gz').length, 1);
  assert.ok(asked.length > 5);
  assert.deepEqual(problems, []);
  await close();
});

test('settings go both ways; a result has its jobs, which have the same digests in Node', async () => {
  const { page, frame, problems, show, trait, close } = await notebook();
  await show('ising-learn', { settings: { rows: 500, pattern: 'lattice', seed: 1 } });
  await frame.getByText('Ready to fit').waitFor();
  await frame.getByText(/to 500 rows/).waitFor();
  await page.waitForFunction(() => globalThis.traits.settings.data === 'glass');

  await page.evaluate(() =>
    globalThis.model.change('settings', { rows: 700, pattern: 'lattice', seed: 3 }),
  );
  await frame.getByText(/to 700 rows/).waitFor();

  await frame.getByLabel('Seed').fill('8');
  await frame.getByLabel('Seed').blur();
  await page.waitForFunction(() => globalThis.traits.settings.seed === 8);

  await page.evaluate(() => globalThis.model.press('start'));
  await untilStatus(frame, 'done');
  await page.waitForFunction(() => globalThis.traits.result);
  const result = await trait('result');
  assert.equal(result.status, 'done');
  assert.equal(result.digest, await digestOf(frame));
  assert.match(result.numbers['Data'], /^700 × 100$/);
  const job = result.jobs.find(({ digest }) => digest === result.digest);
  assert.equal(job.verb, 'fit');
  const { createEngine } = await import('unnorm');
  const engine = await createEngine({ numWorkers: 1 });
  assert.equal((await engine.fit(specOf(job.spec))).digest, result.digest);
  await engine.close();

  // While a run is on there is no result.
  await page.evaluate(() => globalThis.model.press('start'));
  await page.waitForFunction(() =>
    globalThis.model.saved.some(
      ({ result }, n) => result === null && globalThis.model.saved[n - 1]?.result,
    ),
  );
  await page.evaluate(() => globalThis.end());
  assert.deepEqual(problems, []);
  await close();
});

test('specs that are too long for a message are left out', {
  skip: !process.env.ALL_LABS,
}, async () => {
  const { page, frame, problems, show, trait, close } = await notebook();
  await show('pictures');
  await frame.locator('[data-action="primary"]:enabled').waitFor();
  await page.evaluate(() => globalThis.model.press('start'));
  await page.waitForFunction(() => globalThis.traits.result);
  const { status, digest, jobs } = await trait('result');
  assert.equal(status, 'done');
  assert.ok(JSON.stringify(jobs).length < 9e6);
  assert.ok(jobs.find((job) => job.digest === digest).spec);
  assert.ok(jobs.some(({ spec }) => spec === undefined));
  assert.ok(jobs.filter(({ spec }) => spec).length > 1);
  assert.deepEqual(problems, []);
  await close();
});

test('the theme is that of what is behind, also when it changes, or the one asked for', async () => {
  const { page, frame, problems, show, close } = await notebook();
  const dark = () => frame.locator('html[data-theme="dark"]').waitFor();
  const light = () => frame.locator('html[data-theme="light"]').waitFor();
  await page.evaluate(() => {
    document.body.style.background = 'oklch(25% 0.02 260)';
  });
  await show('annealing', { compact: true });
  await dark();
  await frame.locator('[data-action="primary"]').waitFor();
  assert.ok(await frame.getByRole('heading', { name: 'Numbers' }).isHidden());
  await page.evaluate(() => {
    document.body.style.background = 'white';
  });
  await light();
  await page.evaluate(() => globalThis.model.change('theme', 'dark'));
  await dark();
  assert.deepEqual(problems, []);
  await close();
});

test('a build without labs says so', async () => {
  const { page, show, close } = await notebook();
  await page.evaluate(() => {
    globalThis.readNotebookFile = async () => null;
  });
  await show('annealing');
  await page.getByText('This build of unnorm has no labs in it.').waitFor();
  await close();
});
