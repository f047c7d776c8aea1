/**
 * Builds the Python wheel, of src/python, into out/wheel; one serves Python 3.10 and later.
 *
 *     npm run wheel [-- --no-labs]
 *
 * With the labs for notebooks in it, for which the WebAssembly and the package are built first; or without.
 */
import { copyFileSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildLabs, notebookFolder } from './notebook.mjs';
import { noticesName, wheelNotices } from './notices.mjs';
import { pythonWith } from './python.mjs';
import { Failure, main, root, run, say } from './run.mjs';
import { rustVersion } from './setup.mjs';

const sources = join(root, 'src/python');
const wheelFolder = join(root, 'out/wheel');
/** Where the labs are for maturin, which takes files beside the package's only. */
const labsFolder = join(sources, 'unnorm/labs');

/** A Python with these packages in a folder, or a Failure that says what to install. */
function python(packages, folder) {
  try {
    return pythonWith(packages, folder);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(
      `The wheel needs Python 3.11 or newer with its module venv (on Debian: apt-get install python3-venv), and PyPI: ${error.message}.`,
    );
  }
}

/** What decides how pyo3 is built, the same for every command, so that it is built once. */
const environmentOf = (interpreter) => ({
  PYO3_PYTHON: interpreter,
  PYO3_BUILD_EXTENSION_MODULE: '1',
});

/**
 * Builds the wheel with a profile of Cargo's and other arguments for it, and returns its path. With `labs`, those in
 * out/notebook are in it.
 */
export function buildWheel({ profile = 'wheel', others = [], labs = true } = {}) {
  const interpreter = python(['maturin==1.16.0'], 'target/wheel');
  rmSync(wheelFolder, { recursive: true, force: true });
  // pyproject.toml may name files beside it only.
  writeFileSync(join(sources, noticesName), wheelNotices());
  copyFileSync(join(root, 'LICENSE'), join(sources, 'LICENSE'));
  rmSync(labsFolder, { recursive: true, force: true });
  if (labs) cpSync(notebookFolder, labsFolder, { recursive: true });
  const where = ['--manifest-path', 'src/python/Cargo.toml', '--out', wheelFolder];
  const how = ['--locked', '--quiet', '--profile', profile, ...others];
  run(interpreter, ['-m', 'maturin', 'build', ...where, ...how, '--interpreter', interpreter], {
    env: environmentOf(interpreter),
    otherwise: 'The wheel does not build (see above).',
  });
  return join(wheelFolder, readdirSync(wheelFolder)[0]);
}

/** The version of anywidget that is tried. */
export const ANYWIDGET = 'anywidget==0.11.0';

/** Whether there is a wheel of stanli; it has no sources. Its tests are skipped elsewhere. */
const hasStanli = /^(linux|darwin)-(x64|arm64)$|^win32-x64$/.test(
  `${process.platform}-${process.arch}`,
);

/** What tests/python need: the wheel is installed beside it. */
const FOR_TESTS = [
  'numpy==2.4.6',
  'pytest==9.2.0',
  // Runs files of tests side by side.
  'pytest-xdist==3.8.0',
  // Checks the types that the package has for others, and the form of its Python.
  'mypy==2.4.1',
  'ruff==0.17.6',
  // The guide's bar.
  'tqdm==4.70.1',
  // The cluster of `unnorm.distributed`.
  'distributed==2026.8.0',
  // Of `unnorm.to_arviz`, and of the draws that JavaScript writes for it.
  'arviz==0.23.4',
  // The widgets of `unnorm.lab`.
  ANYWIDGET,
  // Models of Stan for `unnorm.stan`, and what has their constrained parameters.
  ...(hasStanli ? ['stanli==0.24.0', 'bridgestan==2.9.0'] : []),
];

let ofTests;

/** The Python of the tests, with what they need; that all of it can be imported takes seconds to see. */
export function pythonOfTests() {
  ofTests ??= python(FOR_TESTS, 'target/wheel-test');
  return ofTests;
}

/** Lints the Python of the wheel; clippy has its crate with the others. */
export function lintWheel() {
  const lints = pythonOfTests();
  const settings = 'src/python/pyproject.toml';
  const own = ['src/python', 'tests/python'];
  for (const check of [
    ['ruff', 'format', '--check', '--quiet', '--config', settings, ...own],
    ['ruff', 'check', '--quiet', '--config', settings, ...own],
    ['mypy', '--no-error-summary', '--config-file', settings, 'src/python/unnorm'],
  ]) {
    run(lints, ['-m', ...check], {
      otherwise: `${check[0]} has complaints about the Python (see above).`,
    });
  }
}

/**
 * Installs a wheel in an environment with nothing else of ours, and runs tests/python there. Two files at a time, each from
 * its beginning to its end in one process: most of what they do keeps one processor busy, or waits.
 */
export function testWheel(wheel) {
  const interpreter = pythonOfTests();
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  run(interpreter, [...pip, '--force-reinstall', '--no-deps', wheel]);
  const how = ['--quiet', '-p', 'no:cacheprovider', '--numprocesses=2', '--dist=loadfile'];
  run(interpreter, ['-m', 'pytest', ...how, 'tests/python'], {
    env: { PYTHONDONTWRITEBYTECODE: '1' },
    otherwise: 'A test of the wheel failed (see above).',
  });
}

await main(import.meta.url, async (args) => {
  rustVersion();
  const labs = !args.includes('--no-labs');
  if (labs) await buildLabs();
  say(`The wheel is ${buildWheel({ labs })}.`);
});
