/** What failed in a run of tests, each with the command that runs it alone. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure, root } from './run.mjs';

/** Failed tests. `tests` are `{ name, command }`. */
export class FailedTests extends Failure {
  constructor(message, tests) {
    super(message);
    this.tests = tests;
  }
}

/** Runs a command, its output going to ours; returns its exit status and its lines. */
function runAndRead(command, args) {
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    from.setEncoding('utf8').on('data', (more) => {
      text += more;
      to.write(more);
    });
  }
  return new Promise((resolve) => {
    child.once('error', () => resolve({ status: null, lines: [] }));
    child.once('close', (status) => resolve({ status, lines: text.split('\n') }));
  });
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const quotedIfNeeded = (text) => (/^[\w.=-]+$/.test(text) ? text : quoted(text));

/**
 * Failed tests of cargo-nextest's output: `FAIL [   0.012s] (1/9) unnorm::native golden::digests`. `selection` are the
 * arguments that chose what was compiled.
 */
function failuresOfNextest(lines, selection) {
  const found = new Set();
  for (const line of lines) {
    const at =
      /^ *(?:FAIL|SIGABRT|SIGSEGV|TIMEOUT|ABORT) \[[^\]]*\](?: \([^)]*\))? +\S+ (\S+)$/.exec(line);
    if (at) found.add(at[1]);
  }
  return [...found].map((name) => ({
    name,
    command: `cargo nextest run ${selection.map(quotedIfNeeded).join(' ')} -E 'test(=${name})'`,
  }));
}

/**
 * Runs cargo-nextest to its end, whatever fails, and returns the tests that failed. `selection` are the arguments that
 * choose what is compiled, `filter` one of nextest's expressions.
 */
export async function nextest(selection, filter) {
  const all = ['nextest', 'run', '--no-fail-fast', ...selection, '-E', filter];
  const { status, lines } = await runAndRead('cargo', all);
  if (status === 0) return [];
  const failed = failuresOfNextest(lines, selection);
  // Where nothing was run there is no test to name.
  if (failed.length === 0) throw new Failure('The Rust tests do not compile or run (see above).');
  return failed;
}

/** Failed tests of what `reporter.mjs` wrote. */
function failuresOfNode(lines) {
  return lines.filter(Boolean).map((line) => {
    const { file, name } = JSON.parse(line);
    const path = relative(root, file);
    const alone =
      name === file || name === path ? '' : `--test-name-pattern=${quoted(patternOf(name))} `;
    return {
      name: alone === '' ? path : `${path}: ${name}`,
      command: `node --test ${alone}${path}`,
    };
  });
}

function patternOf(name) {
  return `^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
}

/** Runs files of tests with Node's own runner, to its end, whatever fails. */
export async function nodeTests(files, options) {
  const written = join(root, 'target', `failed-tests-${process.pid}.jsonl`);
  mkdirSync(join(root, 'target'), { recursive: true });
  rmSync(written, { force: true });
  const reporter = fileURLToPath(new URL('reporter.mjs', import.meta.url));
  const reporters = [
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${reporter}`,
    `--test-reporter-destination=${written}`,
  ];
  const { status } = await runAndRead(process.execPath, [
    '--test',
    ...options,
    ...reporters,
    ...files,
  ]);
  const lines = existsSync(written) ? readFileSync(written, 'utf8').split('\n') : [];
  rmSync(written, { force: true });
  if (status !== 0) throw new FailedTests('Tests failed.', failuresOfNode(lines));
}
