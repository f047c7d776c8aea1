/**
 * The engines of the bench, each a player with `ask(request)`, `memory` and `close()`. One that cannot be had
 * throws a Failure that says why.
 */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { avx2, hasAvx2 } from '../../src/tools/avx2.mjs';
import { chromiumFlags, chromiumPath } from '../../src/tools/chromium.mjs';
import { pythonWith } from '../../src/tools/python.mjs';
import { Failure, output, root } from '../../src/tools/run.mjs';
import { isolation, serve } from '../../src/tools/serve.mjs';
import { createPlayer } from '../../www/bench/player.js';

/** The package as users have it, in the repository. */
const PACKED = 'out/pack/node_modules/unnorm/dist/';

/** One thread, whatever the BLAS. */
const ONE_THREAD = Object.fromEntries(
  ['OPENBLAS', 'OMP', 'MKL', 'VECLIB_MAXIMUM', 'NUMEXPR'].map((name) => [
    `${name}_NUM_THREADS`,
    '1',
  ]),
);

/**
 * How much memory processes have had at most since `forget`: Linux counts it. Null elsewhere.
 * @param pids gives the numbers of the processes
 */
function memoryOf(pids) {
  const each = async (action) => {
    try {
      return await Promise.all((await pids()).map(action));
    } catch {
      return null;
    }
  };
  return {
    forget: () => each((pid) => writeFile(`/proc/${pid}/clear_refs`, '5')),
    /** In MiB, of all together. */
    async peakMiB() {
      const peaks = await each(async (pid) => {
        const status = await readFile(`/proc/${pid}/status`, 'utf8');
        return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)[1]) / 1024;
      });
      return peaks?.reduce((sum, peak) => sum + peak, 0) ?? null;
    },
  };
}

/** A program that answers a line of JSON with a line of JSON. */
function linePlayer(command, args, env) {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const waiting = [];
  const exited = new Promise((resolve) => child.once('close', resolve));
  lines.on('line', (line) => waiting.shift()?.resolve(JSON.parse(line)));
  exited.then((status) => {
    for (const { reject } of waiting) reject(new Failure(`${command} ended with ${status}`));
  });
  return {
    memory: memoryOf(async () => [child.pid]),
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(request)}\n`);
      }),
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}

/** `cargo bench`'s program, compiled now. */
function compiled({ env, args }) {
  const all = ['bench', '--locked', '--bench', 'kernels', '--no-run', ...args];
  const messages = output('cargo', [...all, '--message-format=json-render-diagnostics'], {
    loud: true,
    env,
  });
  const built = messages
    ?.split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .find(({ executable, target }) => executable && target.name === 'kernels');
  if (!built) throw new Failure('cargo could not compile the native bench');
  return built.executable;
}

/** That program, and with two threads another, from the first request for them on. */
async function native({ env, args } = { args: [] }) {
  const start = (features, more) =>
    linePlayer(compiled({ env, args: [...args, ...features] }), ['--bench', '--serve'], more);
  const alone = start([], {});
  let threaded;
  return {
    memory: alone.memory,
    ask(request) {
      if (!request.threads) return alone.ask(request);
      threaded ??= start(['--features', 'threads'], { RAYON_NUM_THREADS: '2' });
      return threaded.ask(request);
    },
    close: () => Promise.all([alone.close(), threaded?.close()]),
  };
}

/** The same for processors with AVX2. */
async function nativeAvx2() {
  if (!hasAvx2()) throw new Failure('the processor does not say that it has AVX2');
  return native(avx2);
}

/** The package in this process. */
export async function node() {
  const dist = pathToFileURL(join(root, PACKED));
  const read = (file) => readFile(join(root, file));
  const { createEngine } = await import(new URL('node.js', dist).href);
  const wasm = await import(new URL('wasm/plain/unnorm.js', dist).href);
  await wasm.default({ module_or_path: await read(`${PACKED}wasm/plain/unnorm_bg.wasm`) });
  const player = createPlayer({ createEngine, wasm, read });
  return { ...player, memory: memoryOf(async () => [process.pid]) };
}

/** The same in a page of headless Chromium. */
async function inChromium() {
  const executablePath = chromiumPath();
  const server = await serve(root);
  const browser = await chromium.launch({ executablePath, args: chromiumFlags });
  const page = await browser.newPage();
  await page.route('**/bench.html', (route) =>
    route.fulfill({ contentType: 'text/html', headers: isolation, body: '<!doctype html>' }),
  );
  await page.goto(`${server.url}bench.html`);
  await page.evaluate(async (packed) => {
    const { createPlayer } = await import('/www/bench/player.js');
    const { createEngine } = await import(`/${packed}index.js`);
    const wasm = await import(`/${packed}wasm/plain/unnorm.js`);
    await wasm.default();
    const read = async (file) => new Uint8Array(await (await fetch(`/${file}`)).arrayBuffer());
    globalThis.player = createPlayer({ createEngine, wasm, read });
  }, PACKED);
  const session = await browser.newBrowserCDPSession();
  const renderers = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
  };
  return {
    memory: memoryOf(renderers),
    version: browser.version(),
    ask: (request) => page.evaluate((asked) => globalThis.player.ask(asked), request),
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** A program of tests/bench/peers, on one thread. */
async function pythonPlayer(packages, [file, ...args]) {
  const script = join(root, 'tests/bench/peers', file);
  const player = linePlayer(pythonWith(packages), [script, ...args], ONE_THREAD);
  return { ...player, version: await player.ask({ kind: 'about' }) };
}

const numpy = () => pythonPlayer(['numpy', 'scipy'], ['play.py']);
/** A library for JAX: a program for HMC, and from the first posterior on one for NUTS. */
async function jaxPlayer(name) {
  const packages = ['jax', name];
  const hmc = await pythonPlayer(packages, ['hmc.py', name]);
  let nuts;
  return {
    ...hmc,
    async ask(request) {
      if (!['posterior', 'energies'].includes(request.kind)) return hmc.ask(request);
      nuts ??= pythonPlayer(packages, ['nuts.py', name]);
      return (await nuts).ask(request);
    },
    async close() {
      await Promise.all([hmc.close(), nuts?.then((player) => player.close())]);
    },
  };
}

const blackjax = () => jaxPlayer('blackjax');
const numpyro = () => jaxPlayer('numpyro');
const nutpie = () => pythonPlayer(['nutpie', 'numba'], ['nuts_numba.py']);

const dwave = () => pythonPlayer(['dwave-samplers', 'numpy'], ['gibbs.py']);
const mcising = () => pythonPlayer(['mcising', 'numpy'], ['lattice.py']);

/** How to make each player, by the names that `--engines` takes. */
export const makers = {
  native: () => native(),
  avx2: nativeAvx2,
  node,
  chromium: inChromium,
  numpy,
  blackjax,
  numpyro,
  nutpie,
  dwave,
  mcising,
};
