/** The guide's hook in React's strict mode, which mounts every component twice. */
import assert from 'node:assert/strict';
import { record } from '../../src/tools/environments.mjs';
import { until } from '../node/until.mjs';
import { open, testApp } from './environment.mjs';
import { expected } from './expected.mjs';

testApp('React in strict mode', 'React', async (app) => {
  app.run('npm install unnorm react react-dom vite @vitejs/plugin-react');
  const url = await app.serve('npx vite');
  // The server may find out only now what to prepare, and then loads the page anew.
  await (await open(url)).result();

  const { page, problems, result, numWorkers } = await open(url);
  let started = 0;
  page.on('worker', () => {
    started += 1;
  });
  const { seconds, ...found } = await result();
  assert.deepEqual(found, expected);
  assert.ok(page.workers().length > 0, 'the engine that is in use has workers');

  const press = (label) => page.getByRole('button', { name: label, exact: true }).click();
  await press('Hide');
  assert.equal(await numWorkers(0), 0, 'none is left of an engine that is not shown');

  // Shown again, once to its end and then for moments in which the engine is still starting.
  const before = started;
  await press('Show');
  assert.deepEqual((await result()).digests, expected.digests);
  await until('strict mode has made two engines', () => started - before >= 2);
  const earlier = started;
  for (let i = 0; i < 5; i++) {
    await press('Hide');
    await press('Show');
  }
  await press('Hide');
  await until('each of them has started a worker', () => started - earlier >= 10);
  assert.equal(await numWorkers(0), 0, 'none is left of engines closed while they started');
  assert.deepEqual(problems, []);
  await page.context().close();
  record('React 19, strict mode', app.log, { seconds, ...found });
});
