/**
 * The service worker: everything without a network after one visit, new versions, hosts without headers, and that
 * nothing is lost where it fails. Every test has a profile of its own, and "no network" is a server that is gone.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { siteFolder } from '../../src/tools/build.mjs';
import { root } from '../../src/tools/run.mjs';
import { holdRounds, letRoundsGo } from './holding.mjs';
import {
  digestOf,
  fit,
  LAB,
  openSite,
  PATIENCE_MS,
  press,
  SMALL,
  sitePages,
  untilStatus,
} from './site-under-test.mjs';

const allowed = { serviceWorkers: 'allow' };

const ends = [];
afterEach(async () => {
  while (ends.length > 0) await ends.pop()();
});

/** A site that is closed after the test. */
async function opened(options) {
  const site = await openSite(options);
  ends.push(() => site.close());
  return site;
}

/** A copy of the built site that a test may change. */
function copied() {
  const folder = mkdtempSync(join(tmpdir(), 'unnorm-site-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  cpSync(siteFolder, folder, { recursive: true });
  return folder;
}

const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * Changes a file of a copy, and the service worker knows of it: a new version, as a build would make it. With `isHalf` the
 * host has the new service worker and still the old file.
 */
function change(folder, file, edit, { isHalf = false } = {}) {
  const path = join(folder, file);
  const before = hashOf(readFileSync(path));
  const changed = edit(readFileSync(path));
  const after = hashOf(changed);
  if (!isHalf) writeFileSync(path, changed);
  const script = join(folder, 'sw.js');
  const source = readFileSync(script, 'utf8');
  const version = /version:\s*[`"'](\w{12})[`"']/.exec(source)[1];
  assert.ok(source.includes(before), `${file} is among the files of the service worker`);
  writeFileSync(
    script,
    source.replace(before, after).replace(version, hashOf(version).slice(0, 12)),
  );
}

/** Until the site is kept: the service worker is active. */
const untilKept = (page) =>
  page.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => active.scriptURL));

/** In the page, before anything of its own: notes when the service worker that it registers has failed. */
function watchRefusal() {
  const { register } = ServiceWorkerContainer.prototype;
  globalThis.refused = new Promise((resolve) => {
    ServiceWorkerContainer.prototype.register = async function (...args) {
      const registration = await register.apply(this, args);
      const { installing, waiting, active } = registration;
      const worker = installing ?? waiting ?? active;
      const look = () => (!worker || worker.state === 'redundant') && resolve();
      worker?.addEventListener('statechange', look);
      look();
      return registration;
    };
  });
}

/** Until a service worker that had to fail has, and what there is then. */
async function untilRefused(page) {
  return page.evaluate(async () => {
    await globalThis.refused;
    const registration = await navigator.serviceWorker.getRegistration();
    return { isActive: Boolean(registration?.active), isWaiting: Boolean(registration?.waiting) };
  });
}

/** Until nothing of an old version is kept: the service worker looks at requests, now and then, whether it is needed. */
const untilPruned = (page, file) =>
  page.waitForFunction(
    async (name) => {
      await fetch(name);
      return (await caches.keys()).length === 2;
    },
    file,
    { polling: 500 },
  );

const versionsKept = (page) =>
  page.evaluate(async () =>
    (await caches.keys()).map((name) => name.split(' ').at(-1)).filter((name) => name !== 'state'),
  );

const look = (page) =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());

test('who reads German has the course in German without a network', async () => {
  const site = await opened();
  const { page, context } = await site.page('', { ...allowed, locale: 'de-DE' });
  await untilKept(page);
  const address = `${site.url}de/docs/course/energies/`;
  await page.waitForFunction(async (url) => (await caches.match(url)) !== undefined, address, {
    timeout: PATIENCE_MS,
  });
  await page.waitForFunction(
    async () => (await caches.keys()).length > 0 && navigator.serviceWorker.controller !== null,
  );
  await site.goOffline();
  await context.setOffline(true);
  await page.goto(address);
  await page.getByRole('heading', { level: 1, name: 'Energien und Z' }).waitFor();
});

test('after a visit to the landing page alone, every page opens and computes without a network', async () => {
  const site = await opened();
  const { page, context, problems } = await site.page('', allowed);
  assert.equal(await untilKept(page), `${site.url}sw.js`);
  assert.deepEqual(problems, []);
  await site.goOffline();
  await context.setOffline(true);
  // From a click on a card, as a visitor would.
  await page.getByRole('article').getByRole('link', { name: 'Ising: learn' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ising: learn' }).waitFor();
  // Those in other languages are kept for who reads them.
  const pages = sitePages().filter((path) => !path.startsWith('de/'));
  const isText = (path) => path !== '' && !path.startsWith('labs/');
  const texts = pages.filter(isText);
  // Pages of text are many, and have the same parts: of those not opened it is enough that they are there.
  const missing = await page.evaluate(
    async ([home, paths]) => {
      const found = await Promise.all(
        paths.map(async (path) => ((await fetch(home + path)).ok ? [] : [path])),
      );
      return found.flat();
    },
    [site.url, texts],
  );
  assert.deepEqual(missing, []);
  for (const path of pages.filter((page) => !texts.slice(2).includes(page))) {
    const opening = await site.page(path, { context });
    await opening.page.locator('h1').waitFor();
    if (path.startsWith('labs/')) {
      // Four of them compute what they begin with.
      await opening.page.locator('[data-action="primary"]:enabled').waitFor();
      await opening.page.locator('.pictures canvas').first().waitFor();
    }
    assert.deepEqual(opening.problems, [], path);
    await opening.page.close();
  }
  const { page: learn } = await site.page(LAB + SMALL, { context });
  assert.match(await fit(learn), /^[0-9a-f]{64}$/);
  const { page: annealing } = await site.page('labs/annealing/#most=10&particles=200', { context });
  await press(annealing, 'Anneal');
  await untilStatus(annealing, 'done');
  const { page: digits } = await site.page('labs/digits-rbm/', { context });
  await press(digits, 'Fit');
  await untilStatus(digits, 'running');
  await press(digits, 'Stop');
  // Code that was never run before.
  const { page: guide } = await site.page('docs/guides/live-code/', { context });
  const block = guide.locator('figure.code[data-live]').first();
  await block.getByRole('button', { name: 'Edit' }).click();
  await block.locator('.cm-focused').waitFor();
  await block.getByRole('button', { name: 'Run' }).click();
  await block.locator('[data-live-status="done"]').waitFor();
  assert.deepEqual(await block.locator('[role="log"] pre').allTextContents(), ['4000 true']);
  await block.locator('canvas').waitFor();
  // What is not there says so in words.
  const { page: nothing } = await site.page('no/such/page/', { context });
  await nothing.getByRole('heading', { name: 'No network' }).waitFor();
  // A folder without its slash, and a page with a question, are the same pages.
  const { page: bare } = await site.page('labs/annealing?embed#most=25', { context });
  await bare.getByRole('heading', { level: 1, name: 'Annealing' }).waitFor();
  assert.equal(bare.url().split('?')[0], `${site.url}labs/annealing/`);
});

test('on a host without headers, pages work before the service worker and are isolated after', async () => {
  const folder = copied();
  symlinkSync(join(root, 'dist'), join(folder, 'package'));
  writeFileSync(join(folder, 'threads.html'), '<!doctype html><title>threads</title>');
  const site = await opened({ folder, headers: {} });
  const { page, context, problems } = await site.page(LAB + SMALL, allowed);
  const digest = await fit(page);
  await untilKept(page);
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  await page.reload();
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  assert.equal(await fit(page), digest);
  assert.deepEqual(problems, []);
  const { page: bare } = await site.page('threads.html', { context });
  const found = await bare.evaluate(async () => {
    const { createEngine } = await import(new URL('package/index.js', location.href));
    const engine = await createEngine({ threads: true, numWorkers: 2 });
    const couplings = Float64Array.from([-1, 0.5, 0.5, -1]);
    const { logZ } = await engine.exact({ model: { kind: 'ising', dim: 2, couplings } });
    await engine.close();
    return { threads: engine.threads, logZ };
  });
  // E = −x₁ − x₂ + x₁x₂: states of weight 1, e, e and e.
  assert.equal(found.threads, true);
  assert.ok(Math.abs(found.logZ - Math.log(1 + 3 * Math.E)) < 1e-12, `${found.logZ}`);
});

test('a new version waits until it is wanted, comes whole, and leaves nothing of the old one', async () => {
  const folder = copied();
  const site = await opened({ folder });
  const { page, context } = await site.page('', allowed);
  await untilKept(page);
  await page.reload();
  const before = await versionsKept(page);
  change(folder, 'index.html', (bytes) => String(bytes).replace('<title>', '<title>New: '));
  await look(page);
  const notice = page.getByText('A new version of this site is here.');
  await notice.waitFor();
  // Until then the old one goes on, also in pages that are opened now.
  await page.reload();
  assert.doesNotMatch(await page.title(), /^New: /);
  await notice.waitFor();
  await press(page, 'Reload');
  await page.waitForFunction(() => document.title.startsWith('New: '));
  // The page that was reloaded was the last of its version.
  await untilPruned(page, 'icon');
  const after = await versionsKept(page);
  assert.notDeepEqual(after, before);
  await site.goOffline();
  const { page: second } = await site.page('', { context });
  assert.match(await second.title(), /^New: /);
  assert.equal(await second.getByText('A new version').count(), 0);
});

test('a run goes on while another tab goes over to a new version, from the files it began with', async () => {
  const folder = copied();
  const site = await opened({ folder });
  const { page: first, context } = await site.page('', allowed);
  await untilKept(first);
  await first.reload();
  const { page: running } = await site.page(`${LAB}#rows=20000&pattern=dense&seed=1`, { context });
  await holdRounds(running);
  await press(running, 'Fit');
  await untilStatus(running, 'running');
  const read = () =>
    running.evaluate(async () => {
      const response = await fetch(new URL('../../data/digits-rbm-filters.i8', location.href));
      return new Uint8Array(await response.arrayBuffer())[0];
    });
  const before = await read();
  change(folder, 'data/digits-rbm-filters.i8', (bytes) => {
    bytes[0] ^= 1;
    return bytes;
  });
  await look(first);
  await first.getByText('A new version of this site is here.').waitFor();
  await press(first, 'Reload');
  await first.waitForFunction(() => !document.body.textContent.includes('A new version of'));
  await running.getByText('A new version of this site is here.').waitFor();
  assert.equal((await versionsKept(running)).length, 2);
  assert.equal(await read(), before);
  // It says what a reload would end, and does nothing yet.
  await press(running, 'Reload');
  await running.getByText('The run on this page ends with it.').waitFor();
  await letRoundsGo(running);
  await untilStatus(running, 'done');
  assert.match(await digestOf(running), /^[0-9a-f]{64}$/);
  await running.close();
  await first.reload();
  await untilPruned(first, 'icon');
  const now = await first.evaluate(async () => {
    const response = await fetch('data/digits-rbm-filters.i8');
    return new Uint8Array(await response.arrayBuffer())[0];
  });
  assert.equal(now, before ^ 1);
});

test('with a file missing nothing is kept, and the site works from the network; mended, it is kept', async () => {
  const folder = copied();
  const missing = join(folder, 'data/natural-rocket.png');
  const bytes = readFileSync(missing);
  rmSync(missing);
  const site = await opened({ folder });
  const { page } = await site.page('', { ...allowed, setUp: watchRefusal });
  await page.locator('h1').waitFor();
  assert.deepEqual(await untilRefused(page), { isActive: false, isWaiting: false });
  await page.goto(`${site.url}${LAB}${SMALL}`);
  assert.match(await fit(page), /^[0-9a-f]{64}$/);
  writeFileSync(missing, bytes);
  await page.reload();
  await untilKept(page);
});

test('a host half-way through an update does not get its files into the cache', async () => {
  const folder = copied();
  const site = await opened({ folder });
  const { page } = await site.page('', allowed);
  await untilKept(page);
  const before = await versionsKept(page);
  await page.reload();
  change(folder, 'labs/memory/index.html', (bytes) => `${bytes}<!-- other -->`, { isHalf: true });
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    const failed = new Promise((resolve) => {
      registration.addEventListener('updatefound', () => {
        const { installing } = registration;
        installing.addEventListener('statechange', () => resolve(installing.state));
      });
    });
    await registration.update();
    globalThis.ended = await failed;
  });
  assert.equal(await page.evaluate(() => globalThis.ended), 'redundant');
  await site.goOffline();
  await page.goto(`${site.url}labs/memory/`);
  await page.getByRole('heading', { level: 1, name: 'Memory' }).waitFor();
  assert.ok((await versionsKept(page)).includes(before[0]));
});

test('where there is no room for the site, it works from the network and takes none', async () => {
  const site = await opened();
  const options = { ...allowed, setUp: watchRefusal };
  const { page, context } = await site.page('labs/natural-gradient/', options);
  const session = await context.newCDPSession(page);
  const { origin } = new URL(site.url);
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1_000_000 });
  assert.deepEqual(await untilRefused(page), { isActive: false, isWaiting: false });
  assert.deepEqual(await versionsKept(page), []);
  await page.goto(`${site.url}${LAB}${SMALL}`);
  assert.match(await fit(page), /^[0-9a-f]{64}$/);
});

test('a host that does not know what WebAssembly is will do, with the service worker and without', async () => {
  const site = await opened({
    headers: (path) => (path.endsWith('.wasm') ? { 'Content-Type': 'text/plain' } : {}),
  });
  const { page: without } = await site.page(LAB + SMALL);
  const digest = await fit(without);
  const { page, problems } = await site.page(LAB + SMALL, allowed);
  await untilKept(page);
  await page.reload();
  assert.equal(await fit(page), digest);
  assert.deepEqual(problems, []);
});
