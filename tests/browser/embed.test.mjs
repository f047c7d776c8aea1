/**
 * `<unnorm-lab>` on pages of another site: every lab mounts, one runs and tells of it, and nothing is left when it goes.
 * The pages are bare HTML, written here; `host.localhost` is another site than `localhost`.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isolation, serve } from '../../src/tools/serve.mjs';
import { until } from '../node/until.mjs';
import { digestOf, fit, LAB, openSite, PATIENCE_MS, SMALL, sitePages } from './site-under-test.mjs';

const names = sitePages()
  .filter((path) => /^labs\/[^/]+\/$/.test(path))
  .map((path) => path.split('/')[1]);

let site;
let folder;
let host;
let isolatedHost;
before(async () => {
  site = await openSite();
  folder = mkdtempSync(join(tmpdir(), 'unnorm-host-'));
  host = await serve(folder, { headers: {} });
  isolatedHost = await serve(folder, { headers: isolation });
});
after(async () => {
  await site?.close();
  await host?.close();
  await isolatedHost?.close();
  if (folder) rmSync(folder, { recursive: true });
});

let numPages = 0;

/** Opens a page of the other site with this in its body. Every event of a lab is kept in `heard`. */
async function hosting(body, { server = host, head = '', ...options } = {}) {
  const name = `page-${numPages++}.html`;
  writeFileSync(
    join(folder, name),
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">${head}</head>
    <body><script>
      globalThis.heard = [];
      for (const name of ['ready', 'settings', 'run'])
        addEventListener('unnorm-' + name, ({ detail, target }) => heard.push({ name, detail, id: target.id }));
    </script><script src="${site.url}embed.js"></script>${body}</body></html>`,
  );
  const context = await site.browser.newContext({
    viewport: { width: 1000, height: 800 },
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(server.url.replace('localhost', 'host.localhost') + name);
  return { page, problems, close: () => context.close() };
}

/** Waits until the page has heard of something. */
const untilHeard = (page, name, detail = {}) =>
  page.waitForFunction(
    ([wanted, part]) =>
      globalThis.heard.some(
        (event) =>
          event.name === wanted &&
          Object.entries(part).every(([key, value]) => event.detail[key] === value),
      ),
    [name, detail],
  );

const heights = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('unnorm-lab')].map(({ offsetHeight }) => offsetHeight),
  );

test('on paper what is inside of the element stands in for the lab, and else the lab itself', async () => {
  const { page, problems, close } = await hosting(`
    <unnorm-lab id="pictured" name="partition-function" loading="eager"><img alt="A picture" src="${site.url}cards/partition-function.png"></unnorm-lab>
    <unnorm-lab id="bare" name="partition-function" loading="eager"></unnorm-lab>`);
  await page.waitForFunction(
    () => globalThis.heard.filter(({ name }) => name === 'ready').length === 2,
  );
  const picture = page.locator('#pictured img');
  const isFrameShown = (id) => page.locator(`#${id} iframe`).isVisible();
  assert.deepEqual(
    [await picture.isVisible(), await isFrameShown('pictured'), await isFrameShown('bare')],
    [false, true, true],
  );
  await page.emulateMedia({ media: 'print' });
  assert.deepEqual(
    [await picture.isVisible(), await isFrameShown('pictured'), await isFrameShown('bare')],
    [true, false, true],
  );
  const size = await picture.evaluate(({ naturalWidth, naturalHeight }) => [
    naturalWidth,
    naturalHeight,
  ]);
  assert.deepEqual(size, [1200, 630]);
  assert.deepEqual(problems, []);
  await close();
});

test('every lab mounts on a page of another site, as high as it is and without the navigation', async () => {
  const { page, problems, close } = await hosting('<unnorm-lab loading="eager"></unnorm-lab>');
  for (const name of names) {
    await page.evaluate((next) => {
      globalThis.heard.length = 0;
      document.querySelector('unnorm-lab').setAttribute('name', next);
    }, name);
    await untilHeard(page, 'ready');
    const frame = page.frameLocator('iframe');
    await frame.locator('[data-action="primary"]').waitFor();
    assert.equal(await frame.getByRole('banner').count(), 0, name);
    assert.match(await page.locator('iframe').getAttribute('title'), /: a live lab of unnorm$/);
    const link = frame.getByRole('link', { name: /on its own page/ });
    assert.match(await link.getAttribute('href'), new RegExp(`/labs/${name}/$`));
    // Nothing of it is hidden below its edge: heights are told by messages, so the element's follows the page's.
    await page.waitForFunction(() => document.querySelector('unnorm-lab').offsetHeight > 700);
    const apart = async () => {
      const inside = await frame.locator('html').evaluate(() => document.body.scrollHeight);
      const [outside] = await heights(page);
      return Math.abs(outside - inside) < 60 ? '' : `${outside} px for ${inside} px`;
    };
    // Once is enough: the page's height changes as its pictures come.
    await until(`${name} is as high as its page`, async () => (await apart()) === '');
  }
  assert.deepEqual(problems, []);
  await close();
});

test('a run tells of its states, settings and digest; sizes and themes follow; removal ends its workers', async () => {
  const { page: own } = await site.page(LAB + SMALL);
  const digest = await fit(own);
  const { page, problems, close } = await hosting(
    `<unnorm-lab name="ising-learn" settings="${SMALL}" theme="dark"></unnorm-lab>`,
  );
  await untilHeard(page, 'ready');
  const frame = page.frameLocator('iframe');
  const theme = () => frame.locator('html').getAttribute('data-theme');
  assert.equal(await theme(), 'dark');
  await page.evaluate(() => document.querySelector('unnorm-lab').setAttribute('theme', 'light'));
  await frame.locator('html[data-theme="light"]').waitFor();
  await frame.getByText('Ready to fit').waitFor();
  await page.evaluate(() => document.querySelector('unnorm-lab').start());
  await untilHeard(page, 'run', { status: 'running' });
  await until('it has workers', () => page.workers().length > 0);
  await untilHeard(page, 'run', { status: 'done', digest });
  assert.equal(await digestOf(frame), digest);
  const { numbers } = await page.evaluate(() => globalThis.heard.at(-1).detail);
  assert.match(numbers['Data'] ?? JSON.stringify(numbers), /^500 × 100$/);

  // A setting changed here is a setting heard of there, and the other way.
  await page.evaluate(() => {
    document.querySelector('unnorm-lab').settings = { rows: 700, pattern: 'lattice', seed: 3 };
  });
  await frame.getByText(/to 700 rows/).waitFor();
  await page.waitForFunction(() =>
    globalThis.heard.some(({ detail }) => /rows=700.*seed=3/.test(detail.settings ?? '')),
  );
  assert.match(
    await page.evaluate(() => document.querySelector('unnorm-lab').settings),
    /rows=700/,
  );

  const [wide] = await heights(page);
  await page.setViewportSize({ width: 380, height: 800 });
  await page.waitForFunction(
    (old) => document.querySelector('unnorm-lab').offsetHeight > old + 100,
    wide,
  );

  await page.evaluate(() => document.querySelector('unnorm-lab').start());
  await untilHeard(page, 'run', { status: 'running' });
  await page.evaluate(() => {
    globalThis.removed = document.querySelector('unnorm-lab');
    globalThis.removed.remove();
    globalThis.heard.length = 0;
  });
  const left = () => page.frames().length - 1 + page.workers().length;
  await until('no frames and workers are left', () => left() === 0);
  // Put back, it is where it was, for what belongs to its address.
  await page.evaluate(() => document.body.append(globalThis.removed));
  await untilHeard(page, 'ready');
  await frame.getByText(/to 700 rows/).waitFor();
  assert.equal(page.frames().length, 2);
  assert.deepEqual(problems, []);
  await close();
});

test('several on a page load when they come near the window, each with settings of its own', async () => {
  const lab = (id, seed) =>
    `<unnorm-lab id="${id}" name="natural-gradient" compact settings='{"seed": ${seed}}'>wait</unnorm-lab>`;
  const { page, problems, close } = await hosting(
    `${lab('a', 1)}${lab('b', 1)}<div style="height: 6000px"></div>${lab('c', 1)}`,
  );
  await page.waitForFunction(
    () => globalThis.heard.filter(({ name }) => name === 'ready').length === 2,
  );
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => document.querySelector('#c').offsetHeight), 640);
  assert.equal(page.frames().length, 3);
  await page.evaluate(() => document.querySelector('#c').scrollIntoView());
  await page.waitForFunction(() =>
    globalThis.heard.some(({ name, id }) => name === 'ready' && id === 'c'),
  );
  // The compact form has no code below.
  const frame = page.frames().at(-1);
  assert.equal(await frame.getByRole('heading', { name: 'The code' }).count(), 0);
  await frame.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(problems.filter((problem) => !/link has/.test(problem)).length, 0);
  await close();
});

test('an isolated page can embed a lab, which computes', async () => {
  const { page, problems, close } = await hosting(
    `<unnorm-lab name="ising-learn" settings="${SMALL}"></unnorm-lab>`,
    { server: isolatedHost },
  );
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  await untilHeard(page, 'ready');
  await page.frameLocator('iframe').getByText('Ready to fit').waitFor();
  await page.evaluate(() => document.querySelector('unnorm-lab').start());
  await untilHeard(page, 'run', { status: 'done' });
  assert.deepEqual(problems, []);
  await close();
});

test('what cannot be shown is a sentence in its place', async () => {
  const { page, close } = await hosting(
    `<unnorm-lab id="unknown" name="anealing"></unnorm-lab><unnorm-lab id="none"></unnorm-lab>
     <unnorm-lab id="settings" name="annealing" settings="{seed"></unnorm-lab>`,
  );
  const words = (id) => page.locator(`#${id}`).getByRole('alert').textContent();
  assert.match(await words('unknown'), /^There is no lab “anealing”\. The labs are .*annealing/);
  assert.match(await words('none'), /^This lab has no name\. The labs are /);
  assert.match(await words('settings'), /^The settings of this lab are neither/);
  // Mended, it is there.
  await page.evaluate(() => document.querySelector('#unknown').setAttribute('name', 'annealing'));
  await untilHeard(page, 'ready');
  await close();

  const { page: strict, close: closeStrict } = await hosting(
    '<unnorm-lab id="kept" name="annealing"></unnorm-lab>',
    {
      head: `<meta http-equiv="Content-Security-Policy" content="frame-src 'self'">`,
    },
  );
  const refused = strict.locator('#kept').getByRole('alert');
  assert.match(await refused.textContent(), /content security policy keeps the lab out/);
  await closeStrict();
});

test('a lab answers the page around it and nobody else', async () => {
  const { page, close } = await hosting('<unnorm-lab name="natural-gradient"></unnorm-lab>');
  await untilHeard(page, 'ready');
  const answered = await page.frames()[1].evaluate(
    () =>
      new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve(true);
        // From the frame itself: as good as from any other window but its parent.
        postMessage({ unnorm: 'connect' }, '*', [port2]);
        setTimeout(() => resolve(false), 500);
      }),
  );
  assert.equal(answered, false);
  await close();
});
