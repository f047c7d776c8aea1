/** The package in an app made by an older Vite, with the two lines of the guide. */
import { check, testApp } from './environment.mjs';

testApp('Vite 7', 'Vite', async (app) => {
  app.olderVite = true;
  app.run('npm install unnorm vite');
  await check('Vite 7, development', app, await app.serve('npx vite'));
  app.log = [];
  app.run('npx vite build');
  await check('Vite 7, build and preview', app, await app.serve('npx vite preview'));
});
