/** Shards that the coordinator takes back from a helper: done once, or once in vain, and never taken for others. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chain, createFakeEngine } from './fake/engine.mjs';
import { dist } from './package.mjs';

const { Crew } = await import(new URL('crew.js', dist));
const { Helper } = await import(new URL('helper.js', dist));

/** A port that keeps what is posted, and passes on what `receive` is given, numbered as the other end would. */
function fakePort() {
  let number = 0;
  const port = {
    posted: [],
    postMessage: (message) => port.posted.push(message),
    receive: (message) => port.onmessage({ data: { ...message, number: number++ } }),
    close: () => undefined,
  };
  return port;
}

/** A crew with one helper that is ready, and what has arrived from it. */
function crewOfOne() {
  const arrived = [];
  const crew = new Crew({
    scatter: (shard) => Uint8Array.of(shard),
    partArrived: (shard, part) => arrived.push([shard, ...part]),
    guard: (action) => action(),
  });
  const port = fakePort();
  crew.add(1, port);
  port.receive({ type: 'ready' });
  const begin = (number, pending) => {
    const round = {
      number,
      broadcast: new Uint8Array(),
      parts: [],
      pending,
      numMissing: 9,
      time: 0,
    };
    crew.begin(round);
    return round;
  };
  const part = (round, shard, value) =>
    port.receive({ type: 'parts', round, parts: [{ shard, part: Uint8Array.of(value), time: 1 }] });
  return { crew, port, arrived, begin, part };
}

test('what waits at a helper is taken back, the last first; what it works on is not', () => {
  const { crew, port, begin } = crewOfOne();
  const round = begin(0, [0, 1]);
  assert.deepEqual(round.pending, []);
  assert.equal(crew.takeBack(), 1);
  assert.equal(crew.takeBack(), undefined);
  const [{ type, shard }] = port.posted.slice(-1);
  assert.deepEqual({ type, shard }, { type: 'withdraw', shard: 1 });
});

test('a part that was taken back is not taken, in its round or a later one', () => {
  const { crew, arrived, begin, part } = crewOfOne();
  begin(0, [0, 1]);
  crew.takeBack();
  part(0, 1, 100);
  assert.deepEqual(arrived, []);
  part(0, 0, 10);
  assert.deepEqual(arrived, [[0, 10]]);

  crew.end();
  begin(1, [0, 1]);
  crew.takeBack();
  part(1, 0, 11);
  crew.end();
  begin(2, [0, 1]);
  // Of the round before, though the helper has a shard of this number to do.
  part(1, 1, 101);
  assert.deepEqual(arrived, [
    [0, 10],
    [0, 11],
  ]);
  part(2, 0, 12);
  part(2, 1, 102);
  assert.deepEqual(arrived.slice(2), [
    [0, 12],
    [1, 102],
  ]);
});

test('a helper is given every second shard, so that both have long ones and the short ones at the end', () => {
  const { port, begin } = crewOfOne();
  const round = begin(
    0,
    Array.from({ length: 14 }, (_, shard) => shard),
  );
  const [{ shards }] = port.posted.slice(-1);
  assert.deepEqual(
    shards.map(({ shard }) => shard),
    [0, 2, 4, 6, 8, 10, 12],
  );
  assert.deepEqual(round.pending, [1, 3, 5, 7, 9, 11, 13]);
});

/** A helper, with the shards that it has worked on; each takes two pieces, of some milliseconds by a clock of its own. */
function helperAtWork(ofPiece = 1000) {
  const worked = [];
  let numPieces = 0;
  let clock = 0;
  const shards = {
    prepare: () => undefined,
    work: (shard) => {
      clock += ofPiece;
      if (numPieces++ % 2 === 0) return undefined;
      worked.push(shard);
      return Uint8Array.of(shard);
    },
  };
  const port = fakePort();
  const context = { wake: () => undefined, guard: (_, action) => action() };
  const helper = new Helper(0, port, shards, context);
  const shardsOf = (numbers) => numbers.map((shard) => ({ shard, scattered: new Uint8Array() }));
  const round = { number: 5, broadcast: new Uint8Array() };
  port.receive({ type: 'shards', round, shards: shardsOf([0, 1]) });
  port.receive({ type: 'shards', round: undefined, shards: shardsOf([2]) });
  const runOnePiece = () => {
    const { now } = performance;
    performance.now = () => clock;
    try {
      helper.run(clock + 1);
    } finally {
      performance.now = now;
    }
  };
  return { helper, port, worked, runOnePiece };
}

test('a helper leaves out what is withdrawn', () => {
  const { helper, port, worked } = helperAtWork();
  port.receive({ type: 'withdraw', shard: 1 });
  while (helper.run(Infinity));
  assert.deepEqual(worked, [0, 2]);
  const posted = port.posted.filter(({ type }) => type === 'parts');
  assert.deepEqual(
    posted.flatMap(({ round, parts }) => parts.map(({ shard }) => [round, shard])),
    [
      [5, 0],
      [5, 2],
    ],
  );
});

test('a shard that is begun when it is withdrawn is done to its end', () => {
  const { helper, port, worked, runOnePiece } = helperAtWork();
  runOnePiece();
  port.receive({ type: 'withdraw', shard: 0 });
  while (helper.run(Infinity));
  assert.deepEqual(worked, [0, 1, 2]);
});

test('parts go together, but do not wait long for one another', () => {
  for (const [ofPiece, expected] of [
    [3, [[0, 1], [2]]],
    [30, [[0], [1], [2]]],
  ]) {
    const { port, runOnePiece } = helperAtWork(ofPiece);
    for (let piece = 0; piece < 6; piece++) runOnePiece();
    const posted = port.posted.filter(({ type }) => type === 'parts');
    assert.deepEqual(
      posted.map(({ parts }) => parts.map(({ shard }) => shard)),
      expected,
    );
  }
});

test('a slow helper changes nothing but the time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unnorm-crew-'));
  const [one, two] = await Promise.all(
    [1, 2].map((numWorkers) => createFakeEngine({ numWorkers })),
  );
  try {
    for (const [cost, helperCost, numShards] of [
      [0.2, 0.9, 16],
      [1, 3, 8],
      [1.2, 0.4, 2],
    ]) {
      const helperLog = join(folder, `${cost} ${numShards}`);
      const model = { cost, numShards, numRounds: 60, helperCost };
      const { total } = await one.exact(chain(model));
      // A helper may be late, but there is one.
      const meet = { numWorkers: 2, file: `${helperLog} met` };
      const helped = await two.exact(chain({ ...model, helperLog, meet }));
      assert.equal(helped.total, total);
      const numDone = existsSync(helperLog) ? statSync(helperLog).size : 0;
      assert.ok(numDone >= helped.numHelped, `${numDone} done, ${helped.numHelped} of use`);
      assert.ok(helped.numHelped > 0);
    }
  } finally {
    await Promise.all([one.close(), two.close()]);
    rmSync(folder, { recursive: true });
  }
});
