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

/** A colour as a canvas keeps it in memory, bytes red, green, blue, opaque, in the order of this machine. */
export function pixelOf(colour: string): number {
  const bytes = [1, 3, 5].map((n) => Number.parseInt(colour.slice(n, n + 2), 16));
  return new Uint32Array(Uint8Array.from([...bytes, 255]).buffer)[0] as number;
}
