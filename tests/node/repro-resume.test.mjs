/** Reproductions that were stopped go on: an engine that keeps what its jobs came to. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { resuming } from '../repro/resume.mjs';

/** A fake engine that counts the jobs it runs, and `start`, which wraps it to keep results in a new folder. */
function setUp(t) {
  const path = mkdtempSync(join(tmpdir(), 'unnorm-resume-'));
  t.after(() => rmSync(path, { recursive: true }));
  const engine = {
    numWorkers: 3,
    numJobs: 0,
    async fit({ states }) {
      this.numJobs += 1;
      if (states.length === 0) throw new Error('states: there are none.');
      return { digest: `${states.length} states`, values: Float64Array.from(states) };
    },
  };
  const start = (build = 'one build') => resuming(engine, pathToFileURL(`${path}/`), build).engine;
  return { engine, start };
}

test('a job of the same spec and build is not run again', async (t) => {
  const { engine, start } = setUp(t);
  const spec = { model: { kind: 'ising' }, states: new Uint8Array([1, 0, 1]) };
  const first = await start().fit(spec);
  assert.deepEqual(await start().fit(structuredClone(spec)), first);
  assert.equal(engine.numJobs, 1);
  await start().fit({ ...spec, states: new Uint8Array([1, 0, 0]) });
  await start('another build').fit(spec);
  assert.equal(engine.numJobs, 3);
  assert.equal(start().numWorkers, 3);
});

test('what failed, has functions, or tells its progress is run again', async (t) => {
  const { engine, start } = setUp(t);
  const states = [1, 0];
  for (let time = 0; time < 2; time++) {
    await assert.rejects(start().fit({ states: [] }), /there are none/);
    await start().fit({ states, energy: () => 0 });
    await start().fit({ states }, { onProgress: () => {} });
  }
  assert.equal(engine.numJobs, 6);
});
