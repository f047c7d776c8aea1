/** The golden digests of `tests/golden`, by the package in Node with one and with two workers. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { withBits } from '../matrix/digests.mjs';
import { goldens, withBase64 } from '../matrix/jobs.mjs';
import { createEngine } from './package.mjs';

for (const numWorkers of [1, 2]) {
  const engine = await createEngine({ numWorkers });
  after(() => engine.close());
  for (const { title, spec, digest } of goldens()) {
    test(`${title}, workers: ${numWorkers}`, async () => {
      const { verb, ...rest } = withBits(withBase64(spec));
      assert.equal((await engine[verb](rest)).digest, digest);
    });
  }
}
