/**
 * The three wasm builds: dist/wasm/plain (simd128, runs everywhere), dist/wasm/core (the same of the
 * core alone, compiled for size: the entry 'unnorm/core') and dist/wasm/threads (everything, with a
 * shared memory and rayon workers). Each folder gets unnorm.js, unnorm.d.ts and unnorm_bg.wasm.
 *
 *     node src/tools/wasm.mjs [--require-threads]
 *
 * Threads need the standard library compiled anew, with atomics. Where that cannot be done the
 * folder gets a module that refuses to start, and the package uses the plain build. The core has the
 * standard library compiled anew too, for size: a panic there traps without a message, and is not
 * formatted. Where that cannot be done the core is a tenth larger.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure, isCI, main, output, outputLater, root, run, say } from './run.mjs';
import { addRustSource, addWasmTarget, rustVersion, wasmTarget } from './setup.mjs';
import { filesUnder, hashOf, removeStamp, stampFor, writeStamp } from './stamp.mjs';

/** What the linker must do for rayon's workers to share one memory, of at most 1 GiB. */
const sharedMemory = [
  '--shared-memory',
  '--import-memory',
  '--max-memory=1073741824',
  '--export=__wasm_init_tls',
  '--export=__tls_size',
  '--export=__tls_align',
  '--export=__tls_base',
].map((argument) => `-Clink-arg=${argument}`);

/** Puts fixed names in place of this machine's folders in the panic messages. */
function pathFlags() {
  const cargoHome = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
  const library = join(output('rustc', ['--print', 'sysroot']).trim(), 'lib/rustlib/src/rust');
  const names = { [library]: '/rust', [cargoHome]: '/cargo', [root]: '/unnorm' };
  return Object.entries(names).map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
}

/** What keeps the core small: no text of panics, no places in the source, no derived `Debug`. */
const small = [
  '-Zunstable-options',
  '-Cpanic=immediate-abort',
  '-Zlocation-detail=none',
  '-Zfmt-debug=none',
];

/** The environment in which cargo compiles for wasm. RUSTFLAGS of the user's own cannot override it. */
export function rustEnvironment(kind) {
  const features =
    kind === 'threads' ? '+atomics,+bulk-memory,+mutable-globals,+simd128' : '+simd128';
  const flags = [`-Ctarget-feature=${features}`, ...pathFlags()];
  if (kind !== 'threads') return { CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f') };
  // A stable compiler knows atomics on wasm, and takes -Z, only with RUSTC_BOOTSTRAP.
  return {
    CARGO_ENCODED_RUSTFLAGS: [...flags, ...sharedMemory].join('\x1f'),
    RUSTC_BOOTSTRAP: '1',
  };
}

/** Has cargo build; the path of the one file it made whose name ends in `ending`, or null if it failed. */
async function cargoBuild([command, ...args], ending, env = {}) {
  const messages = await outputLater(
    'cargo',
    [command, '--locked', '--message-format=json-render-diagnostics', ...args],
    { env },
  );
  if (messages === null) return null;
  const files = messages
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ reason }) => reason === 'compiler-artifact')
    .flatMap(({ filenames }) => filenames);
  return files.find((file) => file.endsWith(ending));
}

/** Compiles the programs of src/tools/bindgen, `unnorm-bindgen` and `unnorm-count`, and returns the path of one. */
export async function buildProgram(name) {
  const file = `${name}${process.platform === 'win32' ? '.exe' : ''}`;
  const program = await cargoBuild(['build', '--profile', 'tools', '-p', 'unnorm-bindgen'], file);
  if (program === null)
    throw new Failure(
      'The programs for wasm could not be compiled (see above): where the package registry was out of reach, connect and run this again.',
    );
  return program;
}

/** The environment of the core where the standard library is compiled with it. */
function smallEnvironment() {
  const { CARGO_ENCODED_RUSTFLAGS } = rustEnvironment('core');
  return {
    CARGO_ENCODED_RUSTFLAGS: [CARGO_ENCODED_RUSTFLAGS, ...small].join('\x1f'),
    RUSTC_BOOTSTRAP: '1',
  };
}

/** Compiles the crate for wasm, the core with the standard library where its source is here; null where it failed. */
function compile(kind, hasRustSource) {
  const buildStd = '-Zbuild-std=std,panic_abort';
  const isSmall = kind === 'core' && hasRustSource;
  const how = {
    plain: ['build', '--release'],
    // Optimization at link time needs a library that is a cdylib alone. It makes the core 7 % smaller; the others would be 6 %
    // larger and no faster.
    core: [
      ...['rustc', '--crate-type', 'cdylib', '--profile', 'core', '--no-default-features'],
      ...(isSmall ? [buildStd, '-Zbuild-std-features=optimize_for_size'] : []),
    ],
    threads: ['build', '--profile', 'threads', '--features', 'threads', buildStd],
  };
  const args = [...how[kind], '--lib', '--target', wasmTarget];
  return cargoBuild(args, '.wasm', isSmall ? smallEnvironment() : rustEnvironment(kind));
}

/** Compiles an example for WebAssembly as the plain build is; its path. */
export async function buildExample(name) {
  addWasmTarget();
  const args = ['build', '--release', '-p', 'unnorm', '--example', name, '--target', wasmTarget];
  const file = await cargoBuild(args, `${name}.wasm`, rustEnvironment('plain'));
  if (!file) throw new Failure(`The example ${name} could not be compiled (see above).`);
  return file;
}

/**
 * Compiles them all, two at a time: most of a build is one thread's, and cargo keeps its profiles apart.
 * What could not be compiled is null.
 */
async function compileAll(kinds, hasRustSource) {
  const waiting = [...kinds];
  const compiled = {};
  const next = async () => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      say(`Building the ${kind} wasm.`);
      compiled[kind] = await compile(kind, hasRustSource);
    }
  };
  await Promise.all([next(), next()]);
  return compiled;
}

/** Writes dist/wasm/KIND from a compiled file. */
function generate(driver, compiled, kind) {
  const folder = join(root, 'dist/wasm', kind);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(driver, [compiled, folder]);
}

/**
 * wasm-bindgen-rayon's worker imports the package's main module as `'../../..'`, which only some
 * bundlers resolve. Name the file, which they all do.
 */
function nameMainModule() {
  const snippets = filesUnder(['dist/wasm/threads/snippets'], (file) =>
    file.endsWith('/workerHelpers.js'),
  );
  const vague = "import('../../..')";
  const sources = snippets.map((file) => readFileSync(join(root, file), 'utf8'));
  const matches = sources.reduce((count, source) => count + source.split(vague).length - 1, 0);
  if (matches !== 1) {
    throw new Failure(
      `Expected ${vague} once in wasm-bindgen-rayon's worker, found it ${matches} times: adapt src/tools/wasm.mjs.`,
    );
  }
  snippets.forEach((file, i) => {
    writeFileSync(join(root, file), sources[i].replace(vague, "import('../../../unnorm.js')"));
  });
}

/**
 * In place of the threads build: a module with the same types whose start fails, and an empty wasm
 * file, so that what refers to them by name still resolves.
 */
function writeRefusal() {
  const folder = join(root, 'dist/wasm/threads');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const plain = readFileSync(join(root, 'dist/wasm/plain/unnorm.d.ts'), 'utf8');
  const starter = 'export function initThreadPool(numThreads: number): Promise<never>;';
  writeFileSync(join(folder, 'unnorm.d.ts'), `${plain}\n${starter}\n`);
  const refusal = [
    'async function refuse() {',
    "  throw new Error('this copy of unnorm was built without threads');",
    '}',
    'export { refuse as default, refuse as initThreadPool };',
  ];
  writeFileSync(join(folder, 'unnorm.js'), `${refusal.join('\n')}\n`);
  writeFileSync(join(folder, 'unnorm_bg.wasm'), Buffer.from('\0asm\x01\0\0\0', 'latin1'));
}

/** Builds what is stale. Without `requireThreads`, a machine that cannot build them goes on without. */
export async function buildWasm({ requireThreads = isCI } = {}) {
  const sources = filesUnder(
    ['src'],
    (file) => !/^src\/(ts|python)\//.test(file) && !file.endsWith('.mjs'),
  );
  const inputs = hashOf(
    ['Cargo.toml', 'Cargo.lock', 'src/tools/wasm.mjs', ...sources],
    rustVersion(),
  );
  const stamp = stampFor('wasm', inputs);
  if (stamp && (stamp.threads || !requireThreads)) return;
  removeStamp('wasm');

  addWasmTarget();
  say('Building the wasm-bindgen driver.');
  const driver = await buildProgram('unnorm-bindgen');
  const hasRustSource = addRustSource();
  // The one that takes longest first.
  const kinds = [...(hasRustSource ? ['threads'] : []), 'plain', 'core'];
  const compiled = await compileAll(kinds, hasRustSource);
  for (const kind of ['plain', 'core']) {
    if (compiled[kind] === null) throw new Failure('The wasm build failed (see above).');
    generate(driver, compiled[kind], kind);
  }
  const hasThreads = Boolean(compiled.threads);
  if (hasThreads) {
    generate(driver, compiled.threads, 'threads');
    nameMainModule();
  } else if (requireThreads) {
    throw new Failure(
      "The wasm with threads could not be built: it needs rustup's rust-src component and the package registry.",
    );
  } else {
    say(
      'The wasm with threads could not be built; going on without it (results are the same, on one thread).',
    );
    writeRefusal();
  }
  writeStamp('wasm', inputs, ['dist/wasm'], { threads: hasThreads });
}

await main(import.meta.url, (args) =>
  buildWasm({ requireThreads: isCI || args.includes('--require-threads') }),
);
