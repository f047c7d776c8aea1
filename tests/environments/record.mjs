/** Keeps what was done in each environment, and makes the table of it. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../src/tools/run.mjs';

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

/** Writes out/environments.json and prints the table. `facts` goes into both. */
export function report(facts) {
  const entries = readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .sort((a, b) => a.name.localeCompare(b.name));
  writeFileSync(summary, `${JSON.stringify({ ...facts, environments: entries }, null, 2)}\n`);
  const time = (seconds) => seconds.toFixed(1).padStart(9);
  console.log(`\n${'environment'.padEnd(44)}  install s    build s      run s  log Z`);
  for (const { name, installSeconds, buildSeconds, runSeconds, result } of entries) {
    const times = [installSeconds, buildSeconds, runSeconds].map(time).join('  ');
    console.log(`${name.padEnd(44)}  ${times}  ${result.logZ}`);
  }
  for (const [what, figure] of Object.entries(facts)) console.log(`${what}: ${figure}`);
}
