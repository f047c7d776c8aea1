/**
 * The package's spec types, written by Rust (ts-rs) from the structs that read the specs.
 *
 *     npm run types              rewrites src/ts/generated, and with it src/python/unnorm/types.py
 *     npm run types -- --check   fails if they are not what Rust would write
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crates, Failure, main, root, run, say, unitTests } from './run.mjs';
import { filesUnder } from './stamp.mjs';

const committed = 'src/ts/generated';
/** Those of Python are read by the compiler of TypeScript, which is here once the stage `setup` is over. */
const python = () => import('./python-types.mjs');
/** Where .cargo/config.toml has ts-rs write. */
const fresh = 'out/types';

/** The files of a folder: name within it → text. */
function textsIn(folder) {
  return new Map(
    filesUnder([folder]).map((file) => [
      file.slice(folder.length + 1),
      readFileSync(join(root, file), 'utf8'),
    ]),
  );
}

/** Has Rust write the declarations to out/types. */
function generate() {
  rmSync(join(root, fresh), { recursive: true, force: true });
  const exporters = [...unitTests, '--features', 'types', 'export_bindings'];
  run('cargo', ['test', '--quiet', '--locked', ...crates, ...exporters], {
    otherwise: 'The TypeScript declarations could not be generated (see above).',
  });
  const texts = textsIn(fresh);
  if (texts.size === 0)
    throw new Failure('No Rust type is marked `ts(export)`, so there are no declarations.');
  const names = [...texts.keys()].map((file) => file.replace(/\.ts$/, '')).sort();
  const lines = names.map((name) => `export type { ${name} } from './${name}.js';\n`);
  const index = `// All of them.\n${lines.join('')}`;
  writeFileSync(join(root, fresh, 'index.ts'), index);
  return texts.set('index.ts', index);
}

/** Fails, naming the files, unless src/ts/generated is what Rust writes. */
export async function checkTypes() {
  const [wanted, found] = [generate(), textsIn(committed)];
  const names = [...new Set([...wanted.keys(), ...found.keys()])].sort();
  const differing = names.filter((name) => wanted.get(name) !== found.get(name));
  if (differing.length > 0) {
    throw new Failure(
      `${committed} is out of date (${differing.join(', ')}): run \`npm run types\` and commit the result.`,
    );
  }
  (await python()).checkPythonTypes();
}

/** Rewrites src/ts/generated. */
async function writeTypes() {
  const count = generate().size;
  rmSync(join(root, committed), { recursive: true, force: true });
  cpSync(join(root, fresh), join(root, committed), { recursive: true });
  say(`Wrote ${count} files to ${committed}.`);
  (await python()).writePythonTypes();
}

await main(import.meta.url, (args) => (args.includes('--check') ? checkTypes() : writeTypes()));
