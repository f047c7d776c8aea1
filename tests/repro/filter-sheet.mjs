// Filters as small square pictures, sheets of them side by side, as a PNG picture.

import { encodePng } from './packed/png.mjs';

/** Pixels of the picture a pixel of a filter. */
const SCALE = 4;
/** Pixels between two filters, and between two sheets. */
const [GAP, GUTTER] = [2, 24];
const GROUND = 128;

/**
 * @param {Float64Array[]} sheets of as many filters each, `[filters, side, side]`; a filter has a grey scale
 *   of its own, from minus to plus its largest weight
 * @param {number} side pixels on a side of a filter
 * @returns {Buffer} the bytes of a PNG file, the sheets from left to right
 */
export function filterSheet(sheets, side) {
  const size = side * side;
  const numColumns = Math.ceil(Math.sqrt(sheets[0].length / size));
  const numLines = Math.ceil(sheets[0].length / size / numColumns);
  const pitch = SCALE * side + GAP;
  const sheetWidth = numColumns * pitch + GAP;
  const width = sheets.length * sheetWidth + (sheets.length - 1) * GUTTER;
  const height = numLines * pitch + GAP;
  const pixels = new Uint8Array(width * height).fill(255);
  sheets.forEach((filters, sheet) => {
    const left = sheet * (sheetWidth + GUTTER);
    for (let start = 0; start < filters.length; start += size) {
      const at = start / size;
      const filter = filters.subarray(start, start + size);
      const most = filter.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0) || 1;
      const x0 = left + GAP + (at % numColumns) * pitch;
      const y0 = GAP + Math.floor(at / numColumns) * pitch;
      for (let y = 0; y < SCALE * side; y++) {
        for (let x = 0; x < SCALE * side; x++) {
          const value = filter[Math.floor(y / SCALE) * side + Math.floor(x / SCALE)];
          pixels[(y0 + y) * width + x0 + x] = Math.round(GROUND + (127 * value) / most);
        }
      }
    }
  });
  return encodePng(width, height, pixels);
}
