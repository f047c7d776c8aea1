/** The command of the packed package, installed in an empty folder as a user would. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packed = fileURLToPath(new URL('../../out/pack/', import.meta.url));

/** A folder with nothing in it but the package, and how to run its command there. */
export function installed() {
  const folder = mkdtempSync(join(tmpdir(), 'unnorm-'));
  // What npm made of the tarball when the package was packed; installing it anew takes seconds.
  for (const name of ['package.json', 'node_modules']) {
    cpSync(join(packed, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  }
  const script = join(folder, 'node_modules/unnorm/dist/cli/main.js');
  const options = { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 };

  function npm(args) {
    const { status, stdout, stderr, error } = spawnSync('npm', args, {
      cwd: folder,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${error ?? stderr}`);
    return stdout;
  }

  return {
    folder,
    npm,
    path: (name) => join(folder, name),
    /** Runs the command to its end: { status, signal, stdout, stderr }. */
    unnorm: (args, more = {}) =>
      spawnSync(process.execPath, [script, ...args], { ...options, ...more }),
    /** Runs a script there. */
    node: (args) => spawnSync(process.execPath, args, options),
    /** Starts it. */
    start: (args, more = {}) =>
      spawn(process.execPath, [script, ...args], { cwd: folder, ...more }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
