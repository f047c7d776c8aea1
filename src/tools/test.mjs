/**
 * `npm test`: everything the build server checks, in order.
 *
 *     npm test                              all stages
 *     npm test -- --only native,browser     some of them
 *
 * A stage brings up to date whatever it needs, so each can be run alone. One that fails keeps only those from
 * running that need it; at the end all that failed is listed, with the commands that run it alone.
 */
import { cpus } from 'node:os';
import { buildPackage, buildSite } from './build.mjs';
import { setUpChromium } from './chromium.mjs';
import { checkDependencies, checkLicences } from './dependencies.mjs';
import { clearRecords, reportEnvironments } from './environments.mjs';
import { FailedTests, nextest, nodeTests } from './failures.mjs';
import { checkLayers } from './layers.mjs';
import { buildNotebook } from './notebook.mjs';
import { checkPackage, packPackage } from './pack.mjs';
import {
  bin,
  crates,
  Failure,
  isCI,
  main,
  output,
  outputLater,
  run,
  say,
  unitTests,
  unoptimized,
} from './run.mjs';
import { addRustComponent, setUp, wasmTarget } from './setup.mjs';
import { filesUnder } from './stamp.mjs';
import { checkTypes } from './types.mjs';
import { buildWasm, rustEnvironment } from './wasm.mjs';
import { buildWheel, lintWheel, testWheel } from './wheel.mjs';

/** The stages, in order: name, what it checks, how, and the stage whose failure leaves it nothing to do. */
const stages = [
  ['setup', 'tools and dependencies are here', setUp, null],
  ['fmt', 'Rust is formatted', checkRustFormat, 'setup'],
  [
    'clippy',
    'Rust has no warnings: native, for Python, wasm, its core, wasm with threads',
    lintRust,
    'setup',
  ],
  [
    'dependencies',
    'no dependency takes its mathematics from the platform; licences; layers of modules',
    checkCrates,
    'setup',
  ],
  ['native', 'Rust unit, integration and documentation tests', testNative, 'setup'],
  ['types', 'the TypeScript declarations are what Rust writes', checkTypes, 'setup'],
  ['wasm', 'the wasm builds', buildWasm, 'setup'],
  ['package', 'src/ts compiles', buildPackage, 'wasm'],
  ['lint', 'TypeScript, Svelte and the tests of the types', lintScripts, 'setup'],
  ['node', 'the packed package in Node', testNode, 'package'],
  ['python', 'the wheel in Python, and beside the packed package', testPython, 'package'],
  [
    'environments',
    'the packed package in every environment of the guide',
    testEnvironments,
    'package',
  ],
  ['site', 'www builds', buildAll, 'package'],
  ['browser', 'the built site in headless Chromium', testBrowser, 'site'],
];

function checkRustFormat() {
  addRustComponent('rustfmt', 'fmt');
  run('cargo', ['fmt', '--all', '--check'], {
    otherwise: 'Rust is not formatted: run `npm run format`.',
  });
}

/** Two at a time, in chains that share no folder of the target's: the last of each is one thread's work. */
async function lintRust() {
  addRustComponent('clippy', 'clippy');
  const clippy = async (args, env) => {
    const all = ['clippy', '--quiet', '--locked', ...args, '--', '-Dwarnings'];
    if ((await outputLater('cargo', all, { env })) !== null) return;
    throw new Failure('Clippy has complaints (see above).');
  };
  const wasm = [...crates, '--lib', '--target', wasmTarget];
  const development = async () => {
    // With the crate of the Python wheel, for which no Python is needed here.
    const all = ['--workspace', '--exclude', 'unnorm-bindgen', '--all-targets'];
    const withoutPython = { PYO3_NO_PYTHON: '1', PYO3_BUILD_EXTENSION_MODULE: '1' };
    await clippy([...all, '--features', 'types'], withoutPython);
  };
  const forWasm = async () => {
    // With one profile for both, what they depend on is looked at once.
    const profile = ['--profile', 'core'];
    await clippy([...wasm, ...profile, '--no-default-features'], rustEnvironment('core'));
    await clippy([...wasm, ...profile], rustEnvironment('plain'));
    const threads = ['--profile', 'threads', '--features', 'threads'];
    await clippy([...wasm, ...threads], rustEnvironment('threads'));
  };
  const ends = await Promise.allSettled([development(), forWasm()]);
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

function checkCrates() {
  checkDependencies();
  checkLicences();
  checkLayers();
}

async function testNative() {
  const features = ['--locked', ...crates, '--features', 'types'];
  if (output('cargo', ['nextest', '--version']) !== null) {
    // ts-rs's tests write the declarations: the stage `types` runs them, in one process.
    const failed = [
      ...(await nextest([...features, ...unitTests], 'not test(export_bindings)')),
      ...(await nextest([...features, '--test', '*'], 'all()')),
    ];
    if (failed.length > 0) throw new FailedTests('Rust tests failed.', failed);
  } else {
    say('cargo-nextest is not installed: using cargo test, which is slower.');
    for (const tests of [unitTests, ['--test', '*']]) {
      run('cargo', ['test', ...features, ...tests], {
        otherwise: 'A Rust test failed (see above).',
      });
    }
  }
  run('cargo', ['test', '--quiet', '--doc', ...features], {
    otherwise: 'A documentation test failed (see above).',
  });
}

function lintScripts() {
  bin('@biomejs/biome', [isCI ? 'ci' : 'check', '--error-on-warnings'], {
    otherwise: 'Biome has complaints (see above): `npm run format` mends many of them.',
  });
  const otherwise = 'The types do not check (see above).';
  bin('typescript tsc', ['-p', 'tsconfig.worker.json'], { otherwise });
  if (filesUnder(['tests'], (file) => file.endsWith('.ts')).length === 0) {
    throw new Failure('There are no tests of the types: no .ts file under tests.');
  }
  bin('typescript tsc', ['-p', 'tsconfig.test.json'], { otherwise });
  bin(
    'svelte-check',
    ['--workspace', 'www', '--tsconfig', './tsconfig.json', '--fail-on-warnings'],
    {
      otherwise,
    },
  );
}

/**
 * Runs the tests of a folder with Node's own runner, one more at a time than there are processors: most of what
 * they do keeps one busy, or waits. A file that takes half an hour hangs.
 */
async function testFolder(folder) {
  const files = filesUnder([folder], (file) => file.endsWith('.test.mjs'));
  if (files.length === 0)
    throw new Failure(`There are no tests: no .test.mjs file under ${folder}.`);
  await nodeTests(files, [`--test-concurrency=${cpus().length + 1}`, '--test-timeout=1800000']);
}

async function packAll() {
  await buildWasm();
  await buildPackage();
  packPackage();
  checkPackage();
}

async function testNode() {
  await packAll();
  await testFolder('tests/node');
}

/** The profile of the tests beside the code, which is far quicker to compile than that of a release and keeps every check. */
async function testPython() {
  await packAll();
  lintWheel();
  buildNotebook();
  testWheel(buildWheel({ profile: 'dev', others: unoptimized }));
}

async function testEnvironments() {
  await packAll();
  clearRecords();
  setUpChromium();
  await testFolder('tests/environments');
  reportEnvironments();
}

async function buildAll() {
  await buildWasm();
  await buildPackage();
  buildSite();
}

async function testBrowser() {
  await buildAll();
  setUpChromium();
  await testFolder('tests/browser');
}

/** Which stages the arguments ask for. */
function chosenStages(args) {
  if (args.length === 0) return stages;
  const names = args[0] === '--only' && args.length === 2 ? args[1].split(',') : [];
  const unknown = names.filter((name) => !stages.some(([stage]) => stage === name));
  if (names.length === 0 || unknown.length > 0) {
    throw new Failure(
      `Use: npm test [-- --only NAME,...], with names of ${stages.map(([name]) => name).join(', ')}.`,
    );
  }
  return stages.filter(([name]) => names.includes(name));
}

// On a build server everything is compiled once: without what serves the next time, and debuggers.
if (isCI) {
  process.env.CARGO_INCREMENTAL ??= '0';
  process.env.CARGO_PROFILE_DEV_DEBUG ??= 'false';
}

const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1).padStart(7);

/** Milliseconds that all processors of the machine have worked, and been there, until now. */
function processorTimes() {
  const times = cpus().map(({ times }) => times);
  const all = times.reduce((sum, time) => sum + Object.values(time).reduce((a, b) => a + b), 0);
  return { all, busy: all - times.reduce((sum, { idle }) => sum + idle, 0) };
}

/** The part of the machine's processors that worked since, as ` 87 %`. */
function busySince(before) {
  const { all, busy } = processorTimes();
  const share = (busy - before.busy) / Math.max(all - before.all, 1);
  return `${Math.round(100 * share)} %`.padStart(5);
}

await main(import.meta.url, async (args) => {
  const chosen = chosenStages(args);
  const began = performance.now();
  const table = [];
  /** By stage; those that could not be tried, too. */
  const failures = new Map();
  for (const [i, [name, what, check, needed]] of chosen.entries()) {
    console.log(`\n── ${i + 1}/${chosen.length} ${name}: ${what}`);
    if (failures.has(needed)) {
      failures.set(name, new Failure(`not tried, for it needs ${needed}`));
      table.push(`                       ${name}  NOT TRIED`);
      continue;
    }
    const start = performance.now();
    const before = processorTimes();
    try {
      await check();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      console.error(`✗ ${error.message}`);
      failures.set(name, error);
    }
    const end = failures.has(name) ? '  FAILED' : '';
    table.push(`${seconds(start)} s  ${busySince(before)} busy  ${name}${end}`);
  }
  console.log(`\n${table.join('\n')}\n${seconds(began)} s  in all\n`);
  if (failures.size > 0) throw new Failure(`Failed:\n${listOf(failures)}`);
});

/** Every stage that failed, with its tests that did, and the commands that run them alone. */
function listOf(failures) {
  return [...failures]
    .flatMap(([name, failure]) => [
      `${name}: ${failure.message}\n    npm test -- --only ${name}`,
      ...(failure instanceof FailedTests ? failure.tests : []).map(
        (test) => `  ${test.name}\n    ${test.command}`,
      ),
    ])
    .join('\n');
}
