/** The package in an app made by Vite, as the guide says, in Chromium. */
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
