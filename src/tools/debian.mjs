/** Packages of Debian, for tests that need a program that npm and cargo do not have. */
import { existsSync } from 'node:fs';
import { run } from './run.mjs';

export const isRoot = process.getuid?.() === 0;

/** Whether packages can be installed here: by root, on Debian. */
export const canInstall = isRoot && existsSync('/etc/debian_version');

/** @param {string} otherwise the sentence to fail with */
export function installDebian(packages, otherwise) {
  run('apt-get', ['update', '-q'], { otherwise });
  run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], {
    env: { DEBIAN_FRONTEND: 'noninteractive' },
    otherwise,
  });
}
