/** Ctrl-C: a checkpoint, from which --resume goes on to the same bits; and progress. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installed } from './command.mjs';
import { uniforms } from './data.mjs';
import { dist } from './package.mjs';

// Two normal numbers, by a module that stops the command at a call of its own: as random a moment
// as any, and the same on every machine. From when the command has its checkpoint, the job gets no further.
const MODULE = `
import { existsSync, writeFileSync } from 'node:fs';
const asleep = new Int32Array(new SharedArrayBuffer(4));
let calls = 0;
let isOver = false;
const stopAt = Number(process.env.STOP_AT ?? Infinity);
export default (x, energy, grad) => {
  if (isOver) Atomics.wait(asleep, 0, 0, 600_000);
  for (let b = 0; b < energy.length; b++) {
    energy[b] = (x[2 * b] ** 2 + x[2 * b + 1] ** 2) / 2;
    grad[2 * b] = x[2 * b];
    grad[2 * b + 1] = x[2 * b + 1];
  }
  calls += 1;
  if (calls === stopAt) {
    process.kill(process.pid, process.env.STOP_BY);
    while (!existsSync('heard')) Atomics.wait(asleep, 0, 0, 1);
    if (process.env.THEN_HANG) {
      process.kill(process.pid, process.env.STOP_BY);
      Atomics.wait(asleep, 0, 0, 600_000);
      writeFileSync('hung', '');
    }
    // Messages that have come by now are answered before.
    setImmediate(() => {
      isOver = true;
    });
  }
};
`;

// Part of the command's own thread: says when a signal has been taken, and all been done about it.
const LISTENER = `
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => setImmediate(() => writeFileSync('heard', '')));
  }
}
`;

let home;
let listening;
before(() => {
  home = installed();
  writeFileSync(home.path('normal.mjs'), MODULE);
  writeFileSync(home.path('listener.mjs'), LISTENER);
  listening = { NODE_OPTIONS: `--import=${pathToFileURL(home.path('listener.mjs'))}` };
});
after(() => home?.remove());

const MODEL = ['--set', 'model.dim=2', '--set', 'model.url=./normal.mjs', '--seed', '5'];
const JOBS = {
  sample: ['sample', 'custom', ...MODEL, '-n', '20000', '--set', 'transition.kind=hmc'],
  logz: [
    'logz',
    'custom',
    ...MODEL,
    '--set',
    'numDistributions=3000',
    '--set',
    'schedule.kind=linear',
  ],
};

function run(args, env = {}) {
  rmSync(home.path('heard'), { force: true });
  const all = { ...process.env, ...listening, ...env };
  return home.unnorm([...args, '--json', '--workers', '1'], { env: all });
}

for (const [verb, args] of Object.entries(JOBS)) {
  test(`${verb}: stopped at any moment, it goes on to the same bits`, () => {
    const { status, stdout, stderr } = run(args);
    assert.equal(status, 0, stderr);
    const { digest } = JSON.parse(stdout);
    const uniform = uniforms(verb === 'sample' ? 21 : 22);
    let numStops = 0;
    let resume = [];
    // Again and again, until it has come to its end.
    for (;;) {
      const stopAt = numStops < 4 ? `${1 + Math.floor(uniform.next().value * 1500)}` : '';
      const stopBy = numStops % 2 ? 'SIGTERM' : 'SIGINT';
      const env = stopAt ? { STOP_AT: stopAt, STOP_BY: stopBy } : {};
      const ended = run([...args, ...resume, '-o', `${verb}.json`], env);
      if (ended.status === 0) {
        assert.equal(JSON.parse(ended.stdout).digest, digest);
        break;
      }
      assert.equal(ended.status, stopBy === 'SIGINT' ? 130 : 143, ended.stderr);
      assert.equal(ended.stdout, '');
      assert.ok(!existsSync(home.path(`${verb}.json`)));
      const told = ended.stderr.trimEnd().split('\n').at(-1).trim();
      assert.ok(told.startsWith(`unnorm ${verb} custom`), ended.stderr);
      const end = ` -o ${verb}.json --json --workers 1 --resume ${verb}.json.checkpoint`;
      assert.ok(told.endsWith(end), told);
      resume = ['--resume', `${verb}.json.checkpoint`];
      numStops += 1;
    }
    assert.ok(numStops >= 3, `${numStops} stops`);
    const other = run([...args, '--set', 'numChains=2', ...resume]);
    assert.equal(other.status, 2);
    assert.match(other.stderr, new RegExp(`${verb}\\.json\\.checkpoint: is of another spec`));
  });
}

test('a second Ctrl-C ends at once, whatever the job is doing', () => {
  const env = { STOP_AT: '100', STOP_BY: 'SIGINT', THEN_HANG: '1' };
  const { status, stderr } = run(JOBS.sample, env);
  assert.equal(status, 130);
  assert.match(stderr, /Stopping; once more ends at once/);
  assert.ok(!existsSync(home.path('hung')), 'it did not wait for the job');
});

test('progress: a bar with the time left on a terminal, else a line now and then', async () => {
  const { ProgressBar, durationOf } = await import(new URL('cli/progress.js', dist));
  const watched = (isTTY) => {
    const written = [];
    let now = 100;
    const screen = { isTTY, columns: 60, write: (text) => written.push(text) };
    const bar = new ProgressBar('fit', screen, () => now);
    const at = (seconds, fraction) => {
      now = 100 + seconds;
      bar.update(fraction);
    };
    return { bar, at, written };
  };
  const terminal = watched(true);
  terminal.at(0, 0.5);
  terminal.at(10, 0.75);
  assert.equal(
    terminal.written[1],
    `\r${`fit ${'█'.repeat(23)}${'░'.repeat(7)}  75 %, 10 s left`}\x1b[K`,
  );
  terminal.bar.clear();
  assert.equal(terminal.written.at(-1), '\r\x1b[K');
  const file = watched(false);
  for (let tenth = 0; tenth <= 60; tenth++) file.at(tenth / 10, tenth / 100);
  file.bar.clear();
  assert.deepEqual(file.written, [
    'fit: 20 %, 8 s left\n',
    'fit: 40 %, 6 s left\n',
    'fit: 60 %, 4 s left\n',
  ]);
  assert.deepEqual([0.2, 59.6, 3599, 7325].map(durationOf), [
    '1 s',
    '1 min 0 s',
    '59 min 59 s',
    '2 h 2 min',
  ]);
});
