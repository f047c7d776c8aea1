/** The lab Pictures, for its tests. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../src/tools/run.mjs';
import { encodePng } from '../repro/packed/png.mjs';
import { fit, numberOf } from './site-under-test.mjs';

export const PICTURES = 'labs/pictures/';
/** A fit that takes a second or so. */
export const SMALL = '#side=8&components=16&patches=600&iterations=25&seed=1';

/** The lab, once patches are cut. */
export async function openLab(site, hash, options) {
  const opened = await site.page(PICTURES + hash, options);
  await opened.page.getByText('Ready to fit').waitFor();
  return opened;
}

/** Fits, waits for what comes after, and gives the digest. */
export async function fitAndJudge(page) {
  const digest = await fit(page);
  await page.locator('[data-samples="final"]').waitFor();
  return digest;
}

/** A number of the table that may have a minus sign, without its error. */
export async function signedAmountOf(page, name) {
  const text = (await numberOf(page, name)).split('±')[0];
  return Number(text.replace('−', '-').replaceAll(',', ''));
}

/** Drops files on the page, as from the desktop. */
export async function drop(page, files) {
  const transfer = await page.evaluateHandle((all) => {
    const data = new DataTransfer();
    for (const [name, bytes] of all) {
      data.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }));
    }
    return data;
  }, files);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

/** A picture of blocks and a slope; the same every time for a seed. */
export function somePicture(seed, side = 96) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const pixels = Uint8Array.from(
    { length: side * side },
    (_, n) => 60 + (n % side) / 2 + 20 * random(),
  );
  for (let block = 0; block < 60; block++) {
    const [left, top] = [0, 0].map(() => Math.floor(random() * (side - 20)));
    const [width, height] = [0, 0].map(() => 3 + Math.floor(random() * 16));
    const grey = Math.floor(255 * random());
    for (let y = top; y < top + height; y++) {
      pixels.fill(grey, y * side + left, y * side + left + width);
    }
  }
  return [...encodePng(side, side, pixels)];
}

/**
 * A folder for lines that a lab shows: inside of the repository, where the package goes by its own name. Node has no
 * canvas: what the lines need of one is in `canvas.mjs` there.
 */
export async function nodeCanvas() {
  const folder = join(root, 'out', 'shown-code');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'canvas.mjs'),
    `import { decodePng } from '../../tests/repro/packed/png.mjs';
globalThis.createImageBitmap = async (file) => decodePng(new Uint8Array(await file.arrayBuffer()));
globalThis.OffscreenCanvas = class {
  getContext() {
    let image;
    return {
      drawImage: (given) => { image = given; },
      getImageData: () => ({ data: Uint8Array.from({ length: 4 * image.width * image.height }, (_, n) => image.pixels[image.channels * (n >> 2)]) }),
    };
  }
};
`,
  );
  return folder;
}
