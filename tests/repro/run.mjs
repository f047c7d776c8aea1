// Reruns one experiment of the papers and prints the paper's figures beside ours.
//
//   npm run -s repro                                 lists the reproductions
//   npm run -s repro -- NAME [--quick] [--seed N] [--json]
//
// With --json standard output is exactly one object,
//   { name, quick, seed, seconds, digest, rows: [{ label, measured, paper }], checks: [{ claim, holds }] }
// and everything else goes to standard error. A check is a claim of the paper
// in words, tested on these numbers; one that fails makes the exit status 1.
// Pictures go to out/.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as dbn from './dbn.mjs';
import { describeReport, runExperiment, shipped } from './experiments.mjs';
import * as ica from './ica.mjs';
import * as imageModels from './image-models.mjs';
import * as ising40 from './ising-40.mjs';
import * as rbmPaths from './rbm-paths.mjs';

// Those that the package has along, and those that need more data than it should carry.
const reproductions = [...shipped, ising40, dbn, ica, rbmPaths, imageModels];

const fail = (sentence) => {
  console.error(sentence);
  process.exit(2);
};

const options = {
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
};
let args;
try {
  args = parseArgs({ options, allowPositionals: true });
} catch (error) {
  fail(`${error.message}. Usage: npm run -s repro -- NAME [--quick] [--seed N] [--json]`);
}
const { values, positionals } = args;

if (positionals.length === 0) {
  for (const { name, about } of reproductions) console.log(`${name.padEnd(18)} ${about}`);
  process.exit(0);
}
const chosen = reproductions.find(({ name }) => name === positionals[0]);
if (!chosen || positionals.length > 1) {
  fail(
    `"${positionals.join(' ')}" is not a reproduction; choose one of: ${reproductions.map(({ name }) => name).join(', ')}.`,
  );
}
const seed = Number(values.seed);
if (!Number.isSafeInteger(seed) || seed < 0) {
  fail(`--seed ${values.seed}: give a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
}

// The build may have much to say; standard output is for the report.
const build = fileURLToPath(new URL('../../src/tools/build.mjs', import.meta.url));
if (spawnSync(process.execPath, [build, '--no-site'], { stdio: ['ignore', 2, 2] }).status !== 0)
  process.exit(1);
const unnorm = await import('../../dist/node.js');
const engine = await unnorm.createEngine();
const report = await runExperiment(chosen, {
  unnorm,
  engine,
  quick: values.quick,
  seed,
  out: new URL('../../out/', import.meta.url),
  log: console.error,
});
await engine.close();

process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : describeReport(chosen, report));
process.exitCode = report.checks.every(({ holds }) => holds) ? 0 : 1;
