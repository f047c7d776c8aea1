// Reruns one experiment of the papers and prints the paper's figures beside ours.
//
//   npm run -s repro                                 lists the reproductions
//   npm run -s repro -- NAME [--quick] [--seed N] [--json]
//   npm run -s repro -- NAME --save                  also keeps the result of the full run (results.mjs)
//   npm run -s repro -- NAME --resume [--save]       goes on where a run of the same build was stopped (resume.mjs)
//   npm run -s repro -- --verify [NAME…] [--quick] [--save]
//                                                    whether runs here have the digests of the kept results
//   npm run -s repro -- --claims [--json]            every claim with its source and what came of it
//
// With --json standard output is exactly one object,
//   { name, quick, seed, seconds, digest, rows: [{ label, measured, paper }], checks: [{ claim, source, holds }] }
// and everything else goes to standard error. A check is a claim of the paper
// in words, tested on these numbers; one that fails makes the exit status 1.
// Pictures go to out/.
//
// --verify runs all if none is named, with the seeds of the kept results. A digest that differs makes the exit
// status 1. With --save the kept results get an entry for this machine where the digests are the same. --arm does all in
// Node on a 64-bit ARM that QEMU imitates, ten times as slowly.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { emulatorOf, nodeOnArm } from '../../src/tools/aarch64.mjs';
import { Failure } from '../../src/tools/run.mjs';
import * as compositionalSampling from './compositional-sampling.mjs';
import * as dbn from './dbn.mjs';
import * as denoising from './denoising.mjs';
import * as haisTrained from './hais-trained.mjs';
import * as ica from './ica.mjs';
import * as imageModels from './image-models.mjs';
import * as imageSizes from './image-sizes.mjs';
import * as ising40 from './ising-40.mjs';
import * as kernelSeries from './kernel-series.mjs';
import * as kernelTable from './kernel-table.mjs';
import * as networks from './networks.mjs';
import * as noises from './noises.mjs';
import { describeReport, runExperiment, shipped } from './packed/experiments.mjs';
import * as potts from './potts.mjs';
import * as ratings from './ratings.mjs';
import * as rbmPaths from './rbm-paths.mjs';
import * as relativeGradient from './relative-gradient.mjs';
import {
  compareDigests,
  describeLedger,
  ledger,
  resultOf,
  saveResult,
  saveVerified,
} from './results.mjs';
import { resuming } from './resume.mjs';
import * as structureReal from './structure-real.mjs';
import * as structureTable from './structure-table.mjs';
import * as tempering from './tempering.mjs';
import * as topics from './topics.mjs';

// Those that the package has along, and those that need more data than it should carry.
const reproductions = [
  ...shipped,
  ising40,
  dbn,
  ica,
  relativeGradient,
  rbmPaths,
  denoising,
  potts,
  ratings,
  tempering,
  topics,
  noises,
  networks,
  haisTrained,
  imageModels,
  imageSizes,
  compositionalSampling,
  kernelTable,
  kernelSeries,
  structureReal,
  structureTable,
];

const WASM = new URL('../../dist/wasm/plain/unnorm_bg.wasm', import.meta.url);

const fail = (sentence) => {
  console.error(sentence);
  process.exit(2);
};

const options = {
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  save: { type: 'boolean', default: false },
  resume: { type: 'boolean', default: false },
  verify: { type: 'boolean', default: false },
  claims: { type: 'boolean', default: false },
  arm: { type: 'boolean', default: false },
  seed: { type: 'string' },
};
let args;
try {
  args = parseArgs({ options, allowPositionals: true });
} catch (error) {
  fail(
    `${error.message}. Usage: npm run -s repro -- NAME [--quick] [--seed N] [--json] [--save] [--resume] [--arm], or --verify [NAME…] [--quick] [--save] [--arm], or --claims`,
  );
}
const { values, positionals } = args;

if (values.arm) {
  process.exitCode = onArm(process.argv.slice(2).filter((arg) => arg !== '--arm'));
} else if (values.claims) {
  const all = ledger(reproductions);
  process.stdout.write(values.json ? `${JSON.stringify(all)}\n` : describeLedger(all));
} else if (values.verify) {
  if (values.json || values.seed !== undefined) {
    fail('--verify prints lines and takes the kept seeds; leave out --json and --seed.');
  }
  await verify(positionals.length > 0 ? positionals.map(named) : reproductions);
} else if (positionals.length === 0) {
  for (const { name, about } of reproductions) console.log(`${name.padEnd(18)} ${about}`);
} else {
  await reproduce(named(positionals.join(' ')));
}

function named(name) {
  const names = reproductions.map((reproduction) => reproduction.name);
  if (!names.includes(name)) {
    fail(`"${name}" is not a reproduction; choose one of: ${names.join(', ')}.`);
  }
  return reproductions[names.indexOf(name)];
}

/** Runs one, prints its report, and keeps it if asked to. */
async function reproduce(chosen) {
  if (values.save && values.quick) {
    fail('--save keeps the result of a full run; leave out --quick.');
  }
  const seed = Number(values.seed ?? 1);
  if (!Number.isSafeInteger(seed) || seed < 0) {
    fail(`--seed ${values.seed}: give a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
  }
  const started = await start();
  // The small run before the full one, whose pictures stay.
  const quickDigest = values.save && (await runIt(chosen, started, true, seed)).digest;
  const report = await runIt(chosen, started, values.quick, seed);
  await started.engine.close();
  if (values.save) saveResult(report, quickDigest);
  process.stdout.write(
    values.json ? `${JSON.stringify(report)}\n` : describeReport(chosen, report),
  );
  process.exitCode = report.checks.every(({ holds }) => holds) ? 0 : 1;
}

/** Runs some again, and says of each whether its digest is that of the kept result. */
async function verify(chosen) {
  const without = chosen.map(({ name }) => name).filter((name) => !resultOf(name));
  if (without.length > 0) fail(`No full result is kept of: ${without.join(', ')}.`);
  const started = await start();
  let numSame = 0;
  for (const one of chosen) {
    const kept = resultOf(one.name);
    const report = await runIt(one, started, values.quick, kept.seed);
    const { isSame, line } = compareDigests(report, kept);
    console.log(line);
    numSame += Number(isSame);
    // At once: all of them take hours.
    if (values.save) saveVerified(report);
  }
  await started.engine.close();
  console.log(
    `${chosen.length} run again, of which ${numSame} have the digest of the kept result.`,
  );
  process.exitCode = numSame === chosen.length ? 0 : 1;
}

/** Runs this program with other arguments in an emulator, which is named in the environment; its exit status. */
function onArm(args) {
  const emulator = emulatorOf();
  if (!emulator) return 2;
  build();
  const [command, ...before] = nodeOnArm(emulator);
  const { status } = spawnSync(command, [...before, fileURLToPath(import.meta.url), ...args], {
    stdio: 'inherit',
    env: { ...process.env, UNNORM_EMULATOR: emulator.version },
  });
  return status ?? 1;
}

/** Builds what is stale. */
function build() {
  // The build may have much to say; standard output is for the report.
  const program = fileURLToPath(new URL('../../src/tools/build.mjs', import.meta.url));
  const stdio = ['ignore', 2, 2];
  if (spawnSync(process.execPath, [program, '--no-site'], { stdio }).status !== 0) process.exit(1);
}

/** Starts an engine of the package as it is now. */
async function start() {
  // Node in the emulator cannot start another Node; `onArm` has built outside it. So have tests that say it.
  if (!process.env.UNNORM_EMULATOR && !process.env.UNNORM_BUILT) build();
  const unnorm = await import('../../dist/node.js');
  return { unnorm, engine: await unnorm.createEngine() };
}

async function runIt(reproduction, { unnorm, engine }, quick, seed) {
  const out = new URL('../../out/', import.meta.url);
  const kept = values.resume && resuming(engine, new URL('repro/', out), readFileSync(WASM));
  try {
    const report = await runExperiment(reproduction, {
      unnorm,
      engine: kept ? kept.engine : engine,
      quick,
      seed,
      out,
      log: console.error,
    });
    return kept ? { ...report, seconds: report.seconds + kept.keptSeconds() } : report;
  } catch (error) {
    // What it needs of this machine and cannot have, such as a Python.
    if (error instanceof Failure) fail(error.message);
    throw error;
  }
}
