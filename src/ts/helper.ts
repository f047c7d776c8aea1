/**
 * A job in a worker that helps its coordinator: does the shards it is given, in order.
 */

import { Line, LOST, type Numbered } from './line.js';
import { type FromHelper, type ToHelper, unreachable } from './protocol.js';
import type { Runnable } from './scheduler.js';
import type { ShardWorker } from './wasm-api.js';

/** What is done in its turn. */
type Order = Extract<ToHelper, { type: 'round' | 'shard' }>;

/** What a helper needs of the worker it is in. */
export interface HelperContext {
  wake(work: Runnable): void;
  guard(job: number, action: () => void): void;
}

/** How long shards may follow one another before messages are let in, which may withdraw the next, in milliseconds. */
const LETTING_IN_MS = 1;

export class Helper implements Runnable {
  readonly id: number;
  readonly #port: MessagePort;
  readonly #shardWorker: ShardWorker;
  readonly #context: HelperContext;
  readonly #line: Line<FromHelper>;
  #orders: Order[] = [];
  #round = 0;
  /** Whether a piece of the shard that is first among the orders has been done. */
  #begun = false;
  /** What the shard under way has taken so far, in milliseconds. */
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
      const letIn = performance.now() + LETTING_IN_MS;
      while (this.#orders.length > 0 && performance.now() < deadline) {
        const done = this.#follow(this.#orders[0]!);
        if (done) this.#orders.shift();
        this.#begun = !done;
        if (done && performance.now() >= letIn) break;
      }
      more = this.#orders.length > 0;
    });
    return more;
  }

  free(): void {
    this.#port.onmessage = null;
    this.#port.close();
    this.#shardWorker.free();
  }

  #receive(order: Numbered<ToHelper>): void {
    if (!this.#line.follows(order)) throw new Error(LOST);
    if (order.type === 'ping') return this.#line.post({ type: 'pong' });
    if (order.type === 'withdraw') return this.#withdraw(order.shard);
    this.#orders.push(order);
    this.#context.wake(this);
  }

  #withdraw(shard: number): void {
    const begun = this.#begun ? this.#orders[0] : undefined;
    this.#orders = this.#orders.filter(
      (order) => order === begun || order.type !== 'shard' || order.shard !== shard,
    );
  }

  /** Does what it is told, or a piece of it; whether that was all. */
  #follow(order: Order): boolean {
    switch (order.type) {
      case 'round':
        this.#round = order.round;
        this.#shardWorker.prepare(order.broadcast);
        return true;
      case 'shard': {
        const start = performance.now();
        const part = this.#shardWorker.work(order.shard, order.scattered);
        this.#time += performance.now() - start;
        if (!part) return false;
        const time = this.#time;
        this.#time = 0;
        const done = { type: 'part', round: this.#round, shard: order.shard, part, time } as const;
        this.#line.post(done, [part.buffer as ArrayBuffer]);
        return true;
      }
      default:
        unreachable(order);
    }
  }
}
