/** Pictures of packed bits against their definition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { siteModule } from './site-module.mjs';

const { blockTable, paintBits, paintBlocks, pixelOf, pixelTable } =
  await siteModule('pictures/packed-bits.ts');

const side = 32;
const bits = Uint8Array.from(
  { length: side ** 2 / 8 },
  (_, at) => (at * 37 + (at >> 3) * 11) % 256,
);
const bit = (row, column) => (bits[(row * side + column) >> 3] >> (column & 7)) & 1;
const imageOf = (numPixels) => ({ data: new Uint8ClampedArray(4 * numPixels) });
const pixelsOf = (image) => new Uint32Array(image.data.buffer);

test('every bit is a pixel of its colour', () => {
  const image = imageOf(side ** 2);
  paintBits(bits, pixelTable('#102030', '#f0e0d0'), image);
  pixelsOf(image).forEach((pixel, at) => {
    const isSet = bit(Math.floor(at / side), at % side);
    assert.equal(pixel, pixelOf(isSet ? '#102030' : '#f0e0d0'));
  });
});

test('every square of bits is a pixel of their mean colour', () => {
  for (const block of [2, 4]) {
    const width = side / block;
    const image = imageOf(width ** 2);
    paintBlocks(bits, side, block, blockTable('#ff0000', '#0000ff', block), image);
    for (let at = 0; at < width ** 2; at++) {
      let count = 0;
      for (let n = 0; n < block ** 2; n++) {
        const row = Math.floor(at / width) * block + Math.floor(n / block);
        count += bit(row, (at % width) * block + (n % block));
      }
      const [red, green, blue, opaque] = image.data.subarray(4 * at, 4 * at + 4);
      assert.equal(red, Math.round((255 * count) / block ** 2));
      assert.equal(blue, Math.round(255 * (1 - count / block ** 2)));
      assert.deepEqual([green, opaque], [0, 255]);
    }
  }
});
