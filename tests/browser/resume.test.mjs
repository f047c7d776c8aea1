/**
 * Every job of tests/golden comes to its digest though the tab is closed again and again: what comes next goes on from
 * the checkpoints in IndexedDB. More of the same with RESUME_TIMES=20 in the environment.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { root } from '../../src/tools/run.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { jobsOf } from '../matrix/jobs.mjs';
import { uniforms } from '../node/uniforms.mjs';
import { openEmptyPage } from './empty-page.mjs';
import { launchChromium } from './site-under-test.mjs';

const TIMES = Number(process.env.RESUME_TIMES ?? 1);
const uniform = uniforms(2207);
/** A whole number from 1 to `most`. */
const upTo = (most) => 1 + Math.floor(most * uniform.next().value);

let server;
let browser;
before(async () => {
  server = await serve(root);
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/**
 * Runs the jobs in a new tab, until it is closed, as the so-many-th checkpoint has been put away, or to the end.
 * @returns what `run` of `in-page.mjs` gives, or undefined if the tab was closed; and the names of the checkpoints
 */
async function inTab(context, jobs, closeAt) {
  const page = await context.newPage();
  const names = [];
  await page.exposeFunction('kept', (name) => {
    names.push(name);
    if (names.length === closeAt) page.close();
  });
  await openEmptyPage(page, server);
  const running = page.evaluate(async (own) => {
    const { run } = await import('/tests/resume/in-page.mjs');
    const { createEngine } = await import('/dist/index.js');
    return run(createEngine, own, globalThis.kept);
  }, jobs);
  const found = await running.catch((error) => {
    if (page.isClosed()) return undefined;
    throw error;
  });
  if (!page.isClosed()) await page.close();
  return { found, names };
}

test('jobs go on in another tab when theirs is closed', async (t) => {
  const jobs = jobsOf([0]);
  for (let time = 0; time < TIMES; time++) {
    const context = await browser.newContext();
    let numClosed = 0;
    let ended;
    // The later ones may have so little left that they are done before they are closed.
    for (let tab = 0; tab < 3 && !ended; tab++) {
      const first = upTo(jobs.length);
      const rotated = [...jobs.slice(first), ...jobs.slice(0, first)];
      const { found, names } = await inTab(context, rotated, upTo(100));
      ended = found;
      numClosed += found ? 0 : 1;
      const how = found ? 'done' : 'closed';
      t.diagnostic(`${how} after ${names.length} checkpoints, of ${new Set(names).size} jobs`);
    }
    assert.ok(numClosed > 0, 'a tab was closed before its end');
    const { digests, numResumed } = ended ?? (await inTab(context, jobs, Infinity)).found;
    assert.ok(numResumed > 0, 'the last had something to go on from');
    for (const { name, digest } of jobs) assert.equal(digests[name], digest, name);
    await context.close();
  }
});
