/**
 * A job in a worker that helps its coordinator: does the shards it is given, in order.
 */

import { Line, LOST, type Numbered } from './line.js';
import { type FromHelper, type ToHelper, unreachable } from './protocol.js';
import type { Runnable } from './scheduler.js';
import type { ShardWorker } from './wasm-api.js';

/** What a helper needs of the worker it is in. */
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
  #orders: Exclude<ToHelper, { type: 'ping' }>[] = [];
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
      while (this.#orders.length > 0 && performance.now() < deadline) {
        if (this.#follow(this.#orders[0]!)) this.#orders.shift();
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
    this.#orders.push(order);
    this.#context.wake(this);
  }

  /** Does what it is told, or a piece of it; whether that was all. */
  #follow(order: Exclude<ToHelper, { type: 'ping' }>): boolean {
    switch (order.type) {
      case 'round':
        this.#shardWorker.prepare(order.broadcast);
        return true;
      case 'shard': {
        const start = performance.now();
        const part = this.#shardWorker.work(order.shard, order.scattered);
        this.#time += performance.now() - start;
        if (!part) return false;
        const done = { type: 'part', shard: order.shard, part, time: this.#time } as const;
        this.#line.post(done, [part.buffer as ArrayBuffer]);
        this.#time = 0;
        return true;
      }
      default:
        unreachable(order);
    }
  }
}
