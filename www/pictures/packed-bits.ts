/** Pictures of packed bits, least significant first. */

/** The eight pixels of every byte, [256, 8], for two colours #rrggbb: of bits that are set, and of others. */
export function pixelTable(set: string, clear: string): Uint32Array {
  const [on, off] = [pixelOf(set), pixelOf(clear)];
  return Uint32Array.from({ length: 2048 }, (_, n) => (((n >> 3) >> (n & 7)) & 1 ? on : off));
}

/** Paints packed bits on an image of as many pixels. */
export function paintBits(bits: Uint8Array, table: Uint32Array, image: ImageData): void {
  const pixels = new Uint32Array(image.data.buffer);
  for (let n = 0; n < bits.length; n++) {
    const from = 8 * (bits[n] as number);
    const to = 8 * n;
    // Unrolled: this runs for a quarter of a million pixels a frame.
    pixels[to] = table[from] as number;
    pixels[to + 1] = table[from + 1] as number;
    pixels[to + 2] = table[from + 2] as number;
    pixels[to + 3] = table[from + 3] as number;
    pixels[to + 4] = table[from + 4] as number;
    pixels[to + 5] = table[from + 5] as number;
    pixels[to + 6] = table[from + 6] as number;
    pixels[to + 7] = table[from + 7] as number;
  }
}

/** The pixels of squares of `block` by `block` bits by the number that are set, from 0 on. */
export function blockTable(set: string, clear: string, block: number): Uint32Array {
  const part = (colour: string, n: number) => Number.parseInt(colour.slice(n, n + 2), 16);
  return Uint32Array.from({ length: block ** 2 + 1 }, (_, count) => {
    const share = count / block ** 2;
    const bytes = [1, 3, 5].map((n) =>
      Math.round(share * part(set, n) + (1 - share) * part(clear, n)),
    );
    return pixelOfBytes(bytes);
  });
}

/** Paints packed bits, `side` to a row, on an image of a pixel for every square of `block` by `block`, 2 or 4. */
export function paintBlocks(
  bits: Uint8Array,
  side: number,
  block: number,
  table: Uint32Array,
  image: ImageData,
): void {
  const pixels = new Uint32Array(image.data.buffer);
  const rowBytes = side / 8;
  const perByte = 8 / block;
  const mask = 2 ** block - 1;
  let to = 0;
  for (let row = 0; row < side; row += block) {
    for (let at = row * rowBytes; at < (row + 1) * rowBytes; at++) {
      for (let part = 0; part < perByte; part++) {
        let count = 0;
        for (let line = 0; line < block; line++) {
          count += ONES[
            ((bits[at + line * rowBytes] as number) >> (part * block)) & mask
          ] as number;
        }
        pixels[to++] = table[count] as number;
      }
    }
  }
}

/** Numbers of bits set in 0 to 15. */
const ONES = Uint8Array.from(
  { length: 16 },
  (_, n) => (n & 1) + ((n >> 1) & 1) + ((n >> 2) & 1) + (n >> 3),
);

/** A colour as a canvas keeps it in memory, bytes red, green, blue, opaque, in the order of this machine. */
export function pixelOf(colour: string): number {
  return pixelOfBytes([1, 3, 5].map((n) => Number.parseInt(colour.slice(n, n + 2), 16)));
}

function pixelOfBytes(bytes: readonly number[]): number {
  return new Uint32Array(Uint8Array.from([...bytes, 255]).buffer)[0] as number;
}
