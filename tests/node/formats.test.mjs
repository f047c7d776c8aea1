/** Files of arrays: what is written is read back, and what is damaged is refused in a sentence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { npy, packed, uniforms } from './data.mjs';
import { formats, UnnormError } from './package.mjs';

const {
  packBits,
  readCsv,
  readJson,
  readNpy,
  readNpz,
  unpackBits,
  writeCsv,
  writeJson,
  writeNpy,
  writeNpz,
} = formats;

const text = (string) => new TextEncoder().encode(string);
const NUM_TRIALS = 200;

/** A source of random choices. */
function chooser(seed) {
  const uniform = uniforms(seed);
  const below = (n) => Math.floor(uniform.next().value * n);
  const pick = (items) => items[below(items.length)];
  /** Any float64, also those that are rare: by random bits. */
  const float = () => {
    const special = [0, -0, 1, -1, Infinity, -Infinity, NaN, Number.MIN_VALUE, Number.MAX_VALUE];
    if (below(4) === 0) return pick(special);
    const words = Uint32Array.of(below(2 ** 31) * 2 + below(2), below(2 ** 31) * 2 + below(2));
    return new Float64Array(words.buffer)[0];
  };
  return { below, pick, float };
}

const TYPES = [
  Float64Array,
  Float32Array,
  Int32Array,
  Int16Array,
  Int8Array,
  Uint32Array,
  Uint16Array,
  Uint8Array,
];

/** A random array of a random type and shape. */
function randomArray({ below, pick, float }) {
  const shape = Array.from({ length: 1 + below(3) }, () => 1 + below(6));
  const length = shape.reduce((a, b) => a * b, 1);
  return { shape, values: pick(TYPES).from({ length }, float) };
}

/** Bit for bit, but one NaN is as good as another. */
function assertSame(actual, expected, message) {
  assert.equal(actual.length, expected.length, message);
  for (let n = 0; n < expected.length; n++) {
    if (!Object.is(actual[n], Number(expected[n]))) assert.fail(`${message}: [${n}] ${actual[n]}`);
  }
}

/** Runs `read` on damaged bytes: a sentence, or, where the damage is in the numbers, a result. */
async function outcome(read, bytes) {
  try {
    await read(bytes);
    return 'read';
  } catch (error) {
    assert.ok(error instanceof UnnormError, `${error.stack}`);
    assert.equal(error.code, 'invalid-data');
    assert.match(error.message, /^bytes: .{10}/);
    return 'refused';
  }
}

test('arrays of any type and shape come back from NPY and NPZ', async () => {
  const chance = chooser(11);
  for (let trial = 0; trial < NUM_TRIALS; trial++) {
    const arrays = new Map();
    const numArrays = 1 + chance.below(3);
    for (let n = 0; n < numArrays; n++) arrays.set(`array.${n}é`, randomArray(chance));
    const others = new Map([['unnorm.json', text('{"a":1}')]]);
    const read = await readNpz(writeNpz(arrays, others));
    assert.deepEqual([...read.keys()], [...arrays.keys()]);
    for (const [name, { shape, values }] of arrays) {
      assert.deepEqual(read.get(name).shape, shape);
      assertSame(read.get(name).values, values, name);
      assert.deepEqual(readNpy(writeNpy(values, shape)), read.get(name));
    }
  }
});

test('tables come back from CSV, whatever the separator and the line ends', () => {
  const chance = chooser(12);
  for (let trial = 0; trial < NUM_TRIALS; trial++) {
    const dim = 1 + chance.below(5);
    const numRows = 1 + chance.below(8);
    const values = Float64Array.from({ length: numRows * dim }, chance.float);
    const own = writeCsv(values, dim);
    const separator = dim > 1 ? chance.pick([',', ';', '\t', ' ']) : ',';
    const end = chance.pick(['\n', '\r\n', '\r']);
    const head = chance.pick(['', `${Array(dim).fill('x').join(separator)}${end}`, end]);
    const quote = chance.pick(['', '"']);
    const rows = new TextDecoder().decode(own).trimEnd().split('\n');
    const lines = rows.map((row) =>
      row
        .split(',')
        .map((entry) => `${quote}${entry}${quote}`)
        .join(separator),
    );
    const other = text(`${chance.pick(['', '\ufeff'])}${head}${lines.join(end)}`);
    for (const bytes of [own, other]) {
      const read = readCsv(bytes);
      assert.deepEqual(read.shape, [numRows, dim], `trial ${trial}`);
      assertSame(read.values, values, `trial ${trial}`);
    }
  }
});

test('JSON of results is JSON, and its finite numbers come back', () => {
  const chance = chooser(13);
  for (let trial = 0; trial < NUM_TRIALS; trial++) {
    const values = Float64Array.from({ length: chance.below(10_000) }, chance.float);
    const value = { a: [1, { values }], 'é"\n': [null, true, 'x'], missing: undefined };
    const read = JSON.parse(new TextDecoder().decode(writeJson(value)));
    assert.deepEqual(Object.keys(read), ['a', 'é"\n']);
    const back = read.a[1].values.map((entry) => (entry === null ? NaN : Number(entry)));
    assertSame(back, values, `trial ${trial}`);
    assert.deepEqual(readJson(writeJson(value)), read);
  }
});

test('bits are packed as the engine packs them', () => {
  const chance = chooser(14);
  for (let trial = 0; trial < NUM_TRIALS; trial++) {
    const dim = 1 + chance.below(20);
    const values = Uint8Array.from({ length: dim * chance.below(9) }, () => chance.below(2));
    const rows = packBits(values, dim);
    assert.deepEqual(rows, packed(values, dim));
    assert.deepEqual(unpackBits(rows), values);
  }
  for (const [values, dim] of [
    [[0, 2], 2],
    [[0, 1, 1], 2],
    [[0, 1], 0],
    [[0.5], 1],
  ]) {
    assert.throws(() => packBits(values, dim), { code: 'invalid-data' });
  }
});

test('NPY files of other makers: byte orders, Fortran order, versions, wide integers', () => {
  const npyOf = (descr, order, shape, bytes, version = 1) => {
    const head = `{"shape": ${shape}, 'descr': '${descr}', 'fortran_order': ${order}}`;
    const padded = `${head.padEnd(117)}\n`;
    const size = version === 1 ? [118, 0] : [118, 0, 0, 0];
    const magic = Buffer.from('\x93NUMPY', 'latin1');
    return Buffer.concat([magic, Uint8Array.of(version, 0, ...size), text(padded), bytes]);
  };
  const big = Buffer.alloc(16);
  big.writeDoubleBE(1.5, 0);
  big.writeDoubleBE(-2, 8);
  assert.deepEqual([...readNpy(npyOf('>f8', 'False', '(2,)', big)).values], [1.5, -2]);
  // [[[0, 1], [2, 3], [4, 5]]] with the first index running fastest.
  const fortran = readNpy(npyOf('|u1', 'True', '(1, 3, 2)', Uint8Array.of(0, 2, 4, 1, 3, 5), 2));
  assert.deepEqual(fortran.shape, [1, 3, 2]);
  assert.deepEqual([...fortran.values], [0, 1, 2, 3, 4, 5]);
  const wide = Buffer.alloc(8);
  wide.writeBigInt64LE(-(2n ** 53n));
  assert.deepEqual([...readNpy(npyOf('<i8', 'False', '()', wide, 3)).values], [-(2 ** 53)]);
  wide.writeBigInt64LE(2n ** 53n + 1n);
  assert.throws(() => readNpy(npyOf('<i8', 'False', '()', wide)), /9007199254740993/);
});

test('a damaged NPY or NPZ is refused in a sentence, and never read as something else', async () => {
  const chance = chooser(15);
  const values = Float64Array.from({ length: 12 }, (_, n) => n / 7);
  const single = writeNpy(values, [3, 4]);
  const archive = writeNpz(new Map([['a', { values, shape: [3, 4] }]]));
  // Cut off anywhere.
  for (let length = 0; length < single.length; length++) {
    assert.equal(await outcome(readNpy, single.slice(0, length)), 'refused', `NPY of ${length}`);
  }
  for (let length = 0; length < archive.length; length++) {
    assert.equal(await outcome(readNpz, archive.slice(0, length)), 'refused', `NPZ of ${length}`);
  }
  // A bit turned round anywhere. In an archive the checksum finds what is turned in the array.
  for (let at = 0; at < archive.length; at++) {
    const flipped = archive.slice();
    flipped[at] ^= 1 << chance.below(8);
    if ((await outcome(readNpz, flipped)) !== 'read') continue;
    for (const [name, array] of await readNpz(flipped)) {
      assert.deepEqual(array.values, values, `bit in byte ${at}, array ${name}`);
    }
  }
  for (let at = 0; at < 128; at++) {
    const flipped = single.slice();
    flipped[at] ^= 1 << chance.below(8);
    if ((await outcome(readNpy, flipped)) !== 'read') continue;
    assert.equal(readNpy(flipped).values.length, 12, `bit in byte ${at}`);
  }
});

/** An archive with one deflated member. */
function deflated(content, { claimed = content.length, method = 8, flags = 0 } = {}) {
  const stored = Buffer.from(writeNpz(new Map(), new Map([['a.npy', content]])));
  const crc = stored.readUInt32LE(14);
  const bytes = deflateRawSync(content);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(5, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(flags, 8);
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(crc, 16);
  entry.writeUInt32LE(bytes.length, 20);
  entry.writeUInt32LE(claimed, 24);
  entry.writeUInt16LE(5, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(51, 12);
  end.writeUInt32LE(35 + bytes.length, 16);
  return Buffer.concat([head, Buffer.from('a.npy'), bytes, entry, Buffer.from('a.npy'), end]);
}

test('compressed archives are read; what they claim bounds what is unpacked', async () => {
  const values = new Float64Array(20_000);
  const content = writeNpy(values, [values.length]);
  assert.deepEqual((await readNpz(deflated(content))).get('a').values, values);
  assert.deepEqual((await readNpz(Buffer.from(deflated(content)))).get('a').shape, [20_000]);
  const bad = {
    'more than it claims': deflated(content, { claimed: 1000 }),
    'less than it claims': deflated(content, { claimed: content.length + 8 }),
    'two gigabytes, it claims': deflated(content, { claimed: 2 ** 31 }),
    'another method': deflated(content, { method: 14 }),
    'a password': deflated(content, { flags: 1 }),
    'no archive': text('PK'),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    assert.equal(await outcome(readNpz, bytes), 'refused', name);
  }
  await assert.rejects(readNpz(bad['two gigabytes, it claims']), /unpacks to 2147483648 bytes/);
});

test('CSV and JSON that are not what they should be', async () => {
  const csvs = {
    'an empty file': '',
    'only names': 'a,b\n',
    'a ragged row': '1,2\n3\n',
    'a word': '1,2\n3,four\n',
    'an empty entry': '1,,2\n',
    'hexadecimal digits': '0x10,1\n',
    'a NUL': '1,2\0\n',
  };
  for (const [name, csv] of Object.entries(csvs)) {
    assert.equal(await outcome(readCsv, text(csv)), 'refused', name);
  }
  assert.throws(() => readCsv(text('a,b\n1,2\n\n3,four')), /line 4, column 2 is 'four'/);
  for (const bytes of [npy(Uint8Array.of(1), 1), text('PK\x03\x04'), Uint8Array.of(255, 254, 49)]) {
    assert.equal(await outcome(readCsv, bytes), 'refused');
    assert.equal(await outcome(readJson, bytes), 'refused');
  }
  const jsons = {
    nothing: '',
    'half of it': '{"a": [1, 2',
    'a prototype': '{"a": [{"__proto__": {"polluted": 1}}]}',
    'a prototype in disguise': '{"\\u005f_proto__": {"polluted": 1}}',
  };
  for (const [name, json] of Object.entries(jsons)) {
    assert.equal(await outcome(readJson, text(json)), 'refused', name);
  }
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  assert.ok(Array.isArray(readJson(text(deep))));
});

test('what a file only claims is refused before memory is asked for', async () => {
  const zeros = new Uint8Array(1000);
  const bomb = deflated(writeNpy(zeros, [1000]), { claimed: 2 ** 30 });
  await assert.rejects(readNpz(bomb), /claims 1073741824 bytes, more than \d+ can hold/);
  const header = (shape) => {
    const bytes = writeNpy(zeros, [1000]);
    const text = `{'descr': '|u1', 'fortran_order': True, 'shape': (${shape}), }`;
    const head = new Uint8Array(10 + text.length);
    head.set(bytes.subarray(0, 10));
    new DataView(head.buffer).setUint16(8, text.length, true);
    head.set(new TextEncoder().encode(text), 10);
    return Buffer.concat([head, zeros]);
  };
  assert.equal(readNpy(header('1,'.repeat(63) + 1000)).values.length, 1000);
  assert.throws(() => readNpy(header('1,'.repeat(64) + 1000)), /has 65 dimensions/);
  assert.throws(() => unpackBits({ dim: 2 ** 40, numRows: 8, bits: zeros }), { field: 'bits' });
  assert.throws(() => unpackBits({ dim: 0.5, numRows: 8, bits: zeros }), { field: 'dim' });
  assert.throws(() => readCsv(text(','.repeat(2 ** 20))), /more than 1048576 columns/);
});
