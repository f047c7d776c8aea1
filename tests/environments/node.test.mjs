/** The package in Node: as a module, from CommonJS, in a thread, and on servers that render pages. */
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

/**
 * Imports an entry where every name of the platform that is looked up is noted. A context has the
 * names of JavaScript itself, no others.
 */
const globalsTouched = `
  import { readFileSync } from 'node:fs';
  import vm from 'node:vm';
  const language = vm.runInNewContext('globalThis');
  const touched = new Set();
  const isLanguage = (name) => typeof name === 'symbol' || Object.hasOwn(language, name);
  const note = (name) => void touched.add(name);
  const context = vm.createContext(
    new Proxy({}, {
      get: (_, name) => (isLanguage(name) ? language[name] : note(name)),
      set: (_, name) => (note(name), true),
      defineProperty: (_, name) => (note(name), true),
    }),
  );
  const modules = new Map();
  const load = (url) => {
    if (!modules.has(url)) {
      const source = readFileSync(new URL(url), 'utf8');
      modules.set(url, new vm.SourceTextModule(source, { context, identifier: url }));
    }
    return modules.get(url);
  };
  const entry = load(process.argv[1]);
  await entry.link((name, from) => load(new URL(name, from.identifier).href));
  await entry.evaluate();
  if (typeof entry.namespace.createEngine !== 'function') throw new Error('it was not imported');
  console.log(JSON.stringify([...touched]));`;

test('importing the entries of browsers touches no global', () => {
  withApp('Node', (app) => {
    app.run('npm install unnorm');
    app.write([['globals.mjs', globalsTouched.replace('process.argv[1]', 'process.argv[2]')]]);
    const touchedBy = (file) => {
      const folder = `file://${app.folder}/`;
      const options = '--experimental-vm-modules --no-warnings';
      return JSON.parse(app.run(`node ${options} globals.mjs '${new URL(file, folder)}'`));
    };
    for (const entry of ['index.js', 'inline.js']) {
      assert.deepEqual(touchedBy(`node_modules/unnorm/dist/${entry}`), [], entry);
    }
    // It would be seen.
    app.write([['touches.mjs', 'export function createEngine() {} typeof document;']]);
    assert.deepEqual(touchedBy('touches.mjs'), ['document']);
  });
});
