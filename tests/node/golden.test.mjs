/** The golden digests of `tests/golden`, by the package in Node with one and with two workers. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { withBits } from './data.mjs';
import { createEngine } from './package.mjs';

const folder = new URL('../golden/', import.meta.url);

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
