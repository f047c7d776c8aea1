// Reruns one experiment of the papers and prints the paper's figures beside ours.
//
//   npm run -s repro                                 lists the reproductions
//   npm run -s repro -- NAME [--quick] [--seed N] [--json]
//
// With --json standard output is exactly one object,
//   { name, quick, seed, seconds, digest, rows: [{ label, measured, paper }], checks: [{ claim, holds }] }
// and everything else goes to standard error. A check is a claim of the paper
// in words, tested on these numbers; one that fails makes the exit status 1.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as bounds from './bounds.mjs';
import * as dbn from './dbn.mjs';
import * as fingerprints from './fingerprints.mjs';
import * as haisConvergence from './hais-convergence.mjs';
import * as hmcFlips from './hmc-flips.mjs';
import * as hopfieldCapacity from './hopfield-capacity.mjs';
import * as hopfieldNoisy from './hopfield-noisy.mjs';
import * as hopfieldRecall from './hopfield-recall.mjs';
import * as hopfieldTime from './hopfield-time.mjs';
import * as ica from './ica.mjs';
import * as imageModels from './image-models.mjs';
import * as ising40 from './ising-40.mjs';
import * as naturalGradient from './natural-gradient.mjs';
import * as rbmPaths from './rbm-paths.mjs';
import * as scoreMatching from './score-matching.mjs';
import * as table31 from './table-3.1.mjs';
import * as twoGaussians from './two-gaussians.mjs';

// One file a reproduction, and one line here.
const reproductions = [
  table31,
  ising40,
  dbn,
  naturalGradient,
  hmcFlips,
  ica,
  twoGaussians,
  haisConvergence,
  bounds,
  rbmPaths,
  hopfieldCapacity,
  hopfieldTime,
  hopfieldRecall,
  hopfieldNoisy,
  fingerprints,
  scoreMatching,
  imageModels,
];

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
const started = performance.now();
const { rows, checks, digests } = await chosen.run({
  unnorm,
  engine,
  quick: values.quick,
  seed,
  log: console.error,
});
await engine.close();

const report = {
  name: chosen.name,
  quick: values.quick,
  seed,
  seconds: round((performance.now() - started) / 1000, 4),
  digest: createHash('sha256').update(digests.join('\n')).digest('hex'),
  rows,
  checks,
};
if (values.json) {
  console.log(JSON.stringify(report));
} else {
  console.log(`${chosen.name}: ${chosen.about}`);
  for (const { label, measured, paper } of rows) {
    console.log(`\n${label}`);
    for (const key of new Set([...Object.keys(measured), ...Object.keys(paper)])) {
      console.log(
        `  ${key.padEnd(26)} ${show(measured[key]).padEnd(16)} paper ${show(paper[key])}`,
      );
    }
  }
  console.log();
  for (const { claim, holds } of checks) console.log(`${holds ? 'holds' : 'FAILS'}  ${claim}`);
  console.log(`\n${report.seconds} s, seed ${seed}, digest ${report.digest}`);
}
process.exitCode = checks.every(({ holds }) => holds) ? 0 : 1;

function round(value, digits) {
  return Number(value.toPrecision(digits));
}

function show(value) {
  return value === undefined
    ? '–'
    : typeof value === 'number'
      ? String(round(value, 6))
      : String(value);
}
