/**
 * Builds what is stale: the wasm, the package in dist/, the site in out/site/.
 *
 *     npm run build [-- --no-site] [-- --require-threads]
 */
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildInline, inlineInputs } from './inline.mjs';
import { writeNotices } from './notices.mjs';
import { bin, crates, isCI, main, root, run, say } from './run.mjs';
import { rustVersion, setUp } from './setup.mjs';
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

/** Writes the reference of the crate to out/rustdoc, which the site serves. */
function buildCrateReference() {
  const sources = filesUnder(
    ['src'],
    (file) => !file.startsWith('src/ts/') && !file.startsWith('src/tools/'),
  );
  const inputs = hashOf(['Cargo.toml', 'Cargo.lock', ...sources], rustVersion());
  if (stampFor('rustdoc', inputs)) return;
  say('Writing the reference of the crate.');
  removeStamp('rustdoc');
  // Pages of what is gone would stay.
  const [written, kept] = ['target/doc', 'out/rustdoc'].map((folder) => join(root, folder));
  for (const folder of [written, kept]) rmSync(folder, { recursive: true, force: true });
  run('cargo', ['doc', '--quiet', '--locked', '--no-deps', '--lib', ...crates], {
    // Where a page tells of what is behind it, the name is enough.
    env: { RUSTDOCFLAGS: '-Dwarnings -Arustdoc::private_intra_doc_links' },
    otherwise: 'The reference of the crate could not be written (see above).',
  });
  cpSync(written, kept, { recursive: true });
  writeStamp('rustdoc', inputs, ['out/rustdoc']);
}

/** Builds www into out/site. */
export function buildSite() {
  buildCrateReference();
  const inputs = hashOf(
    filesUnder(['www', 'dist', 'out/rustdoc', 'package.json', 'package-lock.json']),
  );
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
  await buildWasm({ requireThreads });
  await buildPackage();
  if (site) buildSite();
}

await main(import.meta.url, (args) =>
  build({
    site: !args.includes('--no-site'),
    requireThreads: isCI || args.includes('--require-threads'),
  }),
);
