/** What labs show before their engine is here is what the engine answers to the same questions. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { firstAnswers } from '../../src/tools/first-answers.mjs';
import { createEngine } from './package.mjs';

const www = new URL('../../www/', import.meta.url);

test('every first answer is the one that the engine gives today', async () => {
  const engine = await createEngine({ numWorkers: 1 });
  try {
    const answers = await firstAnswers(engine);
    const kept = readdirSync(www, { recursive: true })
      .map((name) => String(name).replaceAll('\\', '/'))
      .filter((name) => name.endsWith('/first-answers.json'));
    assert.deepEqual([...answers.keys()].sort(), kept.sort());
    for (const [path, text] of answers) {
      assert.ok(text.length > 100, `${path} holds an answer`);
      const isSame = readFileSync(new URL(path, www), 'utf8') === text;
      assert.ok(isSame, `www/${path} is out of date: run node src/tools/first-answers.mjs`);
    }
  } finally {
    await engine.close();
  }
});
