// A sheet of digits as a PNG picture.

import { encodePng } from './png.mjs';

const SIDE = 28;
/** Pixels from one digit to the next. */
const PITCH = SIDE + 2;

/**
 * Digits side by side, ink black on white, `numColumns` in a line.
 * @param bits rows of 98 bytes, 28×28 bits each, least significant bit first, 1 is ink
 * @returns the bytes of a PNG file
 */
export function digitSheet(bits, numColumns) {
  const numDigits = bits.length / 98;
  const width = numColumns * PITCH + 2;
  const height = Math.ceil(numDigits / numColumns) * PITCH + 2;
  const pixels = new Uint8Array(width * height).fill(215);
  for (let digit = 0; digit < numDigits; digit++) {
    const left = (digit % numColumns) * PITCH + 2;
    const top = Math.floor(digit / numColumns) * PITCH + 2;
    for (let at = 0; at < SIDE * SIDE; at++) {
      const ink = (bits[digit * 98 + (at >> 3)] >> (at & 7)) & 1;
      const y = top + Math.floor(at / SIDE);
      pixels[y * width + left + (at % SIDE)] = ink ? 0 : 255;
    }
  }
  return encodePng(width, height, pixels);
}
