/** The code of the documentation that is for browsers, run there as it stands. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'vite';
import { serve } from '../../src/tools/serve.mjs';
import { agrees, documents, programsOf, root, sourceOf } from '../node/docs-code.mjs';
import { holdInPage, letRoundsGo } from './holding.mjs';
import { launchChromium, PATIENCE_MS } from './site-under-test.mjs';

const folder = join(root, 'out/docs-browser');
const programs = documents().flatMap((file) =>
  programsOf(file, { browser: true, languages: ['js', 'jsx', 'html'] }),
);

const host = (script) => `<!doctype html>
<html lang="en"><meta charset="utf-8" /><title>running</title>
<script type="importmap">{ "imports": { "unnorm": "/node_modules/unnorm/dist/index.js" } }</script>
<body><script type="module">
globalThis.printed = {};
globalThis.print = (place, ...values) => { globalThis.printed[place] = values.join(' '); };
try { await import('./${script}'); document.title = 'done'; } catch (error) { document.title = 'failed: ' + error; }
</script></body></html>
`;

let server;
let browser;
before(async () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'node_modules/unnorm'), { recursive: true });
  symlinkSync(join(root, 'dist'), join(folder, 'node_modules/unnorm/dist'), 'dir');
  // Browsers ask for it.
  writeFileSync(join(folder, 'favicon.ico'), '');
  for (const [n, program] of programs.entries()) await prepare(n, program);
  server = await serve(folder);
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a program's page, `<n>.html`. */
async function prepare(n, program) {
  const { source } = sourceOf(program);
  if (program.language === 'html') {
    writeFileSync(join(folder, `${n}.html`), source);
    return;
  }
  writeFileSync(join(folder, `${n}.html`), host(`${n}.mjs`));
  if (program.language === 'js') {
    writeFileSync(join(folder, `${n}.mjs`), source);
    return;
  }
  // JSX is what a bundler is for; the package itself stays as it is.
  const entry = join(root, `out/docs-browser/${n}.jsx`);
  writeFileSync(entry, source);
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: {
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => `${n}.mjs` },
      rolldownOptions: { external: ['unnorm'] },
    },
  });
}

/** Opens a program's page; `problems` has every error. */
async function open(n, context) {
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(`${server.url}${n}.html`);
  return { page, problems };
}

const ended = (page) => page.waitForFunction(() => document.title !== 'running');

test('there is code for browsers, in each form', () => {
  const languages = new Set(programs.map(({ language }) => language));
  assert.deepEqual([...languages].sort(), ['html', 'js', 'jsx']);
});

for (const [n, program] of programs.entries()) {
  test(`runs: ${program.where}`, async () => {
    const context = await browser.newContext();
    const { page, problems } = await open(n, context);
    if (program.language !== 'html') {
      await ended(page);
      assert.equal(await page.title(), 'done');
    }
    const { expected } = sourceOf(program);
    const printed = await page.evaluate(() => globalThis.printed ?? {});
    for (const [place, words] of expected) assert.ok(agrees(printed[place] ?? '', words), place);
    if (program.language === 'html') await checkPicture(page);
    if (program.language === 'jsx') {
      await page
        .locator('output')
        .filter({ hasText: /^[23]\.\d\d ± 0\.\d\d$/ })
        .waitFor();
    }
    assert.deepEqual(problems, []);
    await context.close();
  });
}

/** The page for teaching draws the formula's histogram, anew for another formula, and says what is wrong with one. */
async function checkPicture(page) {
  const picture = page.locator('#picture');
  await picture.filter({ hasText: '█' }).waitFor();
  const twoHills = await picture.textContent();
  await page.locator('#energy').fill('x^2 / 2');
  await page.keyboard.press('Tab');
  await page.waitForFunction(
    (before) => document.querySelector('#picture').textContent !== before,
    twoHills,
  );
  const middle = (text) =>
    text.split('\n').find((line) => line.trimStart().startsWith('0.0 ')).length;
  assert.ok(middle(await picture.textContent()) > middle(twoHills));
  await page.locator('#energy').fill('x^^2');
  await page.keyboard.press('Tab');
  await picture.filter({ hasText: 'expression' }).waitFor();
}

test('the recipe that goes on after a reload comes to the same digest', async () => {
  const n = programs.findIndex(({ blocks }) => blocks[0].code.includes('resumeFrom'));
  assert.ok(n >= 0);
  const digestOf = async (page) => {
    await ended(page);
    return (await page.locator('body').textContent()).match(/[0-9a-f]{64}/)?.[0];
  };
  const whole = await browser.newContext();
  const uninterrupted = await digestOf((await open(n, whole)).page);
  assert.ok(uninterrupted);
  const context = await browser.newContext();
  // Half-way the job waits, until it is reloaded.
  await context.addInitScript(holdInPage);
  const { page } = await open(n, context);
  await page.waitForFunction(
    async () => (await (await caches.open('unnorm')).match('/checkpoint')) !== undefined,
    undefined,
    { polling: 50 },
  );
  assert.equal(await page.title(), 'running', 'it is reloaded half-way');
  await page.reload();
  await letRoundsGo(page);
  assert.equal(await digestOf(page), uninterrupted);
  await whole.close();
  await context.close();
});
