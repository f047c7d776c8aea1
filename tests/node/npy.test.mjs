/** Matrices in NumPy's format, from and to bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { npy } from './data.mjs';
import { readNpy, UnnormError, writeNpy } from './package.mjs';

const values = Float64Array.of(0, -0, 1.5, Infinity, Number.MIN_VALUE, -1e300);

test('what is written is read back, bit for bit', () => {
  for (const shape of [[6], [2, 3], [3, 2, 1], [1, 6]]) {
    assert.deepEqual(readNpy(writeNpy(values, shape)), { shape, values });
  }
});

test('the values are aligned, and the header is as NumPy writes it', () => {
  const bytes = writeNpy(values, [2, 3]);
  const header = new TextDecoder('latin1').decode(bytes.subarray(0, bytes.length - 48));
  assert.equal(header.length % 64, 0);
  assert.match(
    header.slice(10),
    /^\{'descr': '<f8', 'fortran_order': False, 'shape': \(2, 3\), \} *\n$/,
  );
  assert.match(new TextDecoder('latin1').decode(writeNpy(values, [6])), /'shape': \(6,\)/);
});

test('bytes inside a larger buffer are read from where they begin', () => {
  const bytes = writeNpy(values, [6]);
  const larger = new Uint8Array(bytes.length + 3);
  larger.set(bytes, 3);
  assert.deepEqual(readNpy(larger.subarray(3)).values, values);
  assert.deepEqual(readNpy(Buffer.from(bytes)).values, values);
});

test('anything else is refused', () => {
  const bytes = writeNpy(values, [6]);
  const bad = {
    nothing: new Uint8Array(0),
    'the first 8 bytes': bytes.slice(0, 8),
    'half a header': bytes.slice(0, 40),
    'too few values': bytes.slice(0, -1),
    'too many values': Uint8Array.of(...bytes, 0),
    'another format': new TextEncoder().encode('0,1\n1,0\n'),
    'another type': npy(Uint8Array.of(0, 1, 1, 0), 2),
  };
  for (const [name, wrong] of Object.entries(bad)) {
    assert.throws(
      () => readNpy(wrong),
      (error) => error instanceof UnnormError && error.code === 'invalid-data',
      name,
    );
  }
});
