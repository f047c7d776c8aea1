/** The package in apps made by other bundlers, as the guide says, in Chromium. */
import assert from 'node:assert/strict';
import { check, checkHeld, checkMissing, served, testApp } from './environment.mjs';
import { expected } from './expected.mjs';
import { sharedFiles } from './guide.mjs';

for (const heading of ['webpack', 'esbuild', 'Rollup']) {
  testApp(heading, heading, async (app) => {
    app.runAll();
    let script;
    await served(app, 'public', {}, async (url) => {
      script = await check(heading, app, url);
      // Its worker's script imports another, which is asked for when there is a worker already.
      if (heading === 'webpack') await checkHeld(url, script);
    });
    await checkMissing(script, app, 'public');
  });
}

testApp('esbuild for Node', 'Node', async (app) => {
  app.write([['hello.mjs', sharedFiles.get('hello.js')]]);
  app.run('npm install unnorm esbuild');
  const bundle = 'npx esbuild main.mjs --bundle --platform=node --format=esm --outfile=bundle.mjs';
  // As the guide says.
  app.run(`${bundle} --external:unnorm`);
  assert.deepEqual(JSON.parse(app.run('node bundle.mjs')), expected);
  // Otherwise the error says so.
  app.run(bundle);
  assert.match(app.run('node bundle.mjs 2>&1 || true'), /bundle.*must leave unnorm out/s);
});
