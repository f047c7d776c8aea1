/**
 * NumPy's .npy format, for matrices of float64 that come in and go out beside the data. (Data files
 * of any numeric type are read by the core: see `DataSpec`.)
 */

import { UnnormError } from './errors.js';

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
const PREAMBLE = 10;

function refused(problem: string): UnnormError {
  return new UnnormError('invalid-data', `bytes: ${problem}`, { field: 'bytes' });
}

/**
 * Reads a version 1 file of little-endian float64 in row-major order, as `numpy.save` writes it.
 * Throws an `UnnormError` of code 'invalid-data' for anything else.
 */
export function readNpy(bytes: Uint8Array): { shape: number[]; values: Float64Array } {
  if (!MAGIC.every((byte, n) => bytes[n] === byte) || bytes[6] !== 1)
    throw refused('is not an .npy file of version 1');
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
    throw refused('is not little-endian float64 in row-major order; save it with numpy.save');
  }
  const length = shape.reduce((product, size) => product * size, 1);
  const start = PREAMBLE + headerLength;
  if (bytes.byteLength !== PREAMBLE + headerLength + 8 * length)
    throw refused('is not as long as its shape says');
  const values = new Float64Array(length);
  // Not `slice`: that of Node's Buffer does not copy.
  new Uint8Array(values.buffer).set(bytes.subarray(start));
  return { shape, values };
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
