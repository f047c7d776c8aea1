/**
 * Where jobs are run: each environment is `{ name, digests(jobs) }`, of which the latter gives
 * `{ digests, numHelpers }`; `numHelpers` is null where nothing counts them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { chromiumFlags, chromiumPath } from '../../src/tools/chromium.mjs';
import { Failure, root, run } from '../../src/tools/run.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { openEmptyPage } from '../browser/empty-page.mjs';
import { digestsOf } from './digests.mjs';

/** What an engine is made with: threads, or workers that share out all they can. */
const optionsOf = (threads, numWorkers, workerUrl) =>
  threads ? { threads, numWorkers } : { numWorkers, workerUrl };

/** The package in Node, which has no threads. */
export function inNode(numWorkers) {
  const workerUrl = new URL('worker-node.mjs', import.meta.url);
  return {
    name: `Node, ${numWorkers}`,
    async digests(jobs) {
      const { createEngine } = await import('../../dist/node.js');
      return digestsOf(jobs, createEngine, optionsOf(false, numWorkers, workerUrl));
    },
  };
}

/** What a page is asked: to run jobs with the package that the server at its address has. */
const taskOf = (jobs, threads, numWorkers) => ({
  jobs,
  options: optionsOf(threads, numWorkers, '/tests/matrix/worker-web.mjs'),
});

/** Flags for a graphics processor in software, which every machine has. */
export const deviceFlags = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];

/** Serves the repository, with an isolated page to run things in. */
export async function inChromium() {
  const server = await serve(root);
  const args = [...chromiumFlags, ...deviceFlags];
  const browser = await chromium.launch({ executablePath: chromiumPath(), args });
  const page = await browser.newPage();
  await openEmptyPage(page, server);
  return {
    version: browser.version(),
    environment: (threads, numWorkers) => ({
      name: `Chromium${threads ? ' threads' : ''}, ${numWorkers}`,
      digests: (jobs) => page.evaluate(digestsInPage, taskOf(jobs, threads, numWorkers)),
    }),
    /** With a graphics processor for what one can compute. */
    device: {
      name: 'Chromium GPU, 1',
      async digests(jobs) {
        const found = await page.evaluate(digestsInPage, {
          jobs,
          options: { numWorkers: 1, gpu: true },
        });
        if (!found.gpu) throw new Failure('The graphics processor was not used to the end.');
        return found;
      },
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

async function digestsInPage({ jobs, options }) {
  const { digestsOf } = await import('/tests/matrix/digests.mjs');
  const { createEngine } = await import('/dist/index.js');
  return digestsOf(jobs, createEngine, options);
}

/** How long a browser that runs by itself may take for all jobs. */
const PATIENCE_MS = 900_000;

/** Runs what it is asked by itself, for nothing here drives any browser but Chromium. */
const PAGE = `<!doctype html><script type="module">
  const box = new URL(location).searchParams.get('box');
  const task = await (await fetch(box)).json();
  let answer;
  try {
    const { digestsOf } = await import('/tests/matrix/digests.mjs');
    const { createEngine } = await import('/dist/index.js');
    answer = await digestsOf(task.jobs, createEngine, task.options);
  } catch (error) {
    answer = { error: String(error) };
  }
  await fetch(box, { method: 'POST', body: JSON.stringify(answer) });
</script>`;

/** A Firefox that talks to nobody and shows no pages of its own. */
const PREFERENCES = Object.entries({
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
})
  .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${value});\n`)
  .join('');

/** Browsers that are gone without where they are missing: how to get them, what they can, how to start them. */
export const otherBrowsers = {
  firefox: {
    name: 'Firefox',
    threads: [false, true],
    advice: 'on Debian: apt-get install firefox-esr',
    places: [
      process.env.FIREFOX_PATH,
      '/usr/bin/firefox',
      '/usr/bin/firefox-esr',
      '/Applications/Firefox.app/Contents/MacOS/firefox',
      'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
    ],
    args(profile, page) {
      writeFileSync(join(profile, 'user.js'), PREFERENCES);
      return ['--headless', '--no-remote', '--profile', profile, page];
    },
  },
  webkit: {
    name: 'WebKit',
    // WebKitGTK 2.50 calls a page isolated and lets no worker have shared memory.
    threads: [false],
    advice: 'on Debian: apt-get install libwebkit2gtk-4.1-0 xvfb xauth',
    places: [process.env.WEBKIT_PATH, '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'],
    // It knows no life without a screen.
    through: ['xvfb-run', '--auto-servernum'],
    args: (_, page) => ['--private', page],
  },
};

/** Where a browser is, or undefined. */
export function pathOf({ places }) {
  return places.find((path) => path && existsSync(path));
}

/** A new browser, in a new profile, for each list of jobs. */
export function inOther(browser, threads, numWorkers) {
  const { name } = browser;
  return {
    name: `${name}${threads ? ' threads' : ''}, ${numWorkers}`,
    async digests(jobs) {
      const profile = mkdtempSync(join(tmpdir(), 'unnorm-profile-'));
      const { box, answer } = await postBox(JSON.stringify(taskOf(jobs, threads, numWorkers)));
      const server = await serve(root);
      mkdirSync(join(root, 'out/matrix'), { recursive: true });
      writeFileSync(join(root, 'out/matrix/page.html'), PAGE);
      const page = `${server.url}out/matrix/page.html?box=${encodeURIComponent(box.url)}`;
      const command = [...(browser.through ?? []), pathOf(browser), ...browser.args(profile, page)];
      // In a group of its own, which ends with it.
      const child = spawn(command[0], command.slice(1), { stdio: 'ignore', detached: true });
      const ended = once(child, 'exit');
      let timer;
      const impatience = new Promise((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS, { error: `${name} did not answer` });
      });
      const end = ended.then(() => ({ error: `${name} ended` }));
      try {
        const told = await Promise.race([answer, end, impatience]);
        if (told.error) throw new Failure(told.error);
        return told;
      } finally {
        clearTimeout(timer);
        if (child.exitCode === null) process.kill(-child.pid);
        await ended;
        await box.close();
        await server.close();
        rmSync(profile, { recursive: true, force: true });
      }
    },
  };
}

/** A server that hands out a text, and takes one answer. */
async function postBox(text) {
  let answered;
  const answer = new Promise((resolve) => {
    answered = resolve;
  });
  const server = createServer(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (request.method === 'POST') {
      const parts = await request.toArray();
      response.end();
      answered(JSON.parse(Buffer.concat(parts).toString()));
    } else {
      response.end(text);
    }
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    answer,
    box: {
      url: `http://localhost:${server.address().port}/`,
      close: () =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    },
  };
}

/**
 * The crate without WebAssembly, by the test that writes golden digests anew, in a folder of its own; the last argument says how it
 * is compiled, if not for any processor.
 */
export function natively(threads, numThreads, { name = 'native', env, args = [] } = {}) {
  return {
    name: `${name}${threads ? ` threads, ${numThreads}` : ', 1'}`,
    async digests(jobs) {
      const folder = join(root, 'out/matrix/golden');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      const files = jobs.map((_, at) => join(folder, `${String(at).padStart(5, '0')}.json`));
      for (const [at, { spec }] of jobs.entries()) {
        writeFileSync(files[at], JSON.stringify({ spec, digest: '' }, null, 1));
      }
      const features = threads ? ['--features', 'threads'] : [];
      const test = ['--test', 'native', 'golden::digests_are_what_they_were', '--', '--exact'];
      run('cargo', ['test', '--quiet', '--locked', '-p', 'unnorm', ...args, ...features, ...test], {
        env: {
          ...env,
          GOLDEN_FOLDER: folder,
          UPDATE_GOLDEN: '1',
          ...(threads && { RAYON_NUM_THREADS: String(numThreads) }),
        },
        otherwise: 'The native jobs failed (see above).',
      });
      const digests = files.map((file) => JSON.parse(readFileSync(file, 'utf8')).digest);
      return { digests, numHelpers: null };
    },
  };
}
