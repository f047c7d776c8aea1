// Reruns one experiment of the papers and prints the paper's figures beside ours.
//
//   npm run -s repro                                 lists the reproductions
//   npm run -s repro -- NAME [--quick] [--seed N] [--json]
//   npm run -s repro -- NAME --save                  also keeps the result of the full run (results.mjs)
//   npm run -s repro -- --claims [--json]            every claim with its source and what came of it
//
// With --json standard output is exactly one object,
//   { name, quick, seed, seconds, digest, rows: [{ label, measured, paper }], checks: [{ claim, source, holds }] }
// and everything else goes to standard error. A check is a claim of the paper
// in words, tested on these numbers; one that fails makes the exit status 1.
// Pictures go to out/.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as dbn from './dbn.mjs';
import { describeReport, runExperiment, shipped } from './experiments.mjs';
import * as haisTrained from './hais-trained.mjs';
import * as ica from './ica.mjs';
import * as imageModels from './image-models.mjs';
import * as ising40 from './ising-40.mjs';
import * as rbmPaths from './rbm-paths.mjs';
import { describeLedger, ledger, saveResult } from './results.mjs';

// Those that the package has along, and those that need more data than it should carry.
const reproductions = [...shipped, ising40, dbn, ica, rbmPaths, haisTrained, imageModels];

const fail = (sentence) => {
  console.error(sentence);
  process.exit(2);
};

const options = {
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  save: { type: 'boolean', default: false },
  claims: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
};
let args;
try {
  args = parseArgs({ options, allowPositionals: true });
} catch (error) {
  fail(
    `${error.message}. Usage: npm run -s repro -- NAME [--quick] [--seed N] [--json] [--save], or --claims`,
  );
}
const { values, positionals } = args;

if (values.claims) {
  const all = ledger(reproductions);
  process.stdout.write(values.json ? `${JSON.stringify(all)}\n` : describeLedger(all));
  process.exit(0);
}
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
if (values.save && values.quick) fail('--save keeps the result of a full run; leave out --quick.');
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
const runIt = (quick) =>
  runExperiment(chosen, {
    unnorm,
    engine,
    quick,
    seed,
    out: new URL('../../out/', import.meta.url),
    log: console.error,
  });
// The small run before the full one, whose pictures stay.
const quickDigest = values.save && (await runIt(true)).digest;
const report = await runIt(values.quick);
await engine.close();
if (values.save) saveResult(report, quickDigest);

process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : describeReport(chosen, report));
process.exitCode = report.checks.every(({ holds }) => holds) ? 0 : 1;
