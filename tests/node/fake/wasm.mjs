/**
 * A stand-in for the WebAssembly module: the same classes in plain JavaScript, with a job whose
 * cost, length and crashes can be chosen, and whose helpers can be slow and count what they do. It tests
 * the engine's protocol, not the numerics.
 *
 * The job is a chain of numbers: each round mixes the last total with the shard's number in every
 * shard and folds the parts in order, so a round lost, doubled, or out of order changes the result.
 *
 * Rounds wait for what a test needs to have happened, so that no job is over before, however fast or slow the machine.
 * Events are files that exist:
 *
 * - `holds: [{ in, round, until }]`: the coordinator, or its helpers, do no shard of this round or a later one until then;
 * - `meet: { numWorkers, file }`: nobody does a shard until so many workers have one to do, whose numbers go into the file;
 * - `lasts`: there are more rounds than `numRounds` until then;
 * - `workLog`, `helperLog`: a dot for each shard that anybody does, or a helper.
 */
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { parentPort, threadId } from 'node:worker_threads';

const MODULUS = 2 ** 31 - 1;

const mix = (a, b) => (a * 48271 + b * 16807 + 11) % MODULUS;

/** Where the clock stands still but for work: the time that there has been. */
let worked;

/** From now on only work takes time in this worker. */
export function stopClock() {
  worked = 0;
  performance.now = () => worked;
}

function spin(milliseconds) {
  if (worked !== undefined) {
    worked += milliseconds;
    return;
  }
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const asleep = new Int32Array(new SharedArrayBuffer(4));

/** Leaves the processor to others. */
function rest(milliseconds) {
  if (worked !== undefined) worked += milliseconds;
  Atomics.wait(asleep, 0, 0, milliseconds);
}

/**
 * What this worker has done: the longest time between two looks at its messages, of use where the clock does not run while
 * it waits for some; and the shards of all jobs.
 */
const turns = { longest: 0, began: 0 };
let numShardsDone = 0;

/** Called before messages are let in. */
export function endTurn() {
  const now = performance.now();
  turns.longest = Math.max(turns.longest, now - turns.began);
  turns.began = now;
}

/** Whether so many workers have come; this one has, now. */
function haveMet({ numWorkers, file }) {
  const here = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  if (!here().includes(String(threadId))) appendFileSync(file, `${threadId}\n`);
  return new Set(here()).size >= numWorkers;
}

const encode = (value) => new TextEncoder().encode(JSON.stringify(value));
const decode = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

function refuse(code, message, field) {
  throw { code, message, field };
}

/** Crashes as the spec says, as often as it says, once `when` has come; the count outlives the worker in a file. */
function perhapsCrash(crash, point) {
  if (!crash || crash.in !== point.in || crash.round > point.round) return;
  if (crash.when && !existsSync(crash.when)) return;
  const count = existsSync(crash.file) ? statSync(crash.file).size : 0;
  if (count >= crash.times) return;
  appendFileSync(crash.file, '.');
  if (crash.how === 'exit') process.exit(7);
  if (crash.how === 'hang') {
    // Told to the test, not to the engine: see wire.mjs.
    parentPort.postMessage({ fallsSilent: true });
    Atomics.wait(asleep, 0, 0);
  }
  if (crash.how === 'stack') throw new RangeError('Maximum call stack size exceeded');
  throw new WebAssembly.RuntimeError('unreachable');
}

export class BinaryData {
  constructor(dim, numRows, bits) {
    Object.assign(this, { dim, numRows, packed: bits });
  }
  static fromBits(dim, numRows, bits) {
    return new BinaryData(dim, numRows, bits.slice());
  }
  static fromValues(dim, values) {
    if (values.some((value) => value !== 0 && value !== 1)) {
      refuse('invalid-data', 'values must be 0 or 1', 'data.values');
    }
    return new BinaryData(dim, values.length / dim, Uint8Array.from(values));
  }
  static fromCsv(bytes) {
    return BinaryData.fromValues(1, Float64Array.from(new TextDecoder().decode(bytes), Number));
  }
  bits() {
    return this.packed.slice();
  }
  free() {}
}

/** What one shard does; the same in coordinators and helpers. */
class Shards {
  constructor(spec, data) {
    this.model = spec.model;
    this.sum = data ? data.bits().reduce((sum, value) => sum + value, 0) : 0;
  }
  prepare(broadcast) {
    this.state = decode(broadcast);
  }
  /** Nothing comes of a call while the shard is held: a piece of it is done, as it were, and messages are let in. */
  work(shard, scattered) {
    const { round, total } = this.state;
    perhapsCrash(this.model.crash, { in: this.where, round });
    if (this.isHeld(round)) {
      rest(1);
      return undefined;
    }
    const { cost, helperCost = cost, helperLog, workLog } = this.model;
    const isHelper = this.where === 'helper';
    spin(isHelper ? helperCost : cost);
    numShardsDone += 1;
    if (isHelper && helperLog) appendFileSync(helperLog, '.');
    if (workLog) appendFileSync(workLog, '.');
    return encode({ part: mix(total + this.sum, shard + scattered[0]), threadId });
  }
  /** Whether shards of a round have to wait here. */
  isHeld(round) {
    const { holds = [], meet } = this.model;
    const isFor = (hold) => hold.in === this.where && hold.round <= round;
    if (holds.some((hold) => isFor(hold) && !existsSync(hold.until))) return true;
    this.met ||= !meet || haveMet(meet);
    return !this.met;
  }
  free() {}
}

export class ShardWorker extends Shards {
  where = 'helper';
  static create(spec, data) {
    return new ShardWorker(spec, data);
  }
}

export class Job extends Shards {
  where = 'coordinator';
  constructor(spec, data, state) {
    super(spec, data);
    this.resolved = { ...spec, seed: spec.seed ?? 1 + Math.floor(Math.random() * 1e9) };
    this.now = state ?? { round: 0, total: this.resolved.seed, seed: this.resolved.seed };
    this.resolved.seed = this.now.seed;
    this.threads = new Set();
    this.numHelped = 0;
    this.numDone = 0;
    this.numDoneBefore = numShardsDone;
  }
  static create(spec, data, checkpoint) {
    perhapsCrash(spec.model.crash, { in: 'create', round: 0 });
    if (spec.model.refuse) refuse('invalid-spec', 'model.refuse is set', 'model.refuse');
    return new Job(spec, data, checkpoint && decode(checkpoint));
  }
  get numShards() {
    return this.model.numShards;
  }
  get done() {
    const { numRounds, lasts } = this.model;
    return this.now.round >= numRounds && (!lasts || existsSync(lasts));
  }
  spec() {
    return this.resolved;
  }
  broadcast() {
    return encode(this.now);
  }
  scatter(shard) {
    return Uint8Array.of(shard % 7);
  }
  gather(parts) {
    if (parts.length !== this.numShards) throw new Error('parts are missing');
    const decoded = parts.map(decode);
    for (const { threadId: id } of decoded) this.threads.add(id);
    this.numHelped += decoded.filter(({ threadId: id }) => id !== threadId).length;
    const total = decoded.reduce((sum, { part }) => mix(sum, part), this.now.total);
    this.now = { ...this.now, round: this.now.round + 1, total };
    if (this.now.round === this.model.refuseAt) refuse('too-large', 'too many rounds');
  }
  work(...shard) {
    const part = super.work(...shard);
    if (part) this.numDone += 1;
    return part;
  }
  advance(maxRounds) {
    for (let i = 0; i < maxRounds && !this.done; i++) {
      // So long that the next round seems worth sharing out.
      if (this.isHeld(this.now.round)) return rest(3 * maxRounds);
      this.prepare(this.broadcast());
      const parts = Array.from({ length: this.numShards }, (_, s) => this.work(s, this.scatter(s)));
      this.gather(parts);
    }
  }
  progress() {
    const { numRounds } = this.model;
    const { round } = this.now;
    return { round, fraction: Math.min(1, round / numRounds), done: this.done };
  }
  snapshot() {
    return encode(this.now);
  }
  result() {
    return {
      ...this.now,
      threads: [...this.threads],
      numHelped: this.numHelped,
      /** Shards of other jobs, done by this worker since it began with this one. */
      numOthers: numShardsDone - this.numDoneBefore - this.numDone,
      longestTurn: turns.longest,
    };
  }
}

export const version = () => 'fake';

export default async function init() {
  return {};
}
