/** The golden digests of `tests/golden`, by the package in Node with one and with two workers. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { createEngine } from './package.mjs';

const root = new URL('../../', import.meta.url);
const folder = new URL('tests/golden/', root);

/** A spec with the bytes of its data in place of `base64` or `file`. */
function withBits(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { base64, file, ...rest } = value;
  const fields = Object.entries(rest).map(([name, inner]) => [name, withBits(inner)]);
  const spec = Object.fromEntries(fields);
  if (base64 !== undefined) spec.bits = new Uint8Array(Buffer.from(base64, 'base64'));
  if (file !== undefined) spec.bits = new Uint8Array(readFileSync(new URL(file, root)));
  return spec;
}

const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
assert.ok(names.length >= 6, 'files are missing from tests/golden');

for (const numWorkers of [1, 2]) {
  const engine = await createEngine({ numWorkers });
  after(() => engine.close());
  for (const name of names) {
    const { title, spec, digest } = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
    test(`${title}, workers: ${numWorkers}`, async () => {
      const { verb, ...rest } = withBits(spec);
      assert.equal((await engine[verb](rest)).digest, digest);
    });
  }
}
