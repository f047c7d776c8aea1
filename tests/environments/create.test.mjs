/**
 * `npm create unnorm`: from an empty folder to a page that draws a lattice, for each template, with both packages from their
 * tarballs. All templates give the digest of Node.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { drawLattice, inWords } from '../../src/create/templates/shared/src/lattice.js';
import { record } from '../../src/tools/environments.mjs';
import { createEngine } from '../node/package.mjs';
import { App } from './app.mjs';
import { open } from './environment.mjs';
import { sectionOf } from './guide.mjs';

const source = fileURLToPath(new URL('../../src/create/', import.meta.url));
const { devDependencies: tested } = JSON.parse(
  readFileSync(new URL('package.json', import.meta.url), 'utf8'),
);
const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

let folder;
let creator;
const expected = {};
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'create-unnorm-'));
  await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: source,
  });
  creator = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  );
  const engine = await createEngine();
  for (const temperature of [2.27, 3.5]) {
    expected[temperature] = inWords(await drawLattice(engine, temperature));
  }
  await engine.close();
});
after(() => rmSync(folder, { recursive: true }));

/** What a person types, with the tarball for the package in the registry. */
const create = (args) => `npm exec --yes --package='${creator}' -- create-unnorm ${args}`;

for (const template of ['plain', 'react', 'svelte']) {
  test(`from an empty folder to a page: ${template}`, async () => {
    const app = new App('A new app');
    try {
      const start = performance.now();
      app.run(create(`my-app --template ${template}`));
      const { dependencies, devDependencies } = JSON.parse(
        readFileSync(join(app.folder, 'my-app/package.json'), 'utf8'),
      );
      const { unnorm, ...others } = { ...dependencies, ...devDependencies };
      assert.equal(unnorm, `^${version}`);
      for (const [name, range] of Object.entries(others)) assert.equal(range, `^${tested[name]}`);

      app.goTo('my-app');
      app.run('npm install unnorm');
      const url = await app.serve('npx vite');
      const { page, problems } = await open(url);
      await page.getByRole('status').filter({ hasText: expected[2.27] }).waitFor();
      const seconds = (performance.now() - start) / 1000;

      const pixels = () => page.locator('canvas').evaluate((canvas) => canvas.toDataURL());
      const warm = await pixels();
      await page.getByRole('slider').fill('3.5');
      await page.getByRole('status').filter({ hasText: expected[3.5] }).waitFor();
      assert.notEqual(await pixels(), warm);
      assert.deepEqual(problems, []);
      await page.context().close();

      app.run('npx vite build');
      assert.ok(readdirSync(join(app.folder, 'dist')).includes('index.html'));
      const digest = /Digest (\w+)/.exec(expected[2.27])[1];
      record(`npm create unnorm, ${template}`, app.log, { seconds, digests: [digest] });
    } finally {
      app.close();
    }
  });
}

test('it has the version of the package, and the hook for React of the guide', () => {
  const file = (name) => readFileSync(join(source, name), 'utf8');
  assert.equal(JSON.parse(file('package.json')).version, version);
  const hook = sectionOf('React').files.get('use-engine.js');
  assert.equal(file('templates/react/src/use-engine.js'), hook);
});

test('a mistake is said with its remedy, and nothing is written', () => {
  const app = new App('A new app');
  try {
    const fails = (args, message) => {
      assert.throws(() => app.run(create(args)), message);
    };
    fails('my-app --template vue', /no template “vue”; there are plain, react, svelte/);
    fails('one two', /One folder is enough; what is “two”\?/);
    fails('my-app --templates react', /Unknown option '--templates'/);
    assert.ok(!readdirSync(app.folder).includes('my-app'));
    writeFileSync(join(app.folder, 'mine.txt'), 'mine');
    fails('.', /is not empty: name another folder/);
    assert.match(app.run(create('--help')), /^Usage: npm create unnorm/);
  } finally {
    app.close();
  }
});
