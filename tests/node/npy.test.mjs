/** Matrices in NumPy's format, from and to bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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

/** The file with something else in its header, which keeps its length. */
function withHeader(bytes, from, to) {
  const text = new TextDecoder('latin1').decode(bytes.subarray(10, 128));
  assert.ok(text.includes(from));
  const header = text.replace(from, to);
  const spaces = header.length - text.length;
  const padded = spaces > 0 ? header.replace(' '.repeat(spaces), '') : header.padEnd(text.length);
  const copy = bytes.slice();
  copy.set(new TextEncoder().encode(`${padded.slice(0, text.length - 1)}\n`), 10);
  return copy;
}

function changed(bytes, at, byte) {
  const copy = bytes.slice();
  copy[at] = byte;
  return copy;
}

test('anything else is refused', () => {
  const bytes = writeNpy(values, [6]);
  const bad = {
    nothing: new Uint8Array(0),
    'the first 8 bytes': bytes.slice(0, 8),
    'half a header': bytes.slice(0, 40),
    'too few values': bytes.slice(0, -1),
    'too many values': Uint8Array.of(...bytes, 0),
    'another format': new TextEncoder().encode('0,1\n1,0\n'),
    'another type': withHeader(bytes, '<f8', '<c8'),
    'another version': changed(bytes, 6, 9),
    'a structured array': withHeader(bytes, "'<f8'", "[('a', '<f8')]"),
    'another field': withHeader(bytes, 'shape', 'shapo'),
    'a negative size': withHeader(bytes, '(6,)', '(-6,)'),
    'more entries than fit into memory': withHeader(bytes, '(6,)', '(99999999999,)'),
    'sizes whose product is no whole number': withHeader(bytes, '(6,)', '(999999999999999999999,)'),
  };
  for (const [name, wrong] of Object.entries(bad)) {
    assert.throws(
      () => readNpy(wrong),
      (error) => error instanceof UnnormError && error.code === 'invalid-data',
      name,
    );
  }
});

test('what cannot be held is refused by its size, before memory is asked for', () => {
  const huge = withHeader(writeNpy(values, [6]), '(6,)', '(99999999999,)');
  assert.throws(() => readNpy(huge), /at most 134217728/);
});
