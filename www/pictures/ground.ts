import { bytesOf } from '../lib/colours.js';

/** How strong the highest density is. */
const STRONGEST = 0.8;

/**
 * Paints densities relative to the highest, row by row, one pixel each, between two colours. By their square root:
 * tails are seen too.
 */
export function paintGround(
  canvas: HTMLCanvasElement,
  { relative, size }: { relative: ArrayLike<number>; size: number },
  ground: string,
  tone: string,
): void {
  canvas.width = size;
  canvas.height = size;
  const context = canvas.getContext('2d');
  if (!context) return;
  const image = context.createImageData(size, size);
  const [from, to] = [bytesOf(ground), bytesOf(tone)];
  for (let cell = 0; cell < size * size; cell++) {
    const share = STRONGEST * Math.sqrt(relative[cell] as number);
    for (let c = 0; c < 3; c++) {
      image.data[4 * cell + c] = (from[c] as number) * (1 - share) + (to[c] as number) * share;
    }
    image.data[4 * cell + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}
