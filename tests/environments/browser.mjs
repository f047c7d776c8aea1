/** Pages in headless Chromium, with everything noted that ought not to happen. */
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';
import { chromiumFlags, chromiumPath } from '../../src/tools/chromium.mjs';
import { problemsOf } from '../browser/problems.mjs';

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
    /** Opens a page of its own profile. `setUp` is called with the page before it goes to `url`. */
    async open(url, { setUp } = {}) {
      const context = await browser.newContext();
      context.setDefaultTimeout(PATIENCE_MS);
      const page = await context.newPage();
      await page.addInitScript(defineShown);
      await setUp?.(page);
      const problems = problemsOf(page, { isHere, isExpected });
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

/** Browsers ask for an icon that no page here has. */
const isExpected = (text) => text.endsWith('/favicon.ico');

const isHere = (url) => /^(localhost|127\.0\.0\.1|)$/.test(new URL(url).hostname);
