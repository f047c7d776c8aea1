/**
 * Stamps: a step is done again only when what it reads has changed or what it wrote is gone.
 * A stamp is a small file in out/stamps that holds the hash of the inputs and the size of every
 * output. Contents are hashed, not times, so a fresh checkout or a branch switched to and fro
 * costs nothing.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { root } from './run.mjs';

/** Every file under the given files and folders (relative to the top), sorted; missing ones are left out. */
export function filesUnder(paths, accept = () => true) {
  const found = [];
  const visit = (path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
    else if (stats) found.push(relative(root, path).split(sep).join('/'));
  };
  for (const path of paths) visit(join(root, path));
  return found.filter(accept).sort();
}

/** One hash of the contents and names of files (relative to the top) and of any further strings. */
export function hashOf(files, ...strings) {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  for (const string of strings) hash.update(`${string}\0`);
  return hash.digest('hex');
}

const stampFile = (name) => join(root, 'out', 'stamps', `${name}.json`);

/** The stamp left by the last run of this step if it was for the same inputs and its outputs are still there. */
export function stampFor(name, inputs) {
  if (!existsSync(stampFile(name))) return null;
  const stamp = JSON.parse(readFileSync(stampFile(name), 'utf8'));
  const intact = Object.entries(stamp.outputs).every(
    ([file, size]) => statSync(join(root, file), { throwIfNoEntry: false })?.size === size,
  );
  return stamp.inputs === inputs && intact ? stamp : null;
}

/** Records that the step was done: the inputs' hash, the folders or files it wrote, any note. */
export function writeStamp(name, inputs, outputs, note = {}) {
  mkdirSync(dirname(stampFile(name)), { recursive: true });
  const sizes = Object.fromEntries(
    filesUnder(outputs).map((file) => [file, statSync(join(root, file)).size]),
  );
  writeFileSync(stampFile(name), JSON.stringify({ inputs, outputs: sizes, ...note }, null, 1));
}

/** Forgets a stamp, before a step that may leave half its outputs. */
export function removeStamp(name) {
  rmSync(stampFile(name), { force: true });
}
