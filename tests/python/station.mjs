/**
 * Carries jobs on in Node, which gives their digests without a break too, or in Chromium:
 *
 *     node tests/python/station.mjs node|chromium < jobs.json
 *
 * The jobs are `[{ spec, checkpoint }]`, data and checkpoints as base64; a checkpoint of null is the job's beginning. It
 * prints the checkpoints that were reached, and the digests.
 */
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { chromiumFlags, chromiumPath } from '../../src/tools/chromium.mjs';
import { root } from '../../src/tools/run.mjs';
import { isolation, serve } from '../../src/tools/serve.mjs';
import { withBits } from '../matrix/digests.mjs';
import { createEngine } from '../node/package.mjs';
import { carryOn } from './carry-on.mjs';

async function inNode(jobs) {
  const engine = await createEngine({ numWorkers: 2 });
  const reached = { checkpoints: [], digests: [] };
  for (const job of jobs) {
    const { verb, ...rest } = withBits(job.spec);
    reached.checkpoints.push(await carryOn(engine, job));
    reached.digests.push((await engine[verb](rest)).digest);
  }
  await engine.close();
  return reached;
}

async function inChromium(jobs) {
  const server = await serve(root);
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: chromiumFlags });
  try {
    const page = await browser.newPage();
    await page.route('**/empty.html', (route) =>
      route.fulfill({ contentType: 'text/html', headers: isolation, body: '<!doctype html>' }),
    );
    await page.goto(`${server.url}empty.html`);
    const checkpoints = await page.evaluate(async (begun) => {
      const { carryOn } = await import('/tests/python/carry-on.mjs');
      const { createEngine } = await import('/dist/index.js');
      const engine = await createEngine({ numWorkers: 2 });
      const reached = [];
      for (const job of begun) reached.push(await carryOn(engine, job));
      await engine.close();
      return reached;
    }, jobs);
    return { checkpoints };
  } finally {
    await browser.close();
    await server.close();
  }
}

const carried = { node: inNode, chromium: inChromium }[process.argv[2]];
console.log(JSON.stringify(await carried(JSON.parse(readFileSync(0, 'utf8')))));
