/** A kernel that has become slower takes more instructions, which are counted: no clock is looked at. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changesOf,
  compiler,
  countInstructions,
  keptCounts,
  REMEDY,
} from '../../src/tools/instructions.mjs';

test('golden jobs take the instructions that they took, to three per cent', async (t) => {
  const { compiler: expected, millions } = keptCounts();
  if (compiler() !== expected) {
    return t.skip(`the counts are of ${expected}, and this is ${compiler()}`);
  }
  const changes = changesOf(await countInstructions(), millions);
  assert.deepEqual(changes, [], REMEDY);
});

test('what has changed is said', () => {
  const before = { same: 100, slower: 100, faster: 100, gone: 30 };
  const now = { same: 102.9, slower: 103.1, faster: 50, small: 19, large: 21 };
  assert.deepEqual(changesOf(now, before), [
    'faster takes 0.500 times the instructions: 50.0 million, not 100',
    'gone is no job any more',
    'large has no count yet',
    'slower takes 1.031 times the instructions: 103.1 million, not 100',
  ]);
});
