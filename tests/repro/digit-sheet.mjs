// A sheet of digits as a PNG picture, in few lines: grey, 8 bits a pixel,
// compressed by node:zlib (PNG specification, ISO/IEC 15948).

import { deflateSync } from 'node:zlib';

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

/** A PNG file of grey pixels, row by row. */
function encodePng(width, height, pixels) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  // Each row begins with the number of its filter: 0, none.
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    lines.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(content.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
