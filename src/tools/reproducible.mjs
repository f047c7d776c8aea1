/**
 * Whether the wasm can be made again, to the last byte: the files under version control are built a second time, from
 * nothing, in a folder of another name and length. Prints the SHA-256 of every file, and ends with 1 where one differs
 * from that of the build here.
 *
 *     npm run reproducible [-- --keep]
 *
 * Takes one whole build, minutes, and another if that here is stale. `--keep` leaves the folder to be looked at.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure, main, output, root, run, say } from './run.mjs';
import { buildWasm } from './wasm.mjs';

/** Copies the files under version control, as they are now. */
function copyTo(place) {
  const files = output('git', ['ls-files', '-z']).split('\0').filter(Boolean);
  // The notices and the licence are read by the build; pictures and tests are not.
  for (const file of files.filter((name) => !/^(www|tests)\//.test(name) || isManifest(name))) {
    const from = join(root, file);
    if (statSync(from, { throwIfNoEntry: false })) cpSync(from, join(place, file));
  }
}

/** Cargo reads the manifest of every target, and wants the files that it names. */
const isManifest = (file) => file.startsWith('tests/') && /\.(rs|toml)$/.test(file);

/** Builds there. */
function build(place) {
  run(process.execPath, ['src/tools/wasm.mjs', '--require-threads'], {
    cwd: place,
    env: { CARGO_TARGET_DIR: join(place, 'target') },
    otherwise: `The build in ${place} failed.`,
  });
}

/** The SHA-256 of every file below a folder, by name. */
function hashes(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  const hashOf = (name) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return new Map(files.map((name) => [name, hashOf(name)]));
}

await main(import.meta.url, async (args) => {
  await buildWasm({ requireThreads: true });
  const temporary = mkdtempSync(join(tmpdir(), 'unnorm-again-'));
  const place = join(temporary, 'with', 'a longer path');
  try {
    copyTo(place);
    say(`Building again in ${place}.`);
    build(place);
    const [first, second] = [root, place].map((each) => hashes(join(each, 'dist/wasm')));
    const names = [...new Set([...first.keys(), ...second.keys()])].sort();
    const different = names.filter((name) => first.get(name) !== second.get(name));
    for (const name of names) {
      const verdict = different.includes(name) ? 'DIFFERS ' : 'the same';
      console.log(`${verdict}  ${first.get(name)}  ${name}`);
    }
    if (different.length > 0) throw new Failure(`${different.length} files differ.`);
    say(`${names.length} files, the same in both builds.`);
  } finally {
    if (!args.includes('--keep')) rmSync(temporary, { recursive: true, force: true });
  }
});
