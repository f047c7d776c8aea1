/**
 * A part of `npm run matrix`: every job of tests/golden, each with a seed that no digest is written down for, in Node and
 * in Chromium with one worker and with four that share out all they can, and with four threads.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeDifference, differencesOf } from '../matrix/compare.mjs';
import { inChromium, inNode } from '../matrix/environments.mjs';
import { goldens, jobsOf } from '../matrix/jobs.mjs';

let chromium;
before(async () => {
  chromium = await inChromium();
});
after(() => chromium?.close());

test('jobs with other seeds have one digest in Node, in Chromium, with workers and with threads', async (t) => {
  // The second seed of one, the third of the next; and the one that is written down where there is no other.
  const jobs = goldens().flatMap((golden, at) => jobsOf([1 + (at % 2)], [golden]));
  assert.ok(jobs.length > 50, `${jobs.length} jobs`);
  const environments = [
    inNode(1),
    inNode(4),
    chromium.environment(false, 4),
    chromium.environment(true, 4),
  ];
  const results = [];
  for (const environment of environments) {
    const { digests, numHelpers } = await environment.digests(jobs);
    results.push({ name: environment.name, digests, numHelpers });
  }
  const differences = differencesOf(jobs, results);
  assert.ok(differences.length === 0, differences.map(describeDifference).join('\n'));
  for (const { numHelpers } of results.slice(1, 3)) {
    t.diagnostic(`helped ${numHelpers} times`);
    assert.ok(numHelpers > jobs.length / 2, 'most jobs were shared out');
  }
});
