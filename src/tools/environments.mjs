/**
 * What the tests in tests/environments did in each environment: kept as they go, then made a table
 * and out/environments.json.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packFolder } from './pack.mjs';
import { root } from './run.mjs';

const folder = join(root, 'out/environments');
const summary = join(root, 'out/environments.json');

/** Forgets earlier runs. */
export function clearRecords() {
  rmSync(folder, { recursive: true, force: true });
  rmSync(summary, { force: true });
}

/**
 * Notes an environment that works.
 * @param {string} name
 * @param {{ command: string, seconds: number, output: string }[]} log
 * @param {{ seconds: number }} result of the program, with its seconds from the page's opening
 */
export function record(name, log, { seconds, ...result }) {
  const sum = (isWanted) =>
    log
      .filter(({ command }) => isWanted(command))
      .reduce((total, entry) => total + entry.seconds, 0);
  const isInstall = (command) => command.startsWith('npm install');
  const entry = {
    name,
    installSeconds: sum(isInstall),
    buildSeconds: sum((command) => !isInstall(command)),
    runSeconds: seconds,
    result,
    commands: log,
  };
  mkdirSync(folder, { recursive: true });
  const file = name.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase();
  writeFileSync(join(folder, `${file}.json`), JSON.stringify(entry, null, 2));
}

/** How large the package is, in bytes. */
function sizes() {
  const tarball = readdirSync(packFolder).find((name) => name.endsWith('.tgz'));
  const dist = join(packFolder, 'node_modules/unnorm/dist');
  const inline = readFileSync(join(dist, 'inline.js'));
  const wasm = readFileSync(join(dist, 'wasm/plain/unnorm_bg.wasm'));
  return {
    tarball: statSync(join(packFolder, tarball)).size,
    'unnorm/inline': inline.length,
    'unnorm/inline, gzip': gzipSync(inline).length,
    'WebAssembly without threads': wasm.length,
    'WebAssembly without threads, gzip': gzipSync(wasm).length,
  };
}

/** Writes out/environments.json and prints the table. */
export function reportEnvironments() {
  const environments = readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .sort((a, b) => a.name.localeCompare(b.name));
  const bytes = sizes();
  writeFileSync(summary, `${JSON.stringify({ bytes, environments }, null, 2)}\n`);
  const cell = (text) => text.padStart(9);
  const names = ['install s', 'build s', 'run s'].map(cell).join('  ');
  console.log(`\n${'environment'.padEnd(40)}  ${names}  log Z`);
  for (const { name, installSeconds, buildSeconds, runSeconds, result } of environments) {
    const times = [installSeconds, buildSeconds, runSeconds].map((time) => cell(time.toFixed(1)));
    console.log(`${name.padEnd(40)}  ${times.join('  ')}  ${result.logZ}`);
  }
  console.log(`\n${'bytes'.padEnd(40)}`);
  for (const [what, count] of Object.entries(bytes)) {
    console.log(`${what.padEnd(40)}  ${cell(count.toLocaleString('en'))}`);
  }
}
