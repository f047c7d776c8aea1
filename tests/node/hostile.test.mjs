/**
 * Files, specs and links by strangers, at random: read, or refused by a typed error, and nothing else. `HOSTILE_RUNS`
 * is how many of each are tried, 300 if it is not set; seeds are fixed.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createEngine, formats, UnnormError } from './package.mjs';

const numRuns = Number(process.env.HOSTILE_RUNS ?? 300);
const options = { numRuns, seed: 1 };
const { readCsv, readJson, readNpy, readNpz, writeCsv, writeJson, writeNpy, writeNpz } = formats;

/** Runs a reader: what it throws is typed and names a field. */
async function read(reader, bytes) {
  try {
    return await reader(bytes);
  } catch (error) {
    assert.ok(error instanceof UnnormError, `${error.stack}`);
    assert.equal(error.code, 'invalid-data');
    assert.ok(error.message.startsWith(`${error.field}: `), error.message);
    return undefined;
  }
}

const sound = {
  npy: [readNpy, writeNpy(Float64Array.of(1, 2, 3, 4, 5, 6), [2, 3])],
  npz: [readNpz, writeNpz(new Map([['a', { shape: [2], values: Uint8Array.of(1, 2) }]]))],
  csv: [readCsv, writeCsv(Float64Array.of(1, 2.5, -3, 4), 2)],
  json: [readJson, writeJson({ a: [1, 'x', { b: null }] })],
};

/** Places to write bytes at, in a file that is sound, and where to cut it. */
const damage = fc.record({
  writes: fc.array(fc.tuple(fc.nat(2000), fc.nat(255)), { maxLength: 8 }),
  cut: fc.nat(2000),
  tail: fc.uint8Array({ maxLength: 40 }),
});

for (const [name, [reader, file]] of Object.entries(sound)) {
  test(`${name}: any bytes, and a file with any damage`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        await read(reader, bytes);
      }),
      options,
    );
    await fc.assert(
      fc.asyncProperty(damage, async ({ writes, cut, tail }) => {
        const copy = Buffer.concat([file.slice(0, Math.max(cut % (2 * file.length), 1)), tail]);
        for (const [at, byte] of writes) copy[at % copy.length] = byte;
        await read(reader, copy);
      }),
      options,
    );
  });
}

test('JSON comes back as it went, and has no way to a prototype', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      if (JSON.stringify(value).includes('"__proto__":')) return;
      assert.deepEqual(readJson(bytes), JSON.parse(JSON.stringify(value)));
    }),
    options,
  );
  for (const json of ['{"__proto__":{"x":1}}', '[{"a":{"__proto__":1}}]']) {
    assert.throws(() => readJson(new TextEncoder().encode(json)), { code: 'invalid-data' });
  }
});

const engine = await createEngine({ numWorkers: 1 });
after(() => engine.close());
const verbs = [
  'fit',
  'sample',
  'logZ',
  'spline',
  'exact',
  'energies',
  'memorize',
  'recall',
  'patches',
  'evidence',
  'chain',
  'mode',
  'network',
  'kernels',
  'structure',
];
const names = [
  'model',
  'data',
  'kind',
  'dim',
  'seed',
  'transition',
  '__proto__',
  'constructor',
  'toString',
];
const anything = fc.anything({
  key: fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 5 })),
  withBigInt: true,
  withDate: true,
  withMap: true,
  withTypedArray: true,
  withNullPrototype: true,
  maxDepth: 3,
});

test('a spec of anything is refused by a typed error that names a field; the engine goes on', async () => {
  const good = { model: { kind: 'ising', dim: 2, params: [0.5, 1, -1] } };
  const { digest } = await engine.exact(good);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...verbs), anything, async (verb, spec) => {
      const error = await Promise.resolve()
        .then(() => engine[verb](spec))
        .then(
          () => assert.fail('it was accepted'),
          (reason) => reason,
        );
      assert.ok(error instanceof UnnormError, `${error?.stack}`);
      assert.equal(typeof error.field, 'string', error.message);
    }),
    options,
  );
  assert.equal((await engine.exact(good)).digest, digest);
  assert.equal({}.polluted, undefined);
  for (const json of [
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ]) {
    await assert.rejects(
      async () => engine.exact({ ...good, extra: JSON.parse(json) }),
      UnnormError,
    );
    await assert.rejects(async () => engine.exact(JSON.parse(json)), UnnormError);
    assert.equal({}.polluted, undefined);
  }
});
