/**
 * Every job of tests/golden, stopped anywhere by the loss of a worker or of the process, comes to its digest; and goes on
 * from no checkpoint but its own. More of the same with RESUME_TIMES=20 in the environment.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../../dist/node.js';
import { withBits } from '../matrix/digests.mjs';
import { jobsOf } from '../matrix/jobs.mjs';
import { uniforms } from './data.mjs';

const TIMES = Number(process.env.RESUME_TIMES ?? 1);

const folder = mkdtempSync(join(tmpdir(), 'unnorm-resume-'));
after(() => rmSync(folder, { recursive: true }));

const planFile = join(folder, 'plan.json');
process.env.UNNORM_TEST_KILL = planFile;
const workerUrl = new URL('../resume/worker.mjs', import.meta.url);
const engine = await createEngine({ numWorkers: 2, workerUrl });
after(() => engine.close());

const jobs = jobsOf([0]).map(({ spec, ...job }) => {
  const { verb, ...rest } = withBits(spec);
  return { ...job, verb, spec: rest };
});

const uniform = uniforms(2207);
/** A whole number from 1 to `most`. */
const upTo = (most) => 1 + Math.floor(most * uniform.next().value);

/** What workers tell while `action` goes on: how many jobs they made from a checkpoint, the steps of the last. */
async function observed(action) {
  const channel = new BroadcastChannel('unnorm steps');
  const told = { numResumed: 0, steps: undefined };
  const ended = new Promise((resolve) => {
    channel.onmessage = ({ data: { resumed, steps } }) => {
      if (resumed) told.numResumed += 1;
      if (steps === undefined) return;
      told.steps = steps;
      resolve();
    };
  });
  try {
    const { digest } = await action();
    await ended;
    return { ...told, digest };
  } finally {
    channel.close();
  }
}

test('a job whose worker is lost before any step still comes to its digest', async (t) => {
  let [numKilled, numResumed] = [0, 0];
  for (const { name, verb, spec, digest } of jobs) {
    const { steps } = await observed(() => engine[verb](spec));
    for (let time = 0; time < TIMES; time++) {
      // Now and then the helper is lost, if there is one.
      const inHelper = upTo(4) === 1;
      const plan = {
        in: inHelper ? 'helper' : 'coordinator',
        step: inHelper ? upTo(2) : upTo(steps),
        how: upTo(2) === 1 ? 'trap' : 'exit',
      };
      writeFileSync(planFile, JSON.stringify(plan));
      const found = await observed(() => engine[verb](spec));
      assert.equal(found.digest, digest, `${name}: ${JSON.stringify(plan)} of ${steps}`);
      const killed = !existsSync(planFile);
      assert.ok(killed || inHelper, `${name} was killed`);
      rmSync(planFile, { force: true });
      numKilled += killed ? 1 : 0;
      numResumed += found.numResumed;
    }
  }
  t.diagnostic(`${numKilled} workers lost, ${numResumed} jobs gone on from a checkpoint`);
  assert.ok(numKilled > jobs.length / 2);
  assert.ok(numResumed > 5, 'some had come far enough to have a checkpoint');
});

/** Kills the process of all jobs some times, lets it end, and gives how often a job had something to go on from. */
function killedAndDone(numKills, log) {
  const script = fileURLToPath(new URL('../resume/process.mjs', import.meta.url));
  const kept = mkdtempSync(join(folder, 'kept-'));
  const has = (name, what) => existsSync(join(kept, `${name}.${what}`));
  let numResumed = 0;
  for (let kill = 0; ; kill++) {
    const isKilled = kill < numKills;
    // Of about 1,900 steps in each of two workers.
    const plan = JSON.stringify({ in: 'process', step: upTo(300), how: 'kill' });
    if (isKilled) writeFileSync(planFile, plan);
    const args = [script, kept, String(upTo(jobs.length))];
    const { signal, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.deepEqual([signal, status], isKilled ? ['SIGKILL', null] : [null, 0], stderr);
    if (!isKilled) break;
    const done = jobs.filter(({ name }) => has(name, 'digest'));
    const underWay = jobs.filter((job) => has(job.name, 'checkpoint') && !done.includes(job));
    log(`killed with ${done.length} jobs done, ${underWay.length} under way`);
    numResumed += underWay.length;
  }
  for (const { name, digest } of jobs) {
    assert.equal(readFileSync(join(kept, `${name}.digest`), 'utf8'), digest, name);
  }
  return numResumed;
}

test('jobs go on in another process when theirs is killed', (t) => {
  let numResumed = 0;
  for (let time = 0; time < TIMES; time++) numResumed += killedAndDone(3, (s) => t.diagnostic(s));
  assert.ok(numResumed > 0, 'there was something to go on from');
});

/** What is said of a checkpoint when a job is to go on from it; the job does not work. */
async function refusal({ verb, spec }, resumeFrom) {
  const handle = engine[verb](spec, { resumeFrom });
  await handle.pause();
  handle.cancel();
  const error = await handle.catch((reason) => reason);
  if (error.code === 'aborted' || error.digest !== undefined) return 'taken';
  await assert.rejects(
    handle.checkpoint(),
    { code: error.code },
    'a refused one is not given back',
  );
  return error;
}

/** The envelope's parts: see src/run/checkpoint.rs. */
const [VERSION_AT, LENGTH_AT, PAYLOAD_AT, CHECKSUM_BYTES] = [8, 53, 61, 32];

/** An envelope about another payload, as sound as any. */
function sealed(checkpoint, payload) {
  const head = Buffer.from(checkpoint.subarray(0, PAYLOAD_AT));
  head.writeBigUInt64LE(BigInt(payload.length), LENGTH_AT);
  const body = Buffer.concat([head, payload]);
  return new Uint8Array(Buffer.concat([body, fingerprint(body)]));
}

/** As src/digest.rs takes it of bytes. */
function fingerprint(bytes) {
  const [first, second] = [0x9e3779b97f4a7c15n, 0xc2b2ae3d27d4eb4fn];
  const wrapped = (number) => BigInt.asUintN(64, number);
  const words = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);
  const lanes = [1n, 2n, 3n, BigInt(bytes.length)];
  for (let at = 0; at < words.length; at += 8) {
    const lane = (at / 8) % 4;
    const mixed = lanes[lane] ^ wrapped(words.readBigUInt64LE(at) * second);
    lanes[lane] = wrapped(wrapped((mixed << 29n) | (mixed >> 35n)) * first + second);
  }
  const result = Buffer.alloc(32);
  for (const [at, lane] of lanes.entries()) result.writeBigUInt64LE(lane, 8 * at);
  return result;
}

/** The bytes with one bit flipped. */
function flipped(bytes, bit) {
  const changed = bytes.slice();
  changed[bit >> 3] ^= 1 << (bit & 7);
  return changed;
}

test('a checkpoint that is damaged, of a later format or of another job is refused in words', async () => {
  let previous;
  for (const job of jobs) {
    const { name, verb, spec } = job;
    const handle = engine[verb](spec, { progressInterval: 0 });
    // As far as it comes until it is asked.
    await handle[Symbol.asyncIterator]().next();
    const checkpoint = await handle.checkpoint();
    handle.cancel();
    await handle.catch(() => undefined);
    assert.equal(await refusal(job, checkpoint), 'taken', name);

    const refused = async (bytes, code, words, what) => {
      const error = await refusal(job, bytes);
      assert.equal(error.code, code, `${name}, ${what}: ${error.message ?? error}`);
      assert.match(error.message, words, `${name}, ${what}`);
    };
    const { length } = checkpoint;
    for (let time = 0; time < 2 * TIMES; time++) {
      const bit = upTo(8 * length) - 1;
      await refused(flipped(checkpoint, bit), 'bad-checkpoint', /.{20}/, `bit ${bit} flipped`);
      const cut = upTo(length) - 1;
      await refused(checkpoint.slice(0, cut), 'bad-checkpoint', /.{20}/, `cut off at ${cut}`);
    }
    const damaged = flipped(checkpoint, 8 * PAYLOAD_AT);
    await refused(damaged, 'bad-checkpoint', /is damaged: .*checksum/, 'payload changed');
    const later = checkpoint.slice();
    later[VERSION_AT] = 200;
    await refused(later, 'bad-checkpoint', /has format 200, .*version that wrote it/, 'later');
    if (previous) await refused(previous, 'checkpoint-mismatch', /is of (a job|another)/, 'other');
    previous = checkpoint;
    if (spec.seed !== undefined) {
      const words = new RegExp(`is of a job with seed ${spec.seed}; give that seed or none`);
      const other = { ...job, spec: { ...spec, seed: spec.seed - 1 } };
      const error = await refusal(other, checkpoint);
      assert.equal(error.code, 'checkpoint-mismatch', name);
      assert.match(error.message, words, name);
    }

    // By a program with an error: the envelope is sound, what is in it is cut off, or is anything.
    const payload = checkpoint.subarray(PAYLOAD_AT, length - CHECKSUM_BYTES);
    const rest = upTo(payload.length) - 1;
    const cut = sealed(checkpoint, payload.subarray(0, rest));
    await refused(cut, 'bad-checkpoint', /contents do not fit/, `payload cut off at ${rest}`);
    for (let time = 0; time < 3 * TIMES; time++) {
      const bit = upTo(8 * payload.length) - 1;
      const error = await refusal(job, sealed(checkpoint, flipped(payload, bit)));
      const isSound = error === 'taken' || error.code === 'bad-checkpoint';
      assert.ok(
        isSound,
        `${name}, bit ${bit} of the payload flipped: ${error.code} ${error.message}`,
      );
    }
  }
});
