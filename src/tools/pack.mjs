/**
 * Packs the package as `npm publish` would and installs the tarball in out/pack, so that tests see
 * what users get. Tests import from out/pack/unnorm.mjs and unnorm-core.mjs, which resolve 'unnorm' and
 * 'unnorm/core' through the installed package's own exports.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bin, main, npm, root, say } from './run.mjs';
import { filesUnder, hashOf, removeStamp, stampFor, writeStamp } from './stamp.mjs';

/** The folder in whose node_modules the packed package is installed. */
export const packFolder = join(root, 'out/pack');

export function packPackage() {
  const inputs = hashOf(
    filesUnder([
      'dist',
      'package.json',
      'README.md',
      'LICENSE',
      'src/tools/pack.mjs',
      // What `unnorm repro` needs.
      'tests/repro/packed',
      'www/data',
      'www/lib/badly-scaled-gaussian.js',
      'www/lib/correlation-errors.js',
      'www/lib/surprising-path.js',
    ]),
  );
  if (stampFor('pack', inputs)) return;
  say('Packing the package and installing the tarball in out/pack.');
  removeStamp('pack');
  rmSync(packFolder, { recursive: true, force: true });
  mkdirSync(packFolder, { recursive: true });
  npm(['pack', '--silent', '--pack-destination', packFolder]);
  const tarball = readdirSync(packFolder).find((name) => name.endsWith('.tgz'));
  writeFileSync(join(packFolder, 'package.json'), '{ "private": true, "type": "module" }\n');
  for (const name of ['unnorm', 'unnorm/core']) {
    const file = name.replace('/', '-');
    for (const ending of ['mjs', 'd.mts']) {
      writeFileSync(join(packFolder, `${file}.${ending}`), `export * from '${name}';\n`);
    }
  }
  const quiet = ['--offline', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
  npm(['install', ...quiet, `./${tarball}`], { cwd: packFolder });
  writeStamp('pack', inputs, ['out/pack']);
}

/** Has publint look at what is in the tarball. It needs every exported file, so all wasm builds. */
export function checkPackage() {
  if (!existsSync(join(root, 'dist/wasm/threads/unnorm_bg.wasm.d.ts'))) {
    say('This machine built no wasm with threads, so publint has nothing complete to check.');
    return;
  }
  // It packs the package once more to look at it, which takes seconds.
  const installed = 'out/pack/node_modules/unnorm';
  const inputs = hashOf(filesUnder([installed, 'package-lock.json', 'src/tools/pack.mjs']));
  if (stampFor('publint', inputs)) return;
  bin('publint', [join(root, installed), '--strict']);
  writeStamp('publint', inputs, []);
}

await main(import.meta.url, () => {
  packPackage();
  checkPackage();
});
