/**
 * A job in a worker that helps its coordinator: does the shards it is given, in order.
 */

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
  #orders: ToHelper[] = [];
  /** What the shard under way has taken so far, in milliseconds. */
  #time = 0;

  constructor(job: number, port: MessagePort, shardWorker: ShardWorker, context: HelperContext) {
    this.id = job;
    this.#port = port;
    this.#shardWorker = shardWorker;
    this.#context = context;
    port.onmessage = (event: MessageEvent<ToHelper>) => {
      this.#orders.push(event.data);
      context.wake(this);
    };
    this.#post({ type: 'ready' });
  }

  run(deadline: number): boolean {
    let more = false;
    this.#context.guard(this.id, () => {
      while (this.#orders.length > 0 && performance.now() < deadline) {
        if (this.#follow(this.#orders[0] as ToHelper)) this.#orders.shift();
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

  /** Does what it is told, or a piece of it; whether that was all. */
  #follow(order: ToHelper): boolean {
    switch (order.type) {
      case 'round':
        this.#shardWorker.prepare(order.broadcast);
        return true;
      case 'shard': {
        const start = performance.now();
        const part = this.#shardWorker.work(order.shard, order.scattered);
        this.#time += performance.now() - start;
        if (!part) return false;
        this.#post({ type: 'part', shard: order.shard, part, time: this.#time }, [part.buffer]);
        this.#time = 0;
        return true;
      }
      default:
        unreachable(order);
    }
  }

  #post(message: FromHelper, transfer: ArrayBufferLike[] = []): void {
    this.#port.postMessage(message, transfer as ArrayBuffer[]);
  }
}
