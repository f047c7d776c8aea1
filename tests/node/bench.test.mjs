/** The bench's report has its form, by a run of its smallest sizes in Node alone. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../dist/node.js';
import { leastBulkEss } from '../../www/bench/statistics.js';
import { barsOf, boundOf, rowsOf } from '../bench/report.mjs';

const script = fileURLToPath(new URL('../bench/run.mjs', import.meta.url));
const bench = (...args) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
let ran;
/** Takes long enough to be made once. */
const quickRun = () => {
  ran ??= bench('--quick', '--json', '--engines', 'node');
  return ran;
};

test('prints one object', () => {
  const { status, stdout, stderr } = quickRun();
  assert.equal(status, 0, stderr);
  const report = JSON.parse(stdout);
  assert.deepEqual(Object.keys(report), ['machine', 'rows', 'bars']);
  assert.equal(report.machine.node, process.versions.node);
  assert.equal(new Set(report.rows.map(({ name }) => name)).size, 33);
  for (const row of report.rows) {
    const { name, engine, median, spread, unit, rate, ratioToPeer, ratioToLimit, error, peakMiB } =
      row;
    assert.equal(Object.keys(row).length, 14);
    assert.ok([16, 64].includes(row.digest?.length), `${name}: ${row.digest}`);
    assert.ok(name.length > 0 && /^node(-2-(workers|engines)|-module)?$/.test(engine), engine);
    assert.ok(median > 0 && spread >= 0 && unit === 'ms', JSON.stringify(row));
    assert.equal(rate !== null, /^HMC|^HAIS|^Gibbs|^NUTS/.test(name));
    assert.equal(row.effective > 1, name.startsWith('NUTS'));
    assert.equal(row.gradientsEach > 1, name.startsWith('NUTS'));
    assert.equal(error !== null, name.startsWith('HAIS'));
    const hasMemory = name.includes('fingerprints') && process.platform === 'linux';
    assert.equal(peakMiB !== null, hasMemory);
    // The network alone has 32 MiB in single precision, and its model 128.
    if (hasMemory) assert.ok(peakMiB > 160 && peakMiB < 4000, `${peakMiB}`);
    // The root mean square of two errors; the Gaussian's alone is not of heavy tails.
    if (name.startsWith('HAIS, Gaussian')) assert.ok(error < 1, `${error}`);
    assert.equal(ratioToPeer, null, 'without a peer');
    assert.equal(ratioToLimit, null, 'without the native rates');
    assert.equal(row.limitToPeer, null, 'without either');
  }
  for (const bar of report.bars) {
    const known = /^two workers.*node$/.test(bar.name);
    assert.equal(bar.met, known ? bar.ratio >= bar.limit : null, bar.name);
    assert.ok(bar.limit > 0);
    assert.ok(known ? bar.ceiling > 0 : bar.ceiling === null, bar.name);
  }
});

test('its digests are those that the site promises', () => {
  const { small } = JSON.parse(
    readFileSync(new URL('../../www/bench/reference.json', import.meta.url)),
  );
  const { status, stdout, stderr } = quickRun();
  assert.equal(status, 0, stderr);
  const found = new Set(JSON.parse(stdout).rows.map(({ digest }) => digest));
  for (const [id, { digest }] of Object.entries(small)) {
    assert.ok(
      found.has(digest),
      `${id}: if values may change, npm run bench -- --quick --keep, and without --quick`,
    );
  }
  assert.equal(Object.keys(small).length, 23);
});

test('refuses what it does not know, in one sentence', () => {
  for (const args of [['--fast'], ['--engines', 'octave']]) {
    const { status, stdout, stderr } = bench(...args);
    assert.equal(status, 2);
    assert.equal(stdout, '');
    assert.doesNotMatch(stderr, /\n\s+at /, 'a stack trace');
  }
});

test('ratios are of speed, and bars compare them with what is asked', () => {
  const times = { native: [4, 2, 3], avx2: [2], node: [6], chromium: [12], numpy: [12, 20, 12] };
  const samples = new Map(Object.entries(times));
  const bound = boundOf({ lookups: 3e6, exps: 1e6 }, { lookups: 2, exps: 1, divisions: 5 });
  assert.equal(bound, 1.5);
  assert.equal(boundOf([{ lookups: 3e6, exps: 1e6 }, { exps: 2e6 }], { lookups: 2, exps: 1 }), 3.5);
  const rows = rowsOf({ name: 'work' }, samples, bound);
  const shown = rows.map(({ engine, median, ratioToPeer, ratioToLimit }) => [
    engine,
    median,
    ratioToPeer,
    ratioToLimit,
  ]);
  assert.deepEqual(shown, [
    ['native', 3, 4, 0.75],
    ['avx2', 2, 6, null],
    ['node', 6, 2, 0.25],
    ['chromium', 12, 1, 0.125],
    ['numpy', 12, null, null],
  ]);
  assert.equal(rows[0].spread, 1);
  assert.deepEqual(
    rows.map(({ limitToPeer }) => limitToPeer),
    [8, null, 8, 8, null],
  );
  const bars = barsOf({ dense: rows });
  const met = (start) => bars.find(({ name }) => name.startsWith(start));
  assert.deepEqual(met('dense flow, native').met, true);
  assert.deepEqual(met('dense flow, Chromium').met, true);
  assert.deepEqual([met('WebAssembly').ratio, met('WebAssembly').met], [0.25, false]);
  assert.equal(met('two workers').met, null);
});

test('samplers are held against the fastest peer, and in the bars against each', () => {
  const times = { chromium: [2], blackjax: [4], numpyro: [1] };
  const workload = { name: 'HMC, ring', numLeapfrogSteps: 6000 };
  const rows = rowsOf(workload, new Map(Object.entries(times)), null);
  assert.deepEqual(
    rows.map(({ rate, ratioToPeer }) => [rate, ratioToPeer]),
    [
      [3e6, 0.5],
      [1.5e6, null],
      [6e6, null],
    ],
  );
  const bars = barsOf({ 'hmc-ring-1': rows }).filter(({ name }) => name.startsWith('HMC'));
  assert.deepEqual(
    bars.map(({ ratio, met }) => [ratio, met]),
    [
      [2, true],
      [0.5, false],
    ],
  );
});

test('posteriors are held against the peer with most effective draws a second', () => {
  const samples = new Map(Object.entries({ node: [20, 20], blackjax: [10, 10], nutpie: [40, 40] }));
  const worths = Object.entries({ node: 100, blackjax: 25, nutpie: 400 }).flatMap(
    ([engine, effective]) =>
      samples.get(engine).map((milliseconds) => {
        return { engine, milliseconds, effective, numGradients: 2000 };
      }),
  );
  const rows = rowsOf({ name: 'NUTS, one' }, samples, null, { worths });
  assert.deepEqual(
    rows.map(({ engine, rate, ratioToPeer, effective, gradientsEach }) => {
      return [engine, rate, ratioToPeer, effective, gradientsEach];
    }),
    [
      ['node', 5000, 0.5, 100, 20],
      ['blackjax', 2500, null, 25, 80],
      ['nutpie', 10_000, null, 400, 5],
    ],
  );
  const all = Object.fromEntries(
    Array.from({ length: 10 }, (_, at) => [
      `nuts-${at}`,
      [{ engine: 'node', ratioToPeer: at < 7 ? 1 : 0.9 }],
    ]),
  );
  const bar = (measured) =>
    barsOf(measured).find(({ name }) => /posteriors of ten.*node/.test(name));
  assert.deepEqual([bar(all).ratio, bar(all).met], [7, true]);
  assert.equal(bar({ 'nuts-1': all['nuts-1'] }).met, null, 'not all were measured');
});

test('the effective number of draws of a peer is counted as that of ours', async () => {
  const engine = await createEngine({ numWorkers: 1 });
  for (const model of [{ kind: 'ring' }, { kind: 'doubleWell' }]) {
    const { draws, summary } = await engine.sample({
      model,
      transition: { kind: 'nuts' },
      numChains: 3,
      numWarmup: 100,
      numDraws: 201,
      seed: 1,
    });
    const expected = Math.min(...summary.essBulk);
    assert.ok(Math.abs(leastBulkEss(draws.values, draws) / expected - 1) < 1e-9, model.kind);
  }
  await engine.close();
});

test('a memory is held against three minutes', () => {
  const rows = (milliseconds) => [{ engine: 'chromium', median: milliseconds }];
  const bar = (measured) =>
    barsOf({ fingerprints: measured }).find(({ name }) => name.startsWith('4,096 units'));
  assert.deepEqual([bar(rows(90_000)).ratio, bar(rows(90_000)).met], [2, true]);
  assert.equal(bar(rows(181_000)).met, false);
  assert.equal(bar([]).met, null);
});
