/** A short run of `npm run soak`, and what it complains of. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaintsOf, growthOf, soak } from '../soak/soak.mjs';

test('memory and workers do not grow while jobs come, go and are cancelled, and digests are right', async (t) => {
  const report = await soak({ seconds: 24, warmUpSeconds: 10, spellSeconds: 4, seed: 2 });
  t.diagnostic(JSON.stringify(report.counts));
  const { spells } = report;
  t.diagnostic(spells.map(({ bytes, residentBytes }) => `${bytes}/${residentBytes}`).join(' '));
  // The memory of WebAssembly grows by steps of a third, one of which may fall into so short a run.
  assert.deepEqual(complaintsOf(report, { bytes: 0.5, residentBytes: 0.5 }), []);
});

test('what is amiss in a soak is told', () => {
  const spell = (bytes, numWorkers = 2) => ({ bytes, residentBytes: null, numWorkers });
  const counts = { jobs: 9, cancelled: 2, resumed: 1, done: 8 };
  const most = { bytes: 0.05, residentBytes: 0.05 };
  const told = (bytes, rest = {}) =>
    complaintsOf({ wrong: [], counts, spells: bytes.map((each) => spell(each)), ...rest }, most);
  assert.deepEqual(told([100, 101, 99, 140, 100, 104, 103]), []);
  const growing = [100, 101, 99, 110, 120, 130, 128, 130, 131];
  assert.ok(Math.abs(growthOf(growing) - 0.3) < 1e-9);
  assert.deepEqual(told(growing), ['bytes grew by 30.0 %']);
  assert.deepEqual(told([1, 1, 1], { wrong: ['fit-ball: x'] }), ['another digest: fit-ball: x']);
  const fewer = [spell(1), spell(1, 1), spell(1)];
  assert.deepEqual(told([], { spells: fewer }), ['1 workers, not 2']);
  assert.deepEqual(told([1, 1], { counts: { ...counts, resumed: 0 } }), ['resumed: none']);
});
