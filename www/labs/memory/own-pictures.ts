import { darkerHalf, scaled } from '../../lib/bit-pictures.js';

/** Pictures that were drawn or dropped, all of one size. */
export interface OwnPictures {
  side: number;
  pictures: readonly Uint8Array[];
}

/** Characters of the pictures in a link: with all else it stays within what this page reads. */
const LONGEST = 1500;

const LARGEST_FILE = 50e6;

/** As a link carries them: the side, then the bits of each in base 64; empty where they are none or too many. */
export function printOwn({ side, pictures }: OwnPictures): string {
  const text = [side, ...pictures.map(base64Url)].join('.');
  return pictures.length > 0 && text.length <= LONGEST ? text : '';
}

/** Whether a link can carry them. */
export function fitsLink(own: OwnPictures): boolean {
  return own.pictures.length === 0 || printOwn(own) !== '';
}

export function readOwn(text: string): OwnPictures | undefined {
  const [size = '', ...parts] = text.split('.');
  const side = Number(size);
  if (!/^(8|16|32|64)$/.test(size) || parts.length === 0) return undefined;
  if (!parts.every((part) => /^[\w-]+$/.test(part))) return undefined;
  try {
    const pictures = parts.map((part) =>
      Uint8Array.from(atob(part.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)),
    );
    return pictures.every(({ length }) => length === (side * side) / 8)
      ? { side, pictures }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The same pictures at another size. */
export function resized({ side, pictures }: OwnPictures, to: number): OwnPictures {
  return {
    side: to,
    pictures: side === to ? pictures : pictures.map((bits) => scaled(bits, side, to)),
  };
}

/** Bytes in base 64. */
export function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function base64Url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/**
 * The middle square of a picture file, reduced to so many pixels along a side, in black and white: ink where it is
 * darker than half of its pixels. Browsers reduce pictures each in their own way, so the bits go into links and files,
 * not the picture.
 */
export async function readPicture(file: File, side: number): Promise<Uint8Array> {
  if (file.size > LARGEST_FILE) throw new Error(`The file “${file.name}” is too large.`);
  const image = await createImageBitmap(file).catch(() => {
    throw new Error(`The file “${file.name}” is no picture that this browser can read.`);
  });
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('This browser gives no canvas to draw on.');
  context.fillStyle = 'white';
  context.fillRect(0, 0, side, side);
  context.imageSmoothingQuality = 'high';
  const edge = Math.min(image.width, image.height);
  const [left, top] = [(image.width - edge) / 2, (image.height - edge) / 2];
  context.drawImage(image, left, top, edge, edge, 0, 0, side, side);
  image.close();
  const { data } = context.getImageData(0, 0, side, side);
  const at = (n: number) => data[n] as number;
  return darkerHalf(
    Uint8Array.from({ length: side * side }, (_, n) =>
      Math.round(0.299 * at(4 * n) + 0.587 * at(4 * n + 1) + 0.114 * at(4 * n + 2)),
    ),
  );
}
