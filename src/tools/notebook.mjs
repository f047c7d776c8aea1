/**
 * Builds the labs for notebooks into out/notebook, which the wheel takes along.
 *
 *     node src/tools/notebook.mjs
 */
import { join } from 'node:path';
import { buildPackage } from './build.mjs';
import { bin, main, root, say } from './run.mjs';
import { setUp } from './setup.mjs';
import { filesUnder, hashOf, removeStamp, stampFor, writeStamp } from './stamp.mjs';
import { buildWasm } from './wasm.mjs';

/** Where they are built. */
export const notebookFolder = join(root, 'out/notebook');

/** The package has to be built. */
export function buildNotebook() {
  const inputs = hashOf([
    ...filesUnder(['www', 'dist', 'package.json', 'package-lock.json']),
    'src/tools/notebook.mjs',
  ]);
  if (stampFor('notebook', inputs)) return;
  say('Building the labs for notebooks.');
  removeStamp('notebook');
  bin('vite', ['build', 'www', '--config', 'www/notebook/vite.config.ts', '--logLevel', 'warn'], {
    otherwise: 'The labs for notebooks do not build (see above).',
  });
  writeStamp('notebook', inputs, ['out/notebook']);
}

/** The same with all that it needs. */
export async function buildLabs() {
  setUp();
  await buildWasm();
  await buildPackage();
  buildNotebook();
}

await main(import.meta.url, async () => {
  await buildLabs();
  say(`The labs for notebooks are in ${notebookFolder}.`);
});
