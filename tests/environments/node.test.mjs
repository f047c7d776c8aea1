/** The package in Node: as a module, from CommonJS, in a thread, and in a build for a server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { record } from '../../src/tools/environments.mjs';
import { App } from './app.mjs';
import { expected } from './expected.mjs';
import { sharedFiles } from './guide.mjs';

function withApp(heading, action) {
  const app = new App(heading);
  try {
    action(app);
  } finally {
    app.close();
  }
}

test('modules, CommonJS and worker threads', () => {
  withApp('Node', (app) => {
    app.write([['hello.mjs', sharedFiles.get('hello.js')]]);
    const [install, ...programs] = app.section.commands;
    assert.equal(programs.length, 3);
    app.run(install);
    for (const command of programs) {
      app.log = app.log.filter((entry) => entry.command === install);
      const found = JSON.parse(app.run(command));
      assert.deepEqual(found, expected, command);
      const { seconds, output } = app.log.at(-1);
      assert.equal(output, JSON.stringify(expected), 'and nothing else is said');
      app.log.pop();
      record(`Node, ${command}`, app.log, { seconds, ...found });
    }
  });
});

test('a build of Vite for a server', () => {
  withApp('Server-side rendering', (app) => {
    app.remove('index.html');
    app.runAll();
    const { seconds, output } = app.log.pop();
    assert.equal(output, '<p>Learning …</p>');
    record('server-side rendering, Vite', app.log, { seconds, logZ: '(imported only)' });
  });
});
