/** A job in a worker that helps its coordinator: works the shards it is given, in order. */

import { YIELD_AFTER_MS } from './crew.js';
import { Line, LOST, type Numbered } from './line.js';
import {
  type FromHelper,
  type PartMessage,
  type RoundMessage,
  type ShardMessage,
  type ToHelper,
  unreachable,
} from './protocol.js';
import type { Runnable } from './scheduler.js';
import type { ShardWorker } from './wasm-api.js';

/**
 * How long parts may wait for the next ones, in milliseconds, so that a message has several. Nobody
 * needs them before the round ends, or before this helper runs out of shards.
 */
const POSTING_MS = 20;

/** An order, to be carried out in its turn. */
type Order = ({ type: 'round' } & RoundMessage) | ({ type: 'shard' } & ShardMessage);

/** What a helper needs from its worker. */
export interface HelperContext {
  wake(work: Runnable): void;
  guard(job: number, action: () => void): void;
}

export class Helper implements Runnable {
  readonly id: number;
  readonly #port: MessagePort;
  readonly #shardWorker: ShardWorker;
  readonly #context: HelperContext;
  readonly #line: Line<FromHelper>;
  #orders: Order[] = [];
  #round = 0;
  /** The finished parts that have not been posted. */
  #parts: PartMessage[] = [];
  #postTime = 0;
  /** Whether a piece of the first shard among the orders has been worked. */
  #begun = false;
  /** Time spent on the current shard so far, in milliseconds. */
  #time = 0;

  constructor(job: number, port: MessagePort, shardWorker: ShardWorker, context: HelperContext) {
    this.id = job;
    this.#port = port;
    this.#shardWorker = shardWorker;
    this.#context = context;
    this.#line = new Line((message, transfer) => port.postMessage(message, transfer));
    port.onmessage = (event: MessageEvent<Numbered<ToHelper>>) =>
      context.guard(this.id, () => this.#receive(event.data));
    this.#line.post({ type: 'ready' });
  }

  run(deadline: number): boolean {
    let more = false;
    this.#context.guard(this.id, () => {
      const letIn = performance.now() + YIELD_AFTER_MS;
      while (this.#orders.length > 0 && performance.now() < deadline) {
        const done = this.#follow(this.#orders[0]!);
        if (done) this.#orders.shift();
        this.#begun = !done;
        // A shard that is withdrawn is the last one.
        if (done && (this.#orders.length === 1 || performance.now() >= letIn)) break;
      }
      more = this.#orders.length > 0;
      const isTime = performance.now() - this.#postTime >= POSTING_MS;
      if (this.#orders.length <= 1 || isTime) this.#postParts();
    });
    return more;
  }

  free(): void {
    this.#port.onmessage = null;
    this.#port.close();
    this.#shardWorker.free();
  }

  #receive(message: Numbered<ToHelper>): void {
    if (!this.#line.follows(message)) throw new Error(LOST);
    switch (message.type) {
      case 'ping':
        return this.#line.post({ type: 'pong' });
      case 'withdraw':
        return this.#withdraw(message.shard);
      case 'shards': {
        const { round, shards } = message;
        if (round) this.#orders.push({ type: 'round', ...round });
        for (const shard of shards) this.#orders.push({ type: 'shard', ...shard });
        return this.#context.wake(this);
      }
      default:
        unreachable(message);
    }
  }

  #withdraw(shard: number): void {
    const begun = this.#begun ? this.#orders[0] : undefined;
    this.#orders = this.#orders.filter(
      (order) => order === begun || order.type !== 'shard' || order.shard !== shard,
    );
  }

  #postParts(): void {
    const parts = this.#parts;
    if (parts.length === 0) return;
    this.#parts = [];
    this.#postTime = performance.now();
    const buffers = parts.map(({ part }) => part.buffer as ArrayBuffer);
    this.#line.post({ type: 'parts', round: this.#round, parts }, buffers);
  }

  /** Carries out an order, or a piece of it; returns whether it is finished. */
  #follow(order: Order): boolean {
    switch (order.type) {
      case 'round':
        this.#postParts();
        this.#round = order.number;
        this.#shardWorker.prepare(order.broadcast);
        return true;
      case 'shard': {
        const start = performance.now();
        const part = this.#shardWorker.work(order.shard, order.scattered);
        this.#time += performance.now() - start;
        if (!part) return false;
        this.#parts.push({ shard: order.shard, part, time: this.#time });
        this.#time = 0;
        return true;
      }
      default:
        unreachable(order);
    }
  }
}
