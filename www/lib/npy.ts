/** NumPy's .npy format, for the float64 matrices the site reads and offers for download. */

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const PREAMBLE = 10;

/** Reads a version 1 file of little-endian float64 in row-major order. */
export function readNpy(bytes: Uint8Array<ArrayBuffer>): { shape: number[]; values: Float64Array } {
  if (!MAGIC.every((byte, n) => bytes[n] === byte) || bytes[6] !== 1)
    throw new Error('not an .npy file of version 1');
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset).getUint16(8, true);
  const header = new TextDecoder('latin1').decode(
    bytes.subarray(PREAMBLE, PREAMBLE + headerLength),
  );
  const shape = /'shape': \(([\d, ]*)\)/
    .exec(header)?.[1]
    ?.split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);
  if (!shape || !header.includes("'descr': '<f8'") || !header.includes("'fortran_order': False")) {
    throw new Error('not little-endian float64 in row-major order');
  }
  const length = shape.reduce((product, size) => product * size, 1);
  const start = bytes.byteOffset + PREAMBLE + headerLength;
  if (bytes.byteLength !== PREAMBLE + headerLength + 8 * length)
    throw new Error('the file is not as long as its shape says');
  return { shape, values: new Float64Array(bytes.buffer.slice(start, start + 8 * length)) };
}

/** Writes row-major float64 values of the given shape. */
export function writeNpy(values: Float64Array, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${sizes}), }`;
  // The values start at a multiple of 64 bytes, and the header ends in a line feed.
  const headerLength = Math.ceil((PREAMBLE + text.length + 1) / 64) * 64 - PREAMBLE;
  const bytes = new Uint8Array(PREAMBLE + headerLength + 8 * values.length);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  bytes[6] = 1;
  view.setUint16(8, headerLength, true);
  bytes.set(new TextEncoder().encode(`${text.padEnd(headerLength - 1)}\n`), PREAMBLE);
  values.forEach((value, n) => {
    view.setFloat64(PREAMBLE + headerLength + 8 * n, value, true);
  });
  return bytes;
}
