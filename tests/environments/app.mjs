/**
 * An app made as the guide says, in an empty folder away from the project, with the package from its
 * tarball. Whatever is done is noted, for the table.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { packFolder } from '../../src/tools/pack.mjs';
import { sectionOf, sharedFiles } from './guide.mjs';

/** The tarball that would be published. */
export const tarball = join(
  packFolder,
  readdirSync(packFolder).find((name) => name.endsWith('.tgz')),
);

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
/** The tools that people install beside the package, in the versions that are tested. */
const { devDependencies: versions } = JSON.parse(readFileSync(here('package.json'), 'utf8'));

/** The environment of a terminal: without what npm tells its scripts. */
function terminal() {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(lifecycle|package|execpath|command|node)|npm_config_local_prefix|INIT_CWD|NODE_)/.test(
        name,
      ),
  );
  return {
    ...Object.fromEntries(kept),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_loglevel: 'error',
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    NO_COLOR: '1',
  };
}

/**
 * A command of the guide with the tarball for the package, and each tool in the version that is locked.
 * `olderVite` is for what the guide says of Vite 7.
 */
function pinned(command, olderVite) {
  if (!command.startsWith('npm install ')) return command;
  const names = command.split(/\s+/).slice(2);
  const exact = names.map((name) => {
    if (name === 'unnorm') return `'${tarball}'`;
    const key = name === 'vite' && olderVite ? 'vite-7' : name;
    assert.ok(versions[key], `${key} is not in tests/environments/package.json`);
    return `${key}@${versions[key]}`;
  });
  return `npm install ${exact.join(' ')}`;
}

/** Servers run until they are stopped; every other command runs to its end. */
const isServer = (command) => /^npx vite( preview)?$/.test(command);

export class App {
  /** @type {string} */
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'unnorm-app-')));
  /** Each command as the guide has it, with its seconds and what it wrote. */
  log = [];
  olderVite = false;
  #servers = new Set();
  #made = this.folder;

  /** Writes the shared files and those of a section. */
  constructor(heading) {
    this.section = sectionOf(heading);
    copyFileSync(here('package-lock.json'), join(this.folder, 'package-lock.json'));
    this.write(sharedFiles);
    this.write(this.section.files);
  }

  /** Goes on in a folder below, in which the versions are locked, too. */
  goTo(name) {
    const lock = join(this.folder, name, 'package-lock.json');
    copyFileSync(here('package-lock.json'), lock);
    this.folder = dirname(lock);
  }

  /** @param {Iterable<[string, string]>} files */
  write(files) {
    for (const [name, text] of files) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  remove(...names) {
    for (const name of names) rmSync(join(this.folder, name), { recursive: true });
  }

  /** Runs the section's commands but for servers, in order. */
  runAll() {
    for (const command of this.section.commands) if (!isServer(command)) this.run(command);
  }

  /** Runs a command and gives what it wrote to standard output. */
  run(command) {
    const start = performance.now();
    const { status, stdout, stderr } = spawnSync(pinned(command, this.olderVite), {
      shell: true,
      cwd: this.folder,
      env: terminal(),
      encoding: 'utf8',
      timeout: 500_000,
    });
    const seconds = (performance.now() - start) / 1000;
    assert.equal(status, 0, `${command}\n${stdout}\n${stderr}`);
    this.log.push({ command, seconds, output: `${stdout}${stderr}`.trim() });
    return stdout;
  }

  /** Starts a server that the section names and gives its address. */
  async serve(command) {
    assert.ok(this.section.commands.includes(command), `the guide does not say ${command}`);
    const port = await freePort();
    const start = performance.now();
    const child = spawn(`${command} --port ${port} --strictPort --host 127.0.0.1`, {
      shell: true,
      cwd: this.folder,
      env: terminal(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#servers.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    const url = `http://127.0.0.1:${port}/`;
    while (!(await fetch(url).catch(() => null))) {
      assert.equal(child.exitCode, null, `${command} ended:\n${output}`);
      assert.ok(performance.now() - start < 200_000, `${command} does not answer:\n${output}`);
      await sleep(100);
    }
    const seconds = (performance.now() - start) / 1000;
    this.log.push({ command, seconds, output: output.trim() });
    return url;
  }

  /** Stops the servers and removes the folder. */
  close() {
    for (const { pid } of this.#servers) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    rmSync(this.#made, { recursive: true, force: true, maxRetries: 5 });
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
