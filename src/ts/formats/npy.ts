/**
 * NumPy's .npy format (NEP 1): magic, version, length of the header, a Python dictionary `{'descr':
 * '<f8', 'fortran_order': False, 'shape': (3, 4), }`, then the raw array. It is for arrays of
 * numbers other than binary data. (The core reads rows of bits: see `DataSpec`.)
 */

import { tagOf } from '../checks.js';
import { countOf, MAX_ENTRIES, refused, startsWith } from './refusal.js';

/** An array with its sizes: row-major values of `shape`. */
export interface NumericArray<Values = NumericValues> {
  shape: number[];
  values: Values;
}

/** The values that an .npy file can be written from. */
export type NumericValues =
  | Float64Array
  | Float32Array
  | Int32Array
  | Int16Array
  | Int8Array
  | Uint32Array
  | Uint16Array
  | Uint8Array;

const MAGIC = '\x93NUMPY';
const PREAMBLE = 10;
const MAX_HEADER = 2 ** 20;
/** The maximum number of dimensions, as in NumPy. */
const MAX_DIMENSIONS = 64;
const NOT_NUMPYS = "has a header that is not NumPy's";

/** Types as NumPy names them on a little-endian machine. */
const DESCRS: Record<string, string> = {
  Float64Array: '<f8',
  Float32Array: '<f4',
  Int32Array: '<i4',
  Int16Array: '<i2',
  Int8Array: '|i1',
  Uint32Array: '<u4',
  Uint16Array: '<u2',
  Uint8Array: '|u1',
};

/** Reads an entry; `little` is its byte order. */
type Reader = (view: DataView, at: number, little: boolean) => number;

const READERS: Record<string, Reader> = {
  b1: (view, at) => view.getUint8(at),
  u1: (view, at) => view.getUint8(at),
  i1: (view, at) => view.getInt8(at),
  u2: (view, at, little) => view.getUint16(at, little),
  i2: (view, at, little) => view.getInt16(at, little),
  u4: (view, at, little) => view.getUint32(at, little),
  i4: (view, at, little) => view.getInt32(at, little),
  u8: (view, at, little) => exact(view.getBigUint64(at, little)),
  i8: (view, at, little) => exact(view.getBigInt64(at, little)),
  f4: (view, at, little) => view.getFloat32(at, little),
  f8: (view, at, little) => view.getFloat64(at, little),
};

/**
 * Reads an .npy file of version 1 to 3: booleans, integers or floats of either byte order, in C or
 * Fortran order, of any shape. Throws an `UnnormError` of code 'invalid-data' for anything else,
 * and for integers that float64 cannot represent.
 */
export function readNpy(bytes: Uint8Array): NumericArray<Float64Array> {
  return readNpyWithin(bytes, MAX_ENTRIES);
}

/** {@link readNpy} for an array of at most `most` entries. */
export function readNpyWithin(bytes: Uint8Array, most: number): NumericArray<Float64Array> {
  const { descr, fortranOrder, shape, start } = headerOf(bytes);
  if (shape.length > MAX_DIMENSIONS) {
    throw refused(`has ${shape.length} dimensions, of which at most ${MAX_DIMENSIONS} can be read`);
  }
  const [, order, type] = /^([<>|=])([biuf]\d)$/.exec(descr) ?? [];
  const reader = READERS[type ?? ''];
  if (!order || !type || !reader) {
    const hint = 'save booleans, integers, float32 or float64, for example with .astype(float)';
    throw refused(`has entries of type '${descr.slice(0, 20)}'; ${hint}`);
  }
  const length = countOf(shape, most);
  const size = Number(type[1]);
  const found = bytes.byteLength - start;
  if (found !== length * size) {
    const problem = found < length * size ? 'is cut off' : 'has something after its array';
    const promise = `its header promises ${shape.join(' × ') || 1} entries in ${length * size} bytes`;
    throw refused(`${problem}: ${promise}, and ${found} follow`);
  }
  const values = new Float64Array(length);
  const view = new DataView(bytes.buffer, bytes.byteOffset + start);
  for (let n = 0; n < length; n++) values[n] = reader(view, n * size, order !== '>');
  return { shape, values: fortranOrder ? transposed(values, shape) : values };
}

/** Writes row-major values of the given shape, in their own type, as `numpy.save` does. */
export function writeNpy(values: NumericValues, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  const descr = DESCRS[tagOf(values) ?? ''];
  if (descr === undefined) throw refused('must be an array of floats or of integers', 'values');
  if (shape.reduce((product, size) => product * size, 1) !== values.length) {
    throw refused(`[${shape.join(', ')}] is not the shape of ${values.length} values`, 'shape');
  }
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${sizes}), }`;
  // The values start at a multiple of 64 bytes, and the header ends in a line feed.
  const headerLength = Math.ceil((PREAMBLE + text.length + 1) / 64) * 64 - PREAMBLE;
  const start = PREAMBLE + headerLength;
  const bytes = new Uint8Array(start + values.byteLength);
  for (let n = 0; n < MAGIC.length; n++) bytes[n] = MAGIC.charCodeAt(n);
  bytes[6] = 1;
  new DataView(bytes.buffer).setUint16(8, headerLength, true);
  bytes.set(new TextEncoder().encode(`${text.padEnd(headerLength - 1)}\n`), PREAMBLE);
  // Every machine that runs JavaScript today is little-endian, as the header says.
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), start);
  return bytes;
}

interface Header {
  descr: string;
  fortranOrder: boolean;
  shape: number[];
  /** Byte offset of the array. */
  start: number;
}

function headerOf(bytes: Uint8Array): Header {
  if (!startsWith(bytes, MAGIC)) {
    throw refused('is not a NumPy .npy file: it does not begin with \\x93NUMPY');
  }
  const version = bytes[6] ?? 1;
  if (version < 1 || version > 3) {
    throw refused(`has .npy format version ${version}; 1 to 3 are known`);
  }
  const preamble = version === 1 ? PREAMBLE : PREAMBLE + 2;
  if (bytes.length < preamble) throw refused('is cut off inside its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const length = version === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  if (bytes.length < preamble + length) throw refused('is cut off inside its header');
  if (length > MAX_HEADER) throw refused(NOT_NUMPYS);
  const text = new TextDecoder('latin1').decode(bytes.subarray(preamble, preamble + length));
  return { ...parseHeader(text), start: preamble + length };
}

/** Parses the few Python literals that occur. */
function parseHeader(text: string): Omit<Header, 'start'> {
  const body = /^\s*\{(.*?)\}\s*$/s.exec(text)?.[1];
  if (body === undefined) throw refused(NOT_NUMPYS);
  if (/(['"])descr\1\s*:\s*\[/.test(body)) {
    throw refused('is a structured array; save a plain one');
  }
  const field =
    /\s*(['"])(descr|fortran_order|shape)\1\s*:\s*(?:(['"])([^'"]*)\3|(True|False)|\(([\d\s,]*)\))\s*(?:,|$)/y;
  let descr: string | undefined;
  let fortranOrder: boolean | undefined;
  let shape: number[] | undefined;
  let end = 0;
  for (let match = field.exec(body); match; match = field.exec(body)) {
    end = field.lastIndex;
    const [, , name, , string, boolean, tuple] = match;
    if (name === 'descr') descr = string;
    else if (name === 'fortran_order')
      fortranOrder = boolean === undefined ? undefined : boolean === 'True';
    else shape = tuple?.split(',').flatMap((part) => (part.trim() === '' ? [] : [Number(part)]));
  }
  const isWhole = body.slice(end).trim() === '';
  const isKnown = descr !== undefined && fortranOrder !== undefined && shape !== undefined;
  if (!isWhole || !isKnown) throw refused(NOT_NUMPYS);
  return { descr, fortranOrder, shape } as Omit<Header, 'start'>;
}

/** Converts values in which the first index runs fastest to row-major order. */
function transposed(values: Float64Array, shape: readonly number[]): Float64Array {
  const result = new Float64Array(values.length);
  const index = shape.map(() => 0);
  for (let at = 0; at < values.length; at++) {
    let from = 0;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from = from * (shape[axis] as number) + (index[axis] as number);
    }
    result[at] = values[from] as number;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = (index[axis] as number) + 1;
      if ((index[axis] as number) < (shape[axis] as number)) break;
      index[axis] = 0;
    }
  }
  return result;
}

function exact(value: bigint): number {
  const number = Number(value);
  if (BigInt(number) === value) return number;
  throw refused(`has the integer ${value}, which no float64 is equal to; save floats`);
}
