/** Specs as the widget for notebooks packs them: the twin of `_unpacked` in src/python/unnorm/notebook.py. */
export function specOf(packed) {
  if (Array.isArray(packed)) return packed.map(specOf);
  if (typeof packed !== 'object' || packed === null) return packed;
  const { dtype, base64 } = packed;
  if (base64 === undefined)
    return Object.fromEntries(Object.entries(packed).map(([name, part]) => [name, specOf(part)]));
  const Type = {
    uint8: Uint8Array,
    int8: Int8Array,
    int32: Int32Array,
    uint32: Uint32Array,
    float64: Float64Array,
  }[dtype];
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  return new Type(bytes.buffer);
}
