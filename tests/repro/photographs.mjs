// The photographs in www/data, as `engine.patches` takes them.

import { readdir, readFile } from 'node:fs/promises';
import { decodePng } from './packed/png.mjs';

const folder = new URL('../../www/data/', import.meta.url);

/** All of them, in the order of their names. */
export async function readPhotographs() {
  const files = (await readdir(folder)).filter((file) => /^natural-.*\.png$/.test(file));
  return Promise.all(files.sort().map(read));
}

/** The scene of a name; the other photographs are textures. */
export function readScene(name) {
  return read(`natural-${name}.png`);
}

export const SCENES = ['astronaut', 'camera', 'coffee', 'rocket'];

async function read(file) {
  const { width, height, channels, pixels } = decodePng(await readFile(new URL(file, folder)));
  return { width, height, channels, pixels };
}
