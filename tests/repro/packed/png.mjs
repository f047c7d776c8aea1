// PNG pictures, in few lines: 8 bits a sample, compressed by node:zlib (PNG
// specification, ISO/IEC 15948).

import { deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

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
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * The pixels of a PNG file of 8 bits a sample that is not interlaced, grey or in colours, with an
 * opacity or without.
 * @returns width, height, channels (1, 2, 3 or 4) and the pixels, [height, width, channels]
 */
export function decodePng(bytes) {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.length < 33 || !file.subarray(0, 8).equals(SIGNATURE))
    throw new Error('is not a PNG file');
  const contents = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const body = file.subarray(at + 4, at + 8 + length);
    if (crc32(body) !== file.readUInt32BE(at + 8 + length)) throw new Error('is damaged');
    if (body.toString('latin1', 0, 4) === 'IDAT') contents.push(body.subarray(4));
    at += 12 + length;
  }
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const [depth, colours, , , interlace] = file.subarray(24, 29);
  const channels = { 0: 1, 2: 3, 4: 2, 6: 4 }[colours];
  if (depth !== 8 || channels === undefined || interlace !== 0) {
    throw new Error('is a PNG file of another kind: save it with 8 bits a sample, not interlaced');
  }
  const pitch = width * channels;
  const lines = inflateSync(Buffer.concat(contents));
  if (lines.length !== height * (pitch + 1)) throw new Error('is cut off');
  const pixels = new Uint8Array(height * pitch);
  for (let y = 0; y < height; y++) {
    const line = lines.subarray(y * (pitch + 1) + 1, (y + 1) * (pitch + 1));
    const above = y > 0 ? pixels.subarray((y - 1) * pitch, y * pitch) : new Uint8Array(pitch);
    unfilter(lines[y * (pitch + 1)], channels, line, above, pixels.subarray(y * pitch));
  }
  return { width, height, channels, pixels };
}

/** Adds to each byte of a line what its filter foretold of it from the bytes left and above. */
function unfilter(filter, channels, line, above, pixels) {
  for (let at = 0; at < line.length; at++) {
    const a = at < channels ? 0 : pixels[at - channels];
    const b = above[at];
    const c = at < channels ? 0 : above[at - channels];
    const foretold = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
    if (foretold === undefined) throw new Error('has a filter that there is not');
    pixels[at] = line[at] + foretold;
  }
}

/** Of left, above and both, that which is nearest to left + above − both. */
function paeth(a, b, c) {
  const guess = a + b - c;
  const [toA, toB, toC] = [a, b, c].map((value) => Math.abs(guess - value));
  if (toA <= toB && toA <= toC) return a;
  return toB <= toC ? b : c;
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
