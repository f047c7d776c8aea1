/**
 * Writes the licences of what others wrote and the package holds: THIRD-PARTY-NOTICES.txt, from the
 * crates that are linked into the wasm or into the Python wheel, and of the site also from the npm packages in its bundles.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure, output, root } from './run.mjs';
import { rustVersion, wasmTarget } from './setup.mjs';

/** The file's name, in dist and in the site. */
export const noticesName = 'THIRD-PARTY-NOTICES.txt';

const LICENCE = /^(licen[cs]e|copying|copyright|notice|unlicense)([-._].*)?$/i;

/** What stands in a package's files of licences. */
function textsIn(folder) {
  const names = readdirSync(folder).filter((name) => LICENCE.test(name));
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim());
}

/** The texts of the licence that is chosen where there is a choice: MIT, if it is one. */
function chosen(license, texts) {
  const isChoice = / or |\//i.test(license ?? '');
  const mit = texts.filter((text) => text.includes('Permission is hereby granted, free of charge'));
  return isChoice && mit.length > 0 ? mit : texts;
}

/** Every crate that is linked into a package, with its licence and where it lies. */
function crates(manifest, features, target) {
  const options = ['--locked', '--manifest-path', manifest, ...features];
  const edges = ['-e', 'normal,no-proc-macro', '--prefix', 'none', '-f', '{p}'];
  const tree = output('cargo', ['tree', ...options, '--target', target, ...edges], { loud: true });
  const filter = ['--format-version', '1', '--filter-platform', target];
  const metadata = output('cargo', ['metadata', ...options, ...filter], { loud: true });
  if (tree === null || metadata === null) {
    throw new Failure(`cargo could not list the crates of ${manifest} (see above).`);
  }
  const linked = new Set(tree.split('\n').map((line) => line.split(' ').slice(0, 2).join(' ')));
  return JSON.parse(metadata)
    .packages.filter(({ source }) => source !== null)
    .filter(({ name, version }) => linked.has(`${name} v${version}`))
    .map(({ name, version, license, manifest_path }) => {
      const folder = dirname(manifest_path);
      return { name: `${name} ${version}`, license, texts: chosen(license, textsIn(folder)) };
    });
}

/** The standard library, a part of which is in everything. */
function standardLibrary() {
  const folder = join(output('rustc', ['--print', 'sysroot']).trim(), 'share/doc/rust');
  // Beside it lies a list of everything in the compiler too, of 15 MB.
  const file = ['LICENSE-MIT', 'licenses/MIT.txt']
    .map((name) => join(folder, name))
    .find(existsSync);
  const texts = file === undefined ? [] : [readFileSync(file, 'utf8').trim()];
  return { name: "Rust's standard library", license: 'MIT OR Apache-2.0', texts };
}

/** Packages that others have within their own files. */
const INSIDE = {
  'ml-matrix': ['is-any-array', 'ml-array-max', 'ml-array-min', 'ml-array-rescale'],
};

/** npm packages, by name. */
function npmPackages(names) {
  return names.map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { name: `${name} ${version}`, license, texts: textsIn(folder) };
  });
}

/** One text of all. What several packages have word for word stands once, under all their names. */
function textOf(packages, whole) {
  const missing = packages.filter(({ license }) => !license).map(({ name }) => name);
  if (missing.length > 0) throw new Failure(`No licence is known of ${missing.join(', ')}.`);
  const byText = new Map();
  for (const { name, license, texts } of packages) {
    const words = `(It comes without a text of its licence, which is ${license}.)`;
    for (const text of texts.length > 0 ? texts : [words]) {
      byText.set(text, [...(byText.get(text) ?? []), `${name} (${license})`]);
    }
  }
  const line = `${'-'.repeat(80)}\n`;
  const parts = [...byText].map(([text, names]) => `${line}${names.join('\n')}\n\n${text}\n`);
  return `${whole} holds work of others under these licences; where there is a\nchoice and MIT is part of it, under MIT.\n\n${parts.join('\n')}`;
}

/** Writes dist/THIRD-PARTY-NOTICES.txt. The package itself has no dependencies of npm's. */
export function writeNotices() {
  const linked = crates('Cargo.toml', ['--features', 'threads'], wasmTarget);
  const text = textOf([...linked, standardLibrary()], 'The package unnorm');
  writeFileSync(join(root, 'dist', noticesName), text);
}

/** The same for the Python wheel. */
export function wheelNotices() {
  const [, host] = /^host: (.*)$/m.exec(rustVersion());
  const linked = crates('src/python/Cargo.toml', [], host);
  return textOf([...linked, standardLibrary()], 'The wheel unnorm');
}

/** The same for a site that holds the package and npm packages of these names. */
export function siteNotices(bundled) {
  const names = bundled.flatMap((name) => [name, ...(INSIDE[name] ?? [])]);
  const ofPackage = readFileSync(join(root, 'dist', noticesName), 'utf8');
  return `${textOf(npmPackages(names), 'This site')}\n${ofPackage}`;
}
