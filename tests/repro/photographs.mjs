// The photographs in www/data, as `engine.patches` takes them.

import { readdir, readFile } from 'node:fs/promises';
import { decodePng } from './png.mjs';

const folder = new URL('../../www/data/', import.meta.url);

/** All of them, in the order of their names. */
export async function readPhotographs() {
  const names = (await readdir(folder)).filter((file) => /^natural-.*\.png$/.test(file));
  return Promise.all(
    names.sort().map(async (file) => {
      const bytes = await readFile(new URL(file, folder));
      const { width, height, channels, pixels } = decodePng(bytes);
      return { width, height, channels, pixels };
    }),
  );
}
