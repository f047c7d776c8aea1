// The same bits everywhere: every job of tests/golden, with three seeds each, in every environment.
//
//   npm run matrix [-- --environments native,node,chromium,firefox,webkit,aarch64,wasmtime] [--only NAME] [--seeds 3]
//
// Environments are natively, alone, for processors with AVX2 and with 1, 2 and 4 threads; in Node with 1, 2 and 4 workers; in
// Chromium, there also with a graphics processor in software, and, where they are installed, Firefox, and WebKit without threads, with as many; on an emulated 64-bit ARM natively,
// and in Node with 1 and 2 workers; and in wasmtime, without JavaScript. Workers share out every round that has more than one shard,
// long or short; the column `helped` counts how often one did a part of a job of another. --only takes the jobs whose
// names begin so. Writes out/matrix.json; the exit status is 1 if any two digests differ, which are then named.

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { emulatorOf } from '../../src/tools/aarch64.mjs';
import { avx2, hasAvx2 } from '../../src/tools/avx2.mjs';
import { build } from '../../src/tools/build.mjs';
import { Failure, main, output, root, say } from '../../src/tools/run.mjs';
import { describeDifference, differencesOf, tableOf } from './compare.mjs';
import { inChromium, inNode, inOther, natively, otherBrowsers, pathOf } from './environments.mjs';
import { jobsOf } from './jobs.mjs';
import { inNodeOnArm, inWasmtime, nativelyOnArm } from './other-machines.mjs';

const COUNTS = [1, 2, 4];
const options = {
  environments: { type: 'string', default: 'native,node,chromium,firefox,webkit,aarch64,wasmtime' },
  only: { type: 'string', default: '' },
  seeds: { type: 'string', default: '3' },
};

/** How each environment is gone through; the version of what it is. */
const makers = {
  async native(collect) {
    await collect(natively(false, 1));
    if (hasAvx2()) await collect(natively(false, 1, { name: 'native AVX2', ...avx2 }));
    for (const count of COUNTS) await collect(natively(true, count));
    return output('rustc', ['--version'])?.trim() ?? null;
  },
  async node(collect) {
    for (const count of COUNTS) await collect(inNode(count));
    return process.versions.node;
  },
  async chromium(collect) {
    const chromium = await inChromium();
    try {
      for (const threads of [false, true]) {
        for (const count of COUNTS) await collect(chromium.environment(threads, count));
      }
      await collect(chromium.device);
    } finally {
      await chromium.close();
    }
    return chromium.version;
  },
  firefox: (collect) => throughOther(otherBrowsers.firefox, collect),
  webkit: (collect) => throughOther(otherBrowsers.webkit, collect),
  async aarch64(collect) {
    const emulator = emulatorOf();
    if (!emulator) return null;
    await collect(nativelyOnArm(emulator));
    // Emulated workers are slow.
    for (const count of [1, 2]) await collect(inNodeOnArm(emulator, count));
    return emulator.version;
  },
  async wasmtime(collect) {
    const { version, environment } = await inWasmtime();
    await collect(environment);
    return version;
  },
};

async function throughOther(browser, collect) {
  const path = pathOf(browser);
  if (!path) {
    say(`${browser.name} is not installed (${browser.advice}): going on without it.`);
    return null;
  }
  for (const threads of browser.threads) {
    for (const count of COUNTS) await collect(inOther(browser, threads, count));
  }
  return output(path, ['--version'])?.trim() ?? null;
}

function valuesOf(args) {
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new Failure(
      `${error.message}. Usage: npm run matrix [-- --environments NAME,...] [--only NAME] [--seeds N]`,
    );
  }
  const environments = values.environments.split(',');
  const unknown = environments.filter((name) => !(name in makers));
  if (unknown.length > 0) {
    const known = Object.keys(makers).join(', ');
    throw new Failure(`--environments ${unknown.join(',')}: choose among ${known}.`);
  }
  const seeds = Number(values.seeds);
  if (!(Number.isInteger(seeds) && seeds >= 1)) {
    throw new Failure(`--seeds ${values.seeds}: give a whole number from 1 on.`);
  }
  return { environments, only: values.only, seeds };
}

await main(import.meta.url, async (args) => {
  const { environments, only, seeds } = valuesOf(args);
  await build({ site: false });
  const numbers = Array.from({ length: seeds }, (_, number) => number);
  const jobs = jobsOf(numbers).filter(({ name }) => name.startsWith(only));
  if (jobs.length === 0) throw new Failure(`--only ${only}: no job has a name that begins so.`);
  const results = [];
  const collect = async (environment) => {
    say(`${environment.name}: ${jobs.length} jobs.`);
    const start = performance.now();
    const { digests, numHelpers } = await environment.digests(jobs);
    const seconds = (performance.now() - start) / 1000;
    results.push({ name: environment.name, digests, numHelpers, seconds });
  };
  const versions = {};
  for (const name of environments) versions[name] = await makers[name](collect);

  const differences = differencesOf(jobs, results);
  const file = join(root, 'out/matrix.json');
  mkdirSync(join(root, 'out'), { recursive: true });
  const machine = { processor: cpus()[0]?.model, cores: cpus().length, system: release() };
  const report = {
    machine,
    versions,
    environments: results.map(({ name, numHelpers, seconds }) => ({ name, numHelpers, seconds })),
    jobs: jobs.map(({ name, seed }, at) => ({
      name,
      seed,
      // One where all agree.
      digests: [...new Set(results.map(({ digests }) => digests[at]))],
    })),
    differences,
  };
  writeFileSync(file, `${JSON.stringify(report, null, 1)}\n`);
  console.log(`\n${tableOf(jobs, results)}\n`);
  if (differences.length > 0) {
    console.log(`${differences.map(describeDifference).join('\n')}\n`);
    throw new Failure(`${differences.length} of ${jobs.length} jobs differ; see ${file}.`);
  }
  const words = `${jobs.length} jobs, each with one digest in ${results.length} environments`;
  console.log(`${words}: ${file}`);
});
