/** The package in a worker of the user's own, as the guide says, in Chromium. */
import { check, testApp } from './environment.mjs';

testApp('a worker of the user’s own', 'In a worker of your own', async (app) => {
  app.run('npm install unnorm vite');
  await check('own worker, Vite, development', app, await app.serve('npx vite'), 1);
  app.log = [];
  app.run('npx vite build');
  const url = await app.serve('npx vite preview');
  await check('own worker, Vite, build and preview', app, url, 1);
});
