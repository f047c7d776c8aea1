/** Faults at random moments, some of the many that `npm run chaos` has: see `tests/chaos/chaos.mjs`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chaos } from '../chaos/chaos.mjs';

const numFaults = Number(process.env.UNNORM_CHAOS_FAULTS ?? 60);

test(`${numFaults} faults: every promise settles, every result is right, no worker is left`, async (t) => {
  const outcome = await chaos({ numFaults, seed: 20 });
  t.diagnostic(JSON.stringify(outcome));
  assert.deepEqual(outcome.wrong, []);
  assert.deepEqual(outcome.uncaught, []);
  assert.equal(outcome.numLeft, 0);
  const numInjected = Object.values(outcome.faults).reduce((sum, count) => sum + count, 0);
  assert.equal(numInjected, numFaults);
  // The jobs after the faults are all there is at the least.
  assert.ok(outcome.outcomes.done > outcome.numDigests);
});
