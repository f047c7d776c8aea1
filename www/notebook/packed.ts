/** Specs in JSON: an array of numbers is `{ dtype, base64 }`, as `src/python/unnorm/notebook.py` reads it. */

/** Names of NumPy. */
const DTYPES: Record<string, string> = {
  Int8Array: 'int8',
  Uint8Array: 'uint8',
  Uint8ClampedArray: 'uint8',
  Int16Array: 'int16',
  Uint16Array: 'uint16',
  Int32Array: 'int32',
  Uint32Array: 'uint32',
  Float32Array: 'float32',
  Float64Array: 'float64',
};

/** A value with all its typed arrays packed. */
export function packed(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { dtype: DTYPES[value.constructor.name], base64: base64Of(bytes) };
  }
  if (Array.isArray(value)) return value.map(packed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, packed(part)]));
}

function base64Of(bytes: Uint8Array): string {
  let binary = '';
  // In parts, because engines limit the number of arguments of a call.
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(binary);
}
