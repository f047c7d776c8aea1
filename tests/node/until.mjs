/** Waiting for what has to happen first. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Only what never happens takes this long: it is no measure of how fast anything has to be. */
const NEVER_MS = 600_000;

/** Waits until `happened` gives something true, and gives it. `what` is said where it never does. */
export async function until(what, happened) {
  const end = performance.now() + NEVER_MS;
  for (;;) {
    const found = await happened();
    if (found) return found;
    assert.ok(performance.now() < end, `it never happened: ${what}`);
    await sleep(5);
  }
}
