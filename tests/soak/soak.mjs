/**
 * A soak: jobs of every kind, three at once, over one engine in one page of Chromium, for as long as one likes; half of
 * them are cancelled at random, and half of these gone on with from their checkpoints. Between spells of work, with
 * nothing under way and garbage collected, memory and workers are counted.
 */
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { chromiumFlags, chromiumPath } from '../../src/tools/chromium.mjs';
import { packPackage } from '../../src/tools/pack.mjs';
import { root } from '../../src/tools/run.mjs';
import { isolation, serve } from '../../src/tools/serve.mjs';
import { jobsOf } from '../matrix/jobs.mjs';

/** The package as users have it, below the top of the repository. */
const PACKED = '/out/pack/node_modules/unnorm/dist/index.js';
const NUM_WORKERS = 2;

/** Memory is measured when it is asked for, not up to half a minute later. */
const FLAGS = ['--enable-blink-features=ForceEagerMeasureMemory'];

/**
 * @param options `seconds` to work after the warm-up, `warmUpSeconds`, `spellSeconds` between counts, `seed`
 * @param report is told each count
 * @returns `{ counts, wrong, spells }`: how many jobs there were, digests that were wrong, and a line for each spell:
 *   `{ seconds, bytes, residentBytes, numWorkers, jobs }`, of which `residentBytes` is null but on Linux
 */
export async function soak({ seconds, warmUpSeconds, spellSeconds, seed }, report) {
  packPackage();
  const server = await serve(root);
  const args = [...chromiumFlags, ...FLAGS];
  // The shell does not measure memory: its pages share processes.
  const browser = await chromium.launch({ executablePath: chromiumPath({ whole: true }), args });
  try {
    const page = await browser.newPage();
    await page.route('**/empty.html', (route) =>
      route.fulfill({ contentType: 'text/html', headers: isolation, body: '<!doctype html>' }),
    );
    await page.goto(`${server.url}empty.html`);
    await page.evaluate(
      async ({ packed, jobs, options }) => {
        const { createSoak } = await import('/tests/soak/in-page.mjs');
        const { createEngine } = await import(packed);
        globalThis.soak = await createSoak(createEngine, jobs, options);
      },
      { packed: PACKED, jobs: jobsOf([0]), options: { seed, numWorkers: NUM_WORKERS } },
    );
    const session = await browser.newBrowserCDPSession();
    const start = performance.now();
    const since = () => (performance.now() - start) / 1000;
    const spells = [];
    let end = warmUpSeconds;
    await page.evaluate(() => globalThis.soak.warmUp());
    for (let warm = false; ; ) {
      const rest = Math.min(spellSeconds, end - since());
      const work = (milliseconds) => globalThis.soak.spell(milliseconds);
      const { counts, wrong } = await page.evaluate(work, Math.max(rest, 0.1) * 1000);
      const bytes = await page.evaluate(() => globalThis.soak.bytes());
      const residentBytes = await residentBytesOf(session);
      const numWorkers = page.workers().length;
      const spell = { seconds: since(), bytes, residentBytes, numWorkers, jobs: counts.jobs };
      report?.(spell, warm);
      if (warm) spells.push(spell);
      if (since() < end) continue;
      if (warm) return { counts, wrong, spells };
      warm = true;
      end = since() + seconds;
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

/** What the largest renderer has in memory, where Linux tells. */
async function residentBytesOf(session) {
  try {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const renderers = processInfo.filter(({ type }) => type === 'renderer');
    const sizes = renderers.map(({ id }) => {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)[1]) * 1024;
    });
    return Math.max(...sizes);
  } catch {
    return null;
  }
}

/** By how much the median of the last third of some numbers is above that of the first: 0.05 is five percent. */
export function growthOf(values) {
  const third = Math.max(1, Math.floor(values.length / 3));
  const median = (some) => some.toSorted((a, b) => a - b)[Math.floor(some.length / 2)];
  return median(values.slice(-third)) / median(values.slice(0, third)) - 1;
}

/** By how much memory may grow in a long run. */
export const MAX_GROWTH = { bytes: 0.05, residentBytes: 0.05 };

/** What is not as it should be, in words. */
export function complaintsOf({ wrong, spells, counts }, mostGrowth) {
  const complaints = wrong.map((words) => `another digest: ${words}`);
  const odd = spells.filter(({ numWorkers }) => numWorkers !== NUM_WORKERS);
  if (odd.length > 0) complaints.push(`${odd[0].numWorkers} workers, not ${NUM_WORKERS}`);
  for (const [name, most] of Object.entries(mostGrowth)) {
    const values = spells.map((spell) => spell[name]);
    if (values.includes(null)) continue;
    const growth = growthOf(values);
    if (!(growth <= most)) complaints.push(`${name} grew by ${(100 * growth).toFixed(1)} %`);
  }
  for (const [name, count] of Object.entries(counts)) {
    if (count === 0) complaints.push(`${name}: none`);
  }
  return complaints;
}
