/** Running commands, and ending with one plain sentence when something is missing. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's top folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** True on a build server, where nothing may be skipped. */
export const isCI = Boolean(process.env.CI) && process.env.CI !== 'false' && process.env.CI !== '0';

/** A failure whose message is meant for the person at the terminal: no stack trace. */
export class Failure extends Error {}

/** Says what is being done. */
export function say(sentence) {
  console.log(`• ${sentence}`);
}

/**
 * Runs a command to its end, its output going to ours.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, cwd?: string, otherwise?: string }} [options]
 *   `otherwise`: the sentence to fail with.
 */
export function run(command, args, { env, cwd = root, otherwise } = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  if (error || status !== 0) {
    throw new Failure(otherwise ?? `This command failed: ${[command, ...args].join(' ')}`);
  }
}

/**
 * Runs a command and returns what it wrote to standard output, or null where it failed or is not
 * installed. Standard error is shown only if `loud`.
 */
export function output(command, args, { env, cwd = root, loud = false } = {}) {
  const { status, error, stdout } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', loud ? 'inherit' : 'ignore'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return error || status !== 0 ? null : stdout;
}

/** The same as `output`, loud, while other things go on. */
export function outputLater(command, args, { env, cwd = root } = {}) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more;
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', (status) => resolve(status === 0 ? text : null));
  });
}

/** Runs npm, the one that started us if there is one. */
export function npm(args, options) {
  const script = process.env.npm_execpath;
  if (script?.endsWith('.js')) run(process.execPath, [script, ...args], options);
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}

/**
 * Runs a command of an installed package, which is a Node script on every platform.
 * @param {string} name the package, and the command after a space where it is called otherwise
 */
export function bin(name, args, options) {
  const [owner, command = owner.replace(/^.*\//, '')] = name.split(' ');
  const folder = join(root, 'node_modules', owner);
  const scripts = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin;
  const script = typeof scripts === 'string' ? scripts : scripts[command];
  run(process.execPath, [join(folder, script), ...args], options);
}

/** Calls `action` if the module at `url` is the program being run; a Failure ends it in one line. */
export async function main(url, action) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  try {
    await action(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`✗ ${error.message}`);
    process.exitCode = 1;
  }
}

/** Cargo's arguments for our crates, without the tools and the Python wheel, which `wheel.mjs` builds. */
export const crates = [
  '--workspace',
  ...['unnorm-bindgen', 'unnorm-python'].flatMap((name) => ['--exclude', name]),
];

/**
 * Cargo's arguments that leave the crate `unnorm` without optimization: it compiles in a sixth of the time, and what tests
 * compute most is in the crates below it.
 */
export const unoptimized = ['--config', 'profile.dev.package.unnorm.opt-level=0'];

/** Cargo's arguments for the tests beside the code, for which the crate `unnorm` is compiled a second time. */
export const unitTests = ['--lib', ...unoptimized];
