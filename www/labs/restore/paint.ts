import { isSet } from '../../lib/bit-pictures.js';
import { INK_COLOURS, paintInk, type Theme } from '../../lib/colours.js';
import { pixelOf } from '../../pictures/packed-bits.js';

/** Pictures as colours, a number a pixel as a canvas keeps them. */

/** What is not given, in two colours that alternate, and what is given, on paper of its own. */
const COLOURS: Record<Theme, { hole: [string, string]; paper: string; ink: string }> = {
  light: { hole: ['#bcd8f0', '#8fbbe4'], paper: '#dfeaf6', ink: '#1b4f8a' },
  dark: { hole: ['#1e4672', '#2c629c'], paper: '#20344c', ink: '#8fc0f2' },
};

/** Paper and ink; where it is known what is right, other pixels are marked. */
export function bitPixels(bits: Uint8Array, theme: Theme, right = bits): Uint32Array {
  const { paper, ink, missing, wrong } = INK_COLOURS[theme];
  const colours = [paper, ink, missing, wrong].map(pixelOf);
  return Uint32Array.from({ length: 8 * bits.length }, (_, n) => {
    const isInk = isSet(bits, n);
    return colours[(isInk ? 1 : 0) + (isInk === isSet(right, n) ? 0 : 2)] as number;
  });
}

/** A picture of which a part is not given. */
export function holedPixels(
  bits: Uint8Array,
  hole: Uint8Array,
  side: number,
  theme: Theme,
  right = bits,
): Uint32Array {
  const colours = COLOURS[theme].hole.map(pixelOf);
  return bitPixels(bits, theme, right).map((pixel, n) =>
    isSet(hole, n) ? (colours[(n + Math.floor(n / side)) % 2] as number) : pixel,
  );
}

/** A picture that was completed: what was given is tinted. */
export function completedPixels(bits: Uint8Array, erased: Uint8Array, theme: Theme): Uint32Array {
  const [paper, ink] = [COLOURS[theme].paper, COLOURS[theme].ink].map(pixelOf);
  return bitPixels(bits, theme).map((pixel, n) => {
    if (isSet(erased, n)) return pixel;
    return (isSet(bits, n) ? ink : paper) as number;
  });
}

/** Probabilities of ink, from paper to ink. */
export function greyPixels(means: ArrayLike<number>, theme: Theme): Uint32Array {
  const bytes = new Uint8ClampedArray(4 * means.length);
  paintInk(means, theme, bytes);
  return new Uint32Array(bytes.buffer);
}

/** Square pictures in lines of so many, with a line of the given colour around each. */
export function sheetOf(
  pictures: readonly Uint32Array[],
  side: number,
  columns: number,
  colour: string,
): { width: number; height: number; pixels: Uint32Array } {
  const [width, height] = [columns, Math.ceil(pictures.length / columns)].map(
    (num) => num * (side + 1) + 1,
  ) as [number, number];
  const pixels = new Uint32Array(width * height).fill(pixelOf(colour));
  for (const [n, picture] of pictures.entries()) {
    const left = (n % columns) * (side + 1) + 1;
    const top = Math.floor(n / columns) * (side + 1) + 1;
    for (let row = 0; row < side; row++) {
      pixels.set(picture.subarray(row * side, (row + 1) * side), (top + row) * width + left);
    }
  }
  return { width, height, pixels };
}
