// A sheet of square binary pictures, such as digits, as a PNG picture.

import { encodePng } from './png.mjs';

/**
 * Pictures side by side, set bits black on white, `numColumns` in a line.
 * @param bits rows of side² bits each, filled up to whole bytes, least significant bit first
 * @param {object} form
 * @param {number} form.side bits each way
 * @param {number} form.numColumns
 * @param {number} [form.scale] pixels a bit each way
 * @param {number} [form.gap] pixels between one picture and the next
 * @returns the bytes of a PNG file
 */
export function bitSheet(bits, { side, numColumns, scale = 1, gap = 2 }) {
  const numBytes = Math.ceil(side ** 2 / 8);
  const numPictures = bits.length / numBytes;
  const pitch = side * scale + gap;
  const width = numColumns * pitch + gap;
  const height = Math.ceil(numPictures / numColumns) * pitch + gap;
  const pixels = new Uint8Array(width * height).fill(215);
  for (let picture = 0; picture < numPictures; picture++) {
    const left = (picture % numColumns) * pitch + gap;
    const top = Math.floor(picture / numColumns) * pitch + gap;
    for (let row = 0; row < side * scale; row++) {
      for (let column = 0; column < side * scale; column++) {
        const at = Math.floor(row / scale) * side + Math.floor(column / scale);
        const ink = (bits[picture * numBytes + (at >> 3)] >> (at & 7)) & 1;
        pixels[(top + row) * width + left + column] = ink ? 0 : 255;
      }
    }
  }
  return encodePng(width, height, pixels);
}
