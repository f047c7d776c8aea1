/**
 * NumPy's .npz format: a ZIP archive of .npy files.
 */

import { type NumericArray, readNpyWithin, writeNpy } from './npy.js';
import { MAX_ENTRIES } from './refusal.js';
import { readZip, writeZip } from './zip.js';

/**
 * Reads the arrays of an .npz file, compressed or not, by name. Members that are not .npy files are
 * skipped. Rejects with an `UnnormError` of code 'invalid-data', also if all arrays together have
 * more than 2²⁷ entries: few bytes may unpack to many, and a byte becomes a float64.
 */
export async function readNpz(bytes: Uint8Array): Promise<Map<string, NumericArray<Float64Array>>> {
  const arrays = new Map<string, NumericArray<Float64Array>>();
  let room = MAX_ENTRIES;
  for (const [name, content] of await readZip(bytes)) {
    if (!name.endsWith('.npy')) continue;
    const array = readNpyWithin(content, room);
    room -= array.values.length;
    arrays.set(name.slice(0, -4), array);
  }
  return arrays;
}

/**
 * Writes arrays, like `numpy.savez`: the same arrays give the same bytes everywhere. `others` are
 * members that are not arrays, by whole name; NumPy returns them as bytes.
 */
export function writeNpz(
  arrays: ReadonlyMap<string, NumericArray>,
  others: ReadonlyMap<string, Uint8Array> = new Map(),
): Uint8Array<ArrayBuffer> {
  const members = new Map<string, Uint8Array>();
  for (const [name, { values, shape }] of arrays) {
    members.set(`${name}.npy`, writeNpy(values, shape));
  }
  for (const [name, content] of others) members.set(name, content);
  return writeZip(members);
}
