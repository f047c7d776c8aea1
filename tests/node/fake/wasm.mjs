/**
 * A stand-in for the WebAssembly module: the same classes in plain JavaScript, with a job whose
 * cost, length and crashes can be chosen, and whose helpers can be slow and count what they do. It tests
 * the engine's protocol, not the numerics.
 *
 * The job is a chain of numbers: each round mixes the last total with the shard's number in every
 * shard and folds the parts in order, so a round lost, doubled, or out of order changes the result.
 */
import { appendFileSync, existsSync, statSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

const MODULUS = 2 ** 31 - 1;

const mix = (a, b) => (a * 48271 + b * 16807 + 11) % MODULUS;

function spin(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

const encode = (value) => new TextEncoder().encode(JSON.stringify(value));
const decode = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

function refuse(code, message, field) {
  throw { code, message, field };
}

/** Crashes as the spec says, as often as it says; the count outlives the worker in a file. */
function perhapsCrash(crash, point) {
  if (!crash || crash.in !== point.in || crash.round > point.round) return;
  const count = existsSync(crash.file) ? statSync(crash.file).size : 0;
  if (count >= crash.times) return;
  appendFileSync(crash.file, '.');
  if (crash.how === 'exit') process.exit(7);
  if (crash.how === 'hang') for (;;);
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
  work(shard, scattered) {
    const { round, total } = this.state;
    perhapsCrash(this.model.crash, { in: this.where, round });
    const { cost, helperCost = cost, helperLog } = this.model;
    const isHelper = this.where === 'helper';
    spin(isHelper ? helperCost : cost);
    if (isHelper && helperLog) appendFileSync(helperLog, '.');
    return encode({ part: mix(total + this.sum, shard + scattered[0]), threadId });
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
    return this.now.round >= this.model.numRounds;
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
  advance(maxRounds) {
    for (let i = 0; i < maxRounds && !this.done; i++) {
      this.prepare(this.broadcast());
      const parts = Array.from({ length: this.numShards }, (_, s) => this.work(s, this.scatter(s)));
      this.gather(parts);
    }
  }
  progress() {
    const { numRounds } = this.model;
    return { round: this.now.round, fraction: this.now.round / numRounds, done: this.done };
  }
  snapshot() {
    return encode(this.now);
  }
  result() {
    return { ...this.now, threads: [...this.threads], numHelped: this.numHelped };
  }
}

export const version = () => 'fake';

export default async function init() {
  return {};
}
