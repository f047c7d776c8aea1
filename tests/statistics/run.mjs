// All statistical tests at full size, and a page of what they print.
//
//   npm run statistics [-- --only coverage,weights] [--quick]
//
// Statistical are the Rust tests whose file speaks of false alarms, or has something that `npm test` leaves out; --quick
// leaves it out here too. Writes out/statistics.html; the exit status is 1 if any failed.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, main, output, root, say } from '../../src/tools/run.mjs';
import { filesUnder } from '../../src/tools/stamp.mjs';
import { aboutOf, pageOf } from './report.mjs';

const options = {
  only: { type: 'string' },
  quick: { type: 'boolean', default: false },
};

await main(import.meta.url, (args) => {
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new Failure(`${error.message}. Usage: npm run statistics [-- --only NAME,...] [--quick]`);
  }
  const known = suites();
  const chosen = values.only ? values.only.split(',') : known.map(({ name }) => name);
  const unknown = chosen.filter((name) => !known.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    const names = known.map(({ name }) => name).join(', ');
    throw new Failure(`--only ${unknown.join(',')}: choose among ${names}.`);
  }
  say('Compiling the tests.');
  const program = compiled();
  const results = known
    .filter(({ name }) => chosen.includes(name))
    .map(({ name, about }) => ({
      name,
      about,
      tests: testsOf(name, program, values.quick),
    }));

  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const about = {
    version,
    rust: output('rustc', ['--version'])?.trim() ?? 'unknown',
    machine: cpus()[0]?.model ?? 'unknown',
    date: new Date().toISOString().slice(0, 10),
    complete: chosen.length === known.length && !values.quick,
  };
  const file = join(root, 'out/statistics.html');
  mkdirSync(join(root, 'out'), { recursive: true });
  writeFileSync(file, pageOf(about, results));
  const tests = results.flatMap((suite) => suite.tests);
  const numFailed = tests.filter(({ isPassed }) => !isPassed).length;
  if (numFailed > 0)
    throw new Failure(`${numFailed} of ${tests.length} tests failed; see ${file}.`);
  console.log(`${tests.length} tests passed: ${file}`);
});

/** The files of statistical tests: `{ name, about }`. */
function suites() {
  const files = filesUnder(['tests/native'], (file) =>
    /^tests\/native\/(\w+|\w+\/mod)\.rs$/.test(file),
  );
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    if (!/false.alarm|#\[ignore/i.test(source)) return [];
    const name = file.replace(/^tests\/native\//, '').replace(/(\/mod)?\.rs$/, '');
    return [{ name, about: aboutOf(source) }];
  });
}

/** Compiles the Rust tests, as `npm test` does: where the program is. */
function compiled() {
  const args = ['test', '--locked', '-p', 'unnorm', '--no-run', '--test', 'native'];
  const messages = output('cargo', [...args, '--message-format=json-render-diagnostics'], {
    loud: true,
  });
  if (messages === null) throw new Failure('The tests do not compile (see above).');
  const built = messages
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  return built.find(({ target, executable }) => executable && target.name === 'native').executable;
}

/** Runs the tests of a file one after another. */
function testsOf(suite, program, quick) {
  const listed = (...more) =>
    output(program, ['--list', '--format', 'terse', ...more])
      .split('\n')
      .filter((line) => line.startsWith(`${suite}::`) && line.endsWith(': test'))
      .map((line) => line.slice(0, -': test'.length));
  const full = new Set(listed('--ignored'));
  return listed()
    .filter((name) => !(quick && full.has(name)))
    .map((name) => {
      const start = performance.now();
      const { status, stdout, stderr } = spawnSync(
        program,
        ['--exact', name, '--include-ignored', '--nocapture'],
        {
          cwd: root,
          encoding: 'utf8',
          maxBuffer: 1 << 28,
          // With one thread the harness writes the test's name before what the test prints.
          env: { ...process.env, RUST_TEST_THREADS: '2' },
        },
      );
      const seconds = (performance.now() - start) / 1000;
      const isPassed = status === 0;
      console.log(
        `${seconds.toFixed(1).padStart(8)} s  ${suite}: ${name}${isPassed ? '' : '  FAILED'}`,
      );
      const output = isPassed ? stdout : `${stdout}\n${stderr}`;
      return { name, isFull: full.has(name), seconds, isPassed, output };
    });
}
