/**
 * Set-up: the right Node, Rust and a C compiler are here, npm dependencies are installed, Rust can
 * compile to wasm. What is done is not done again, and then nothing touches the network.
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, main, npm, output, root, run, say } from './run.mjs';
import { hashOf, stampFor, writeStamp } from './stamp.mjs';

export const wasmTarget = 'wasm32-unknown-unknown';

/** Compares dotted versions: is `have` at least `need`? */
function atLeast(have, need) {
  const [a, b] = [have, need].map((version) => version.split('.').map(Number));
  for (let i = 0; i < b.length; i++) {
    if ((a[i] ?? 0) !== b[i]) return (a[i] ?? 0) > b[i];
  }
  return true;
}

/** Node new enough for the build tools. The package itself runs on any Node 20. */
function checkNode() {
  const have = process.versions.node;
  if (!atLeast(have, '20.19')) {
    throw new Failure(
      `Node ${have} is too old: install Node 20.19 or newer from https://nodejs.org.`,
    );
  }
}

/** Installs the npm dependencies exactly as locked. */
function installPackages() {
  const inputs = hashOf(['package-lock.json'], process.platform, process.arch);
  const marker = 'node_modules/.package-lock.json';
  if (stampFor('npm', inputs)) return;
  const folder = lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false });
  if (folder?.isSymbolicLink()) {
    throw new Failure(
      'node_modules is a symbolic link, and npm would empty the folder it leads to: remove the link.',
    );
  }
  say('Installing the npm dependencies.');
  npm(['ci', '--no-audit', '--no-fund'], {
    otherwise:
      'npm could not install the dependencies (see above): check the network connection and run this again.',
  });
  writeStamp('npm', inputs, [marker]);
}

/** `rustc -vV`, after checking that there is a Rust new enough. */
export function rustVersion() {
  const version = output('rustc', ['-vV']);
  if (version === null || output('cargo', ['-V']) === null) {
    throw new Failure('Rust is missing: install it with rustup from https://rustup.rs.');
  }
  const have = /^release: ([\d.]+)/m.exec(version)[1];
  const need = /^rust-version = "([\d.]+)"/m.exec(
    readFileSync(join(root, 'Cargo.toml'), 'utf8'),
  )[1];
  if (!atLeast(have, need)) {
    throw new Failure(
      `Rust ${have} is too old: run \`rustup update stable\` to get ${need} or newer.`,
    );
  }
  return version;
}

function sysroot() {
  return output('rustc', ['--print', 'sysroot']).trim();
}

/** Rust's precompiled standard library for wasm, added by rustup where it is missing. */
export function addWasmTarget() {
  if (existsSync(join(sysroot(), 'lib/rustlib', wasmTarget, 'lib'))) return;
  say(`Adding Rust's ${wasmTarget} target.`);
  run('rustup', ['target', 'add', wasmTarget], {
    otherwise: `Rust's wasm target is missing: run \`rustup target add ${wasmTarget}\` with a network connection.`,
  });
}

/** The standard library's source, which the threads build compiles. False where it cannot be had. */
export function addRustSource() {
  const installed = () => existsSync(join(sysroot(), 'lib/rustlib/src/rust/library/Cargo.lock'));
  if (installed()) return true;
  say("Adding the standard library's source, for the build with threads.");
  output('rustup', ['component', 'add', 'rust-src'], { loud: true });
  return installed();
}

/** Adds rustfmt or clippy where a minimal toolchain lacks it. */
export function addRustComponent(component, subcommand) {
  if (output('cargo', [subcommand, '--version']) !== null) return;
  say(`Adding ${component}.`);
  run('rustup', ['component', 'add', component], {
    otherwise: `${component} is missing: run \`rustup component add ${component}\` with a network connection.`,
  });
}

/** A C compiler: Rust links with it, and some build scripts call it. */
function checkCompiler() {
  if (process.platform === 'win32') return;
  if (output('cc', ['--version']) === null) {
    throw new Failure(
      'A C compiler is missing: install one (on Debian: apt-get install build-essential).',
    );
  }
}

/** Everything the build needs. */
export function setUp() {
  checkNode();
  rustVersion();
  checkCompiler();
  installPackages();
  addWasmTarget();
}

await main(import.meta.url, setUp);
