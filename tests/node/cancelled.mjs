/** Cancelling by hand: without waiting for the time that an engine gives its workers to answer. */
import assert from 'node:assert/strict';

/**
 * Cancels a job. Gives how long the engine then waits for the worker's answer, in milliseconds, and `pass`, as if that time
 * were over: it passes in no other way, so that without it nothing but the worker's answer ends the job.
 */
export function cancelByHand(handle) {
  const { setTimeout } = globalThis;
  const limits = [];
  globalThis.setTimeout = (pass, milliseconds) => {
    limits.push({ pass, milliseconds });
    return {};
  };
  try {
    handle.cancel();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assert.equal(limits.length, 1);
  const [limit] = limits;
  assert.ok(limit.milliseconds < 100, `the engine waits for ${limit.milliseconds} ms`);
  return limit;
}
