/**
 * What a page costs until it is of use: opened in Chromium with an empty cache over a slow line.
 *
 * A page is *interactive* when its first picture is drawn (a canvas that is not of one colour; the scales of colours do
 * not count) and its controls answer: the main button of a lab is there and enabled, and a press on the theme's button has
 * changed the theme. The WebAssembly file, which only the first run needs, may still be on its way.
 */
import { launchChromium, PATIENCE_MS } from './site-under-test.mjs';

/**
 * Lines, as Chromium's own throttling understands them. `latency` is added to every request. `slow4G` is what
 * Lighthouse names so, 150 ms and 1.6 Mbit/s; `lighthouse` is how Lighthouse itself sets Chromium's throttling for that
 * line, 3.75 times the latency for what connections cost on top, and 0.9 times the throughput.
 */
export const LINES = {
  slow4G: { latency: 150, kilobits: 1638.4 },
  lighthouse: { latency: 562.5, kilobits: 1474.56 },
};

/** Runs in the page from its start: notes when it is interactive, in `globalThis.interactiveAt`. */
function watch() {
  const drawn = () =>
    [...document.querySelectorAll('.pictures [data-picture], .lattice canvas')].some((picture) => {
      if (!(picture.width > 1 && picture.height > 1 && picture.offsetParent)) return false;
      const small = new OffscreenCanvas(16, 16).getContext('2d');
      small.drawImage(picture, 0, 0, 16, 16);
      const { data } = small.getImageData(0, 0, 16, 16);
      return data.some((value, i) => value !== data[i % 4]);
    });
  const answers = () => {
    const theme = document.querySelector('header button.theme');
    if (!theme) return false;
    const before = document.documentElement.dataset.theme;
    theme.click();
    const answered = document.documentElement.dataset.theme !== before;
    theme.click();
    return answered;
  };
  const look = () => {
    const button = document.querySelector('[data-action="primary"]');
    const isLab = document.documentElement.dataset.lab !== '';
    if ((isLab ? button && !button.disabled : true) && drawn() && answers()) {
      globalThis.interactiveAt = performance.now();
      return;
    }
    requestAnimationFrame(look);
  };
  if (self === top) addEventListener('DOMContentLoaded', () => requestAnimationFrame(look));
}

/** Starts a browser for measurements. Close it with `close`. */
export async function openMeter() {
  const browser = await launchChromium();
  return {
    browser,
    close: () => browser.close(),
    /**
     * Opens a page in a fresh profile. Gives the milliseconds until it was interactive and what had come over the line
     * by then: requests, and bytes as they were sent, with their headers.
     * @param {string} url
     * @param {{ latency: number, kilobits: number }} [line] as fast as can be if absent
     * @param {RegExp} [withheld] files that never come: what is measured is then what the page needs without them
     */
    async measure(url, line, withheld) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        serviceWorkers: 'block',
      });
      try {
        const page = await context.newPage();
        const session = await context.newCDPSession(page);
        await session.send('Network.enable');
        const names = new Map();
        const files = [];
        const started = performance.now();
        session.on('Network.requestWillBeSent', ({ requestId, request }) => {
          names.set(requestId, request.url);
        });
        session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
          const file = names.get(requestId)?.replace(/^https?:\/\/[^/]*/, '');
          files.push({ file, bytes: encodedDataLength, at: performance.now() - started });
        });
        if (line) {
          const bytes = (line.kilobits * 1000) / 8;
          await session.send('Network.emulateNetworkConditions', {
            offline: false,
            latency: line.latency,
            downloadThroughput: bytes,
            uploadThroughput: bytes / 2,
          });
        }
        await page.addInitScript(watch);
        if (withheld) await page.route(withheld, () => {});
        await page.goto(url, { waitUntil: 'commit' });
        await page.waitForFunction(() => globalThis.interactiveAt !== undefined, undefined, {
          timeout: PATIENCE_MS,
          polling: 50,
        });
        const before = files.slice();
        const milliseconds = await page.evaluate(() => globalThis.interactiveAt);
        return {
          milliseconds: Math.round(milliseconds),
          requests: before.length,
          bytes: before.reduce((sum, file) => sum + file.bytes, 0),
          files: before,
        };
      } finally {
        await context.close();
      }
    },
  };
}
