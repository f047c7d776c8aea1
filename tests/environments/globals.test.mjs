/** Importing the entries for browsers where there is no browser, as servers that render pages do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { dist } from '../node/package.mjs';

const folder = mkdtempSync(join(tmpdir(), 'unnorm-globals-'));
after(() => rmSync(folder, { recursive: true }));

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
  const entry = load(process.argv[2]);
  await entry.link((name, from) => load(new URL(name, from.identifier).href));
  await entry.evaluate();
  if (typeof entry.namespace.createEngine !== 'function') throw new Error('it was not imported');
  console.log(JSON.stringify([...touched]));`;

const program = join(folder, 'globals.mjs');
writeFileSync(program, globalsTouched);

/** The names of the platform that the import of a module looks up. */
function touchedBy(url) {
  const args = ['--experimental-vm-modules', '--no-warnings', program, String(url)];
  return JSON.parse(String(execFileSync(process.execPath, args)));
}

for (const entry of ['index.js', 'inline.js']) {
  test(`importing ${entry} touches no global`, () => {
    assert.deepEqual(touchedBy(new URL(entry, dist)), []);
  });
}

test('a module that touches one is found out', () => {
  const file = join(folder, 'touches.mjs');
  writeFileSync(file, 'export function createEngine() {} typeof document;');
  assert.deepEqual(touchedBy(pathToFileURL(file)), ['document']);
});
