/** The package in apps made by bundlers, as the guide says, in Chromium. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { serve } from '../../src/tools/serve.mjs';
import { App } from './app.mjs';
import { openBrowser } from './browser.mjs';
import { expected } from './expected.mjs';
import { record } from './record.mjs';

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser.close());

/** Opens the page and checks that the program gives what it does in Node, and leaves no worker. */
async function check(name, app, url) {
  const { result, page, numWorkers } = await browser.open(url);
  const { seconds, ...found } = await result();
  assert.deepEqual(found, expected);
  assert.equal(await numWorkers(0), 0);
  await page.context().close();
  record(name, app.log, { seconds, ...found });
}

/** A test with an app of a section of the guide. */
function testApp(name, heading, action) {
  test(name, async () => {
    const app = new App(heading);
    try {
      await action(app);
    } finally {
      app.close();
    }
  });
}

/** Serves a folder of the app without any header of its own. */
async function served(app, folder, options, action) {
  const server = await serve(join(app.folder, folder), { headers: {}, ...options });
  try {
    await action(server.url);
  } finally {
    await server.close();
  }
}

testApp('Vite', 'Vite', async (app) => {
  // The two lines are for older versions.
  app.remove('vite.config.js');
  app.run('npm install unnorm vite');
  await check('Vite, development', app, await app.serve('npx vite'));
  app.log = [];
  app.run('npx vite build');
  await check('Vite, build and preview', app, await app.serve('npx vite preview'));
  app.log = [];
  app.run('npx vite build --base=./');
  await served(app, 'dist', { base: '/some/where/' }, (url) =>
    check('Vite, build under a path', app, url),
  );
});

testApp('webpack', 'webpack', async (app) => {
  app.runAll();
  await served(app, 'public', {}, (url) => check('webpack', app, url));
});

testApp('esbuild', 'esbuild', async (app) => {
  app.runAll();
  await served(app, 'public', {}, (url) => check('esbuild', app, url));
});

testApp('Rollup', 'Rollup', async (app) => {
  app.runAll();
  await served(app, 'public', {}, (url) => check('Rollup', app, url));
});

testApp('a worker of the user’s own', 'In a worker of your own', async (app) => {
  app.run('npm install unnorm vite');
  await check('own worker, Vite, development', app, await app.serve('npx vite'));
  app.log = [];
  app.run('npx vite build');
  await check('own worker, Vite, build and preview', app, await app.serve('npx vite preview'));
});
