/** The package on pages that no bundler made, and on those whose files are elsewhere, in Chromium. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, open, served, testApp } from './environment.mjs';
import { sharedFiles } from './guide.mjs';

/** What a CDN sends. */
const shared = { 'Access-Control-Allow-Origin': '*' };

testApp('no bundler', 'No bundler', async (app) => {
  app.runAll();
  await served(app, '.', {}, (url) => check('no bundler', app, url));
  await served(app, '.', { base: '/some/where/' }, (url) =>
    check('no bundler, under a path', app, url),
  );
  // As the guide says of pages without an import map, and of workers, which have none.
  const main = sharedFiles.get('main.js').replace("'unnorm'", "'./unnorm/index.js'");
  const page = sharedFiles.get('index.html');
  app.write([
    ['main.js', main],
    ['index.html', page],
  ]);
  await served(app, '.', {}, (url) => check('no bundler, no import map', app, url));
  const worker = `import { createEngine } from './unnorm/index.js';
    import { hello } from './hello.js';
    postMessage(await hello(await createEngine()));
    close();`;
  const parent = `const worker = new Worker('./worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => document.body.append(JSON.stringify(data));`;
  app.write([
    ['worker.js', worker],
    ['main.js', parent],
  ]);
  await served(app, '.', {}, (url) => check('own worker, no bundler', app, url));
});

testApp('a CDN', 'From a CDN', async (app) => {
  app.run('npm install unnorm');
  const cdn = 'https://cdn.jsdelivr.net/npm/unnorm@0.1.0/';
  const { version } = JSON.parse(
    readFileSync(join(app.folder, 'node_modules/unnorm/package.json')),
  );
  const main = app.section.files.get('main.js');
  assert.ok(main.includes(cdn) && cdn.includes(`@${version}/`), 'the guide names this version');
  await served(app, 'node_modules/unnorm', { headers: shared }, async (origin) => {
    app.write([['main.js', main.replace(cdn, origin)]]);
    await served(app, '.', {}, (url) => check('CDN, blob worker', app, url));

    // Without the option it is an error that names it.
    app.write([['main.js', main.replace(cdn, origin).replace('{ blobWorker: true }', '')]]);
    await served(app, '.', {}, async (url) => {
      const { page, failure } = await open(url);
      const { message } = await failure();
      assert.match(message, /blobWorker: true/);
      assert.ok(message.includes(`${origin}dist/worker.js`), message);
      await page.context().close();
    });
  });
});

testApp('a bundle on another origin', 'From a CDN', async (app) => {
  app.run('npm install unnorm vite');
  const main = app.section.files.get('main.js').replace(/'https:.*'/, "'unnorm'");
  app.write([['main.js', main]]);
  // The other server has to be there before its address is known, and its folder before that.
  app.write([['dist/index.html', '']]);
  await served(app, 'dist', { headers: shared }, async (assets) => {
    app.run(`npx vite build --outDir=built --base=${assets}`);
    app.run('cp -r built/. dist');
    await served(app, 'built', {}, (url) => check('Vite, bundle on another origin', app, url));
  });
});

testApp('one file', 'One file', async (app) => {
  app.runAll();
  const page = join(app.folder, 'page.html');
  await check('one file, from a disk', app, pathToFileURL(page).href);
  app.log = [{ command: 'page.html', seconds: 0, output: `${statSync(page).size} bytes` }];
  await served(app, '.', {}, (url) => check('one file, from a server', app, `${url}page.html`));

  // The module itself, served alone.
  const main = app.section.files.get('main.js').replace('unnorm/inline', './inline.js');
  app.write([['main.js', main]]);
  app.run('cp node_modules/unnorm/dist/inline.js inline.js');
  app.remove('node_modules');
  await served(app, '.', {}, (url) => check('unnorm/inline, no bundler', app, url));
});
