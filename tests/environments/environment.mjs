/** What the tests of environments share: an app for each, its page in Chromium, the comparison with Node. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { record } from '../../src/tools/environments.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { App } from './app.mjs';
import { openBrowser } from './browser.mjs';
import { expected } from './expected.mjs';

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

/** Opens a page: see `browser.mjs`. */
export const open = (url, options) => browser.open(url, options);

/**
 * Opens the page and checks that the program gives what it does in Node, and leaves no worker but its
 * own. Gives the address of the first worker's script.
 */
export async function check(name, app, url, numOwnWorkers = 0) {
  const { result, page, numWorkers, scripts } = await open(url);
  const { seconds, ...found } = await result();
  assert.deepEqual(found, expected);
  assert.equal(await numWorkers(numOwnWorkers), numOwnWorkers);
  await page.context().close();
  record(name, app.log, { seconds, ...found });
  return scripts[0];
}

/** In a worker: a clock so fast that every round seems long enough to be shared. */
const FAST_CLOCK = `{
  const now = performance.now.bind(performance);
  performance.now = () => 1e4 * now();
}
`;

/** In the page: no worker is ended before \`letWorkersEnd\` is called. */
function holdWorkers() {
  const { terminate } = Worker.prototype;
  const isTime = new Promise((resolve) => {
    globalThis.letWorkersEnd = resolve;
  });
  Worker.prototype.terminate = function () {
    void isTime.then(() => terminate.call(this));
  };
}

/**
 * Checks that an engine may close while a helper still loads what the workers' `script` imports: only the first worker gets
 * its copy, and none is ended before the helper has asked for its own. The page has its numbers, nothing is noted, and no
 * worker is left.
 */
export async function checkHeld(url, script) {
  const asked = new Set();
  let ended;
  const { page, problems, result, numWorkers } = await open(url, {
    setUp: async (page) => {
      // From before there is a page: the engine may be closed while it is opened.
      ended = page.waitForEvent('requestfailed');
      await page.addInitScript(() =>
        Object.defineProperty(navigator, 'hardwareConcurrency', { value: 2 }),
      );
      await page.addInitScript(holdWorkers);
      await page.route('**/*.js', async (route) => {
        const file = route.request().url();
        if (file === script) {
          const response = await route.fetch();
          return route.fulfill({ response, body: FAST_CLOCK + (await response.text()) });
        }
        if (!asked.has(file)) {
          asked.add(file);
          return route.continue();
        }
        return page.evaluate(() => globalThis.letWorkersEnd());
      });
    },
  });
  const { seconds: _, ...found } = await result();
  assert.deepEqual(found, expected);
  await ended;
  assert.deepEqual(problems, []);
  assert.equal(await numWorkers(0), 0);
  await page.context().close();
}

/** Checks that a page whose worker's script is gone says so, with the address that a bundler gave it. */
export async function checkMissing(script, app, folder) {
  app.remove(`${folder}${new URL(script).pathname}`);
  await served(app, folder, {}, async (url) => {
    const { page, failure } = await open(url);
    const { message } = await failure();
    const address = new URL(new URL(script).pathname, url).href;
    assert.ok(message.includes(`${address} was answered with status 404`), message);
    await page.context().close();
  });
}

/** A test with an app of a section of the guide. */
export function testApp(name, heading, action) {
  test(name, async () => {
    const app = new App(heading);
    try {
      await action(app);
    } finally {
      app.close();
    }
  });
}

/** Serves a folder of the app while `action` is on; without any header of the server's own. */
export async function served(app, folder, options, action) {
  const server = await serve(join(app.folder, folder), { headers: {}, ...options });
  try {
    await action(server.url);
  } finally {
    await server.close();
  }
}
