/** The package in apps made by other bundlers, as the guide says, in Chromium. */
import { check, checkMissing, served, testApp } from './environment.mjs';

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
