/**
 * The built site in headless Chromium: served as a static host would, under a path of its own, with everything
 * recorded that ought not to happen.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { siteFolder } from '../../src/tools/build.mjs';
import { chromiumFlags, chromiumPath } from '../../src/tools/chromium.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { problemsOf } from './problems.mjs';

/** Where the lab is, below the address of the site. */
export const LAB = 'labs/ising-learn/';

/** A fit that takes a second or so. */
export const SMALL = '#data=glass&rows=500&pattern=lattice&seed=1';

/**
 * Every page of the built site, below its address: '' for the landing page, labs/annealing/. But for rustdoc's, which
 * are not ours to form.
 */
export function sitePages() {
  return readdirSync(siteFolder, { recursive: true })
    .map((name) => String(name).replaceAll('\\', '/'))
    .filter((name) => name === 'index.html' || name.endsWith('/index.html'))
    .filter((name) => !name.startsWith('rust/'))
    .map((name) => name.slice(0, -'index.html'.length))
    .sort();
}

/** Whether a page is that of a lab. */
export const isLab = (path) => /^labs\/[^/]+\/$/.test(path);

/** How long what never comes is waited for, on machines that may have much else to do. */
export const PATIENCE_MS = 300_000;

/**
 * Starts a browser; with `whole`, one with tabs, and with processes for frames, rather than its shell. `options` are others of
 * Playwright's.
 */
export function launchChromium({ flags = [], whole = false, ...options } = {}) {
  const args = [...chromiumFlags, ...flags];
  return chromium.launch({
    executablePath: chromiumPath({ whole }),
    args,
    timeout: PATIENCE_MS,
    ...options,
  });
}

/**
 * Starts a server of the site and a browser; `close` ends both. `folder` is served in place of the built site, with the
 * `headers` of `serve`. `whole` and `flags` are those of `launchChromium`.
 */
export async function openSite({ folder = siteFolder, headers, whole, flags } = {}) {
  if (!existsSync(join(folder, 'index.html'))) {
    throw new Error('There is no built site: run npm run build first.');
  }
  const server = await serve(folder, { base: '/some/where/', ...(headers && { headers }) });
  const browser = await launchChromium({ whole, flags });
  const profiles = new Set();
  return {
    url: server.url,
    browser,
    /**
     * A page of its own profile, or of the one given as `context`. `problems` collects errors, warnings, failed and
     * foreign requests. There is no service worker unless `serviceWorkers: 'allow'` is among the options: each profile
     * would fetch all of the site. `setUp` runs in the page before anything of its own.
     */
    async page(path, { context: given, setUp, ...options } = {}) {
      const context =
        given ??
        (await browser.newContext({
          viewport: { width: 1280, height: 900 },
          permissions: ['clipboard-read', 'clipboard-write'],
          serviceWorkers: 'block',
          ...options,
        }));
      if (!given) profiles.add(context);
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      if (setUp) await page.addInitScript(setUp);
      const problems = problemsOf(page, {
        isHere: (url) => url.startsWith(server.url),
        isExpected: (text) => text.startsWith('Service Worker registration blocked'),
      });
      await page.goto(server.url + path);
      return { page, context, problems };
    },
    /**
     * Closes every profile that `page` made. After each test, or its pages go on drawing and computing behind the back of
     * all that follow.
     */
    async closePages() {
      const open = [...profiles];
      profiles.clear();
      await Promise.all(open.map((context) => context.close()));
    },
    /** The server goes, as if the network did. */
    goOffline: () => server.close(),
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Waits until the run of a lab is in a state: running, stopped, done, failed. */
export async function untilStatus(page, status) {
  await page.locator(`[data-status="${status}"]`).waitFor();
}

/** Presses the main button: Fit, Stop, Continue. */
export async function press(page, label) {
  await page.getByRole('button', { name: label, exact: true }).click();
}

/** Fits from the beginning to the end and gives the digest. */
export async function fit(page) {
  await press(page, 'Fit');
  await untilStatus(page, 'done');
  return digestOf(page);
}

export function digestOf(page) {
  return page.locator('[data-digest]').getAttribute('data-digest');
}

/** A number of the table, as it is written there. */
export function numberOf(page, name) {
  return page.locator(`[data-number="${name}"] .value`).textContent();
}

/** The same as a number: 1,234 or 1.5 × 10⁻³. */
export async function amountOf(page, name) {
  const [mantissa, power = ''] = (await numberOf(page, name)).replaceAll(',', '').split(/\s×\s10/);
  const exponent = [...power].map((c) => (c === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c))).join('');
  return Number(`${mantissa}e${exponent || 0}`);
}

/** Gives a text to the page as a file. */
export function chooseFile(page, name, text) {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
  return page.locator('input[type="file"]').setInputFiles(file);
}

/** The link that the button copies. */
export async function copiedLink(page) {
  await press(page, 'Copy link');
  await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor({ state: 'attached' });
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The bytes of a file from the menu of downloads. */
export async function download(page, label) {
  await press(page, 'Download');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: label }).click(),
  ]);
  return readFile(await file.path());
}

/** What a canvas shows, as a text that differs when any pixel differs. */
export function pixelsOf(page, picture) {
  return page.locator(`canvas[data-picture="${picture}"]`).evaluate((canvas) => canvas.toDataURL());
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe that look at colours: what they say in one theme does not hold in another. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
/** The rules that look at colours and places. All others read elements, their names and what they are. */
export const OF_LOOKS = [...OF_COLOURS, 'target-size', 'scrollable-region-focusable'];

/**
 * What axe finds wrong with the page as it is now, by all rules or only by some. The page has to be opened with
 * `bypassCSP`.
 */
export async function violationsOf(page, rules) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axeSource);
  const { violations } = await page.evaluate(
    (some) =>
      globalThis.axe.run({
        // The size of targets is not among the rules that axe has on by itself.
        ...(some ? { runOnly: some } : { rules: { 'target-size': { enabled: true } } }),
        // What is right need not be described.
        resultTypes: ['violations'],
        // Style sheets are fetched and read again only for rules that are off, and there is nothing to be played.
        preload: false,
      }),
    rules,
  );
  // Handles that are dragged stand where the data are, and near one another when these are: their place is what they say,
  // which WCAG 2.5.8 calls essential.
  const isHandle = (id, { target }) => id === 'target-size' && /\.disc\b/.test(String(target));
  return violations
    .map(({ id, nodes }) => ({ id, nodes: nodes.filter((node) => !isHandle(id, node)) }))
    .filter(({ nodes }) => nodes.length > 0)
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`);
}

export const desk = { width: 1280, height: 900 };
export const phone = { width: 360, height: 740 };

/** On a phone the settings of a lab are folded away. */
export function openSettings(page) {
  return page.getByRole('button', { name: /^Settings/ }).click();
}

/** Waits until the page has drawn what it has to draw: pictures do so in a frame, charts in a task after one. */
export function drawn(page) {
  return page.evaluate(async () => {
    await document.fonts.ready;
    for (let n = 0; n < 3; n++) {
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
  });
}

/** Nothing is wider than the window. */
export async function assertFits(page, where) {
  const sideways = await page.evaluate(
    // The root's own width counts the room kept for a scrollbar.
    () => document.body.scrollWidth - document.body.clientWidth,
  );
  assert.ok(sideways <= 0, `${where}: ${sideways} px wider than the window`);
}

/**
 * As the page is now, axe finds nothing wrong and nothing sticks out: by the rules given, or by all, and those of colours again
 * in every theme after the first. The page has to be opened with `bypassCSP`.
 */
export async function assertSound(page, themes = ['light', 'dark'], rules = undefined) {
  for (const [n, colorScheme] of themes.entries()) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor({ state: 'attached' });
    const where = `${colorScheme}, ${page.viewportSize().width} px`;
    assert.deepEqual(await violationsOf(page, n === 0 ? rules : OF_COLOURS), [], where);
    await assertFits(page, where);
  }
}

/** The same of a lab, on a desk and on a phone with its settings unfolded; the page is as wide as a desk before. */
export async function assertSoundEverywhere(page) {
  await assertSound(page);
  await page.setViewportSize(phone);
  await openSettings(page);
  await assertSound(page);
}

/** Where what matches stands on the page, to the pixel. */
export function placesOf(page, selector) {
  return page.evaluate((all) => {
    return [...document.querySelectorAll(all)].map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return [left, top + scrollY, width, height].map((value) => Math.round(value)).join(' ');
    });
  }, selector);
}
