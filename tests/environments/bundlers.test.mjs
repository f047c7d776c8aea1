/** The package in apps made by bundlers, as the guide says, in Chromium. */
import { check, checkMissing, served, testApp } from './environment.mjs';
import { sectionOf } from './guide.mjs';

testApp('Vite', 'Vite', async (app) => {
  // The two lines are for older versions.
  app.remove('vite.config.js');
  app.run('npm install unnorm vite');
  await check('Vite, development', app, await app.serve('npx vite'));

  app.log = [];
  app.run('npx vite build');
  await check('Vite, build and preview', app, await app.serve('npx vite preview'));

  const [policy] = sectionOf('Content security policy').plain;
  const headers = { 'Content-Security-Policy': `default-src 'none'; ${policy}` };
  let script;
  await served(app, 'dist', { headers }, async (url) => {
    script = await check('Vite, build, content security policy', app, url);
  });
  await checkMissing(script, app, 'dist');

  app.log = [];
  app.run('npx vite build --base=./');
  await served(app, 'dist', { base: '/some/where/' }, (url) =>
    check('Vite, build under a path', app, url),
  );
});

testApp('Vite 7', 'Vite', async (app) => {
  app.olderVite = true;
  app.run('npm install unnorm vite');
  await check('Vite 7, development', app, await app.serve('npx vite'));
  app.log = [];
  app.run('npx vite build');
  await check('Vite 7, build and preview', app, await app.serve('npx vite preview'));
});

for (const heading of ['webpack', 'esbuild', 'Rollup']) {
  testApp(heading, heading, async (app) => {
    app.runAll();
    let script;
    await served(app, 'public', {}, async (url) => {
      script = await check(heading, app, url);
    });
    await checkMissing(script, app, 'public');
  });
}

testApp('a worker of the user’s own', 'In a worker of your own', async (app) => {
  app.run('npm install unnorm vite');
  await check('own worker, Vite, development', app, await app.serve('npx vite'), 1);
  app.log = [];
  app.run('npx vite build');
  const url = await app.serve('npx vite preview');
  await check('own worker, Vite, build and preview', app, url, 1);
});
