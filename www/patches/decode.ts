/** A picture in levels of grey, row by row, 0 to 255. */
export interface GreyPicture {
  name: string;
  width: number;
  height: number;
  pixels: Uint8Array;
}

const LARGEST_FILE = 100e6;

/** Longer sides are reduced to this: neighbouring pixels of a large photograph are all but the same. */
const MAX_SIDE = 1024;

/**
 * A picture as levels of grey, the luma of ITU-R BT.709. Levels are taken as they stand in the file, without a colour
 * profile, so that a grey PNG gives the same numbers everywhere; how a JPEG is decoded or a large picture reduced is
 * the browser's own.
 */
export async function decodePicture(file: Blob, name: string): Promise<GreyPicture> {
  if (file.size > LARGEST_FILE) throw new Error(`The file “${name}” is too large.`);
  const image = await createImageBitmap(file, { colorSpaceConversion: 'none' }).catch(() => {
    throw new Error(`The file “${name}” is no picture that this browser can read.`);
  });
  const scale = Math.min(1, MAX_SIDE / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(scale * image.width));
  canvas.height = Math.max(1, Math.round(scale * image.height));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('This browser gives no canvas to draw on.');
  // What is transparent is white, as on a page.
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
  const at = (n: number) => data[n] as number;
  const pixels = Uint8Array.from({ length: width * height }, (_, n) =>
    Math.round((2126 * at(4 * n) + 7152 * at(4 * n + 1) + 722 * at(4 * n + 2)) / 10_000),
  );
  return { name, width, height, pixels };
}

/** A short fingerprint of pictures, by which a link recognizes them; zeros where the browser has no SHA-256. */
export async function fingerprintOf(pictures: readonly GreyPicture[]): Promise<string> {
  // Only pages served over https or from this machine have it.
  if (!globalThis.crypto?.subtle) return '0'.repeat(16);
  const sizes = pictures.flatMap(({ width, height }) => [width, height]);
  const all = new Blob([
    new Uint32Array(sizes),
    ...pictures.map(({ pixels }) => Uint8Array.from(pixels)),
  ]);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await all.arrayBuffer()));
  return [...hash.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
