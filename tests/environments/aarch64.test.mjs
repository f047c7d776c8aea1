/** The bits of 64-bit ARM, which QEMU imitates: a job of each verb by the package in Node for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorOf } from '../../src/tools/aarch64.mjs';
import { goldens, jobsOf } from '../matrix/jobs.mjs';
import { inNodeOnArm } from '../matrix/other-machines.mjs';

const emulator = emulatorOf();

test('a job of each verb has its golden digest', { skip: !emulator }, () => {
  const first = new Map(
    goldens()
      .map((golden) => [golden.spec.verb, golden])
      .reverse(),
  );
  assert.ok(first.size >= 15, [...first.keys()].join(', '));
  const jobs = jobsOf([0], [...first.values()]);
  const { digests, numHelpers } = inNodeOnArm(emulator, 2).digests(jobs);
  for (const [at, { name, digest }] of jobs.entries()) assert.equal(digests[at], digest, name);
  assert.ok(numHelpers > 0, 'rounds are shared out');
});
