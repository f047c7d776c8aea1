/** Pages in headless Chromium, with everything noted that ought not to happen. */
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { chromiumFlags, chromiumPath } from '../../src/tools/chromium.mjs';

/** How long what never comes is waited for. */
const PATIENCE_MS = 300_000;

/** Starts a browser. Close it with `close`. */
export async function openBrowser() {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: chromiumFlags,
    timeout: PATIENCE_MS,
  });
  return {
    /** Opens a page of its own profile. */
    async open(url) {
      const context = await browser.newContext();
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      await page.addInitScript(defineShown);
      const problems = watch(page);
      // From before there is a page: it may fail while it is opened.
      const failure = new Promise((resolve) => page.once('pageerror', resolve));
      const scripts = [];
      page.on('worker', (worker) => scripts.push(worker.url()));
      const start = performance.now();
      await page.goto(url);
      return {
        page,
        problems,
        /** The addresses of the workers' scripts, in the order in which they were started. */
        scripts,
        /** What the program fails with, when it has. */
        failure: () => failure,
        /** What the program has put on the page, when it has. */
        async result() {
          await Promise.race([
            page.waitForFunction(() => /\{.*\}/.test(globalThis.shown())),
            // A program that failed puts nothing there.
            failure,
          ]).catch(() => undefined);
          const text = await page.evaluate(() => globalThis.shown());
          assert.deepEqual(problems, [], `on the page ${url}, which shows: ${text}`);
          const [json] = /\{.*\}/.exec(text) ?? assert.fail(`the page shows: ${text}`);
          return { ...JSON.parse(json), seconds: (performance.now() - start) / 1000 };
        },
        /** How many workers there are, when there are as many as are wanted or patience ends. */
        async numWorkers(wanted) {
          const end = performance.now() + PATIENCE_MS;
          while (page.workers().length !== wanted && performance.now() < end) {
            await page.waitForTimeout(100);
          }
          return page.workers().length;
        },
      };
    },
    close: () => browser.close(),
  };
}

/** Runs in every page: a function that gives the text one sees, without that of scripts. */
function defineShown() {
  // biome-ignore lint/performance/useDomNodeTextContent: it is the rendered text that counts
  globalThis.shown = () => document.body?.innerText ?? '';
}

/** Errors, warnings, failed requests and requests to anywhere but this machine. */
function watch(page) {
  const problems = [];
  // Browsers ask for an icon that no page here has.
  const isIcon = (url) => url.endsWith('/favicon.ico');
  page.on('console', (message) => {
    const isComplaint = ['error', 'warning'].includes(message.type());
    if (isComplaint && !isIcon(message.location().url)) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on('response', (response) => {
    if (response.status() >= 400 && !isIcon(response.url())) {
      problems.push(`${response.status()}: ${response.url()}`);
    }
  });
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    const isHere = /^(localhost|127\.0\.0\.1|)$/.test(hostname);
    if (!isHere && /^http/.test(protocol)) problems.push(`foreign: ${request.url()}`);
  });
  return problems;
}
