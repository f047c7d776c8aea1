/**
 * Builds what is stale: the wasm, the package in dist/, the site in out/site/.
 *
 *     npm run build [-- --no-site] [-- --require-threads]
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildInline, inlineInputs } from './inline.mjs';
import { writeNotices } from './notices.mjs';
import { bin, isCI, main, root, say } from './run.mjs';
import { setUp } from './setup.mjs';
import { filesUnder, hashOf, removeStamp, stampFor, writeStamp } from './stamp.mjs';
import { buildWasm } from './wasm.mjs';

/** The built site, a folder any static host can serve. */
export const siteFolder = join(root, 'out/site');

/** Compiles src/ts to dist, next to the wasm. */
export async function buildPackage() {
  const declarations = filesUnder(['dist/wasm'], (file) => file.endsWith('.d.ts'));
  const inputs = hashOf([
    ...filesUnder(['src/ts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']),
    'Cargo.lock',
    'src/tools/notices.mjs',
    ...declarations,
    ...inlineInputs,
  ]);
  if (stampFor('package', inputs)) return;
  say('Compiling the package.');
  removeStamp('package');
  const stale = readdirSync(join(root, 'dist')).filter((name) => name !== 'wasm');
  for (const name of stale) rmSync(join(root, 'dist', name), { recursive: true });
  bin('typescript tsc', ['-p', 'tsconfig.build.json'], {
    otherwise: 'The TypeScript in src/ts does not compile (see above).',
  });
  await buildInline();
  writeNotices();
  writeStamp(
    'package',
    inputs,
    readdirSync(join(root, 'dist'))
      .filter((name) => name !== 'wasm')
      .map((name) => `dist/${name}`),
  );
}

/** Builds www into out/site. */
export function buildSite() {
  const inputs = hashOf(filesUnder(['www', 'dist', 'package.json', 'package-lock.json']));
  if (stampFor('site', inputs)) return;
  say('Building the site.');
  removeStamp('site');
  bin('vite', ['build', 'www', '--logLevel', 'warn'], {
    otherwise: 'The site in www does not build (see above).',
  });
  writeStamp('site', inputs, ['out/site']);
}

/** Set-up and every build. */
export async function build({ site = true, requireThreads = isCI } = {}) {
  setUp();
  buildWasm({ requireThreads });
  await buildPackage();
  if (site) buildSite();
}

await main(import.meta.url, (args) =>
  build({
    site: !args.includes('--no-site'),
    requireThreads: isCI || args.includes('--require-threads'),
  }),
);
