// PNG pictures, in few lines: 8 bits a sample, compressed by node:zlib (PNG
// specification, ISO/IEC 15948).

import { deflateSync } from 'node:zlib';

/**
 * A PNG file of pixels row by row: of one byte each, grey, or of three, red, green and blue.
 * @returns its bytes
 */
export function encodePng(width, height, pixels) {
  const isColour = pixels.length === 3 * width * height;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = isColour ? 2 : 0;
  // Each row begins with the number of its filter: 0, none.
  const pitch = isColour ? 3 * width : width;
  const lines = Buffer.alloc(height * (pitch + 1));
  for (let y = 0; y < height; y++) {
    lines.set(pixels.subarray(y * pitch, (y + 1) * pitch), y * (pitch + 1) + 1);
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
