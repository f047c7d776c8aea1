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
        this.#follow(this.#orders.shift() as ToHelper);
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

  #follow(order: ToHelper): void {
    switch (order.type) {
      case 'round':
        return this.#shardWorker.prepare(order.broadcast);
      case 'shard': {
        const start = performance.now();
        const part = this.#shardWorker.work(order.shard, order.scattered);
        const time = performance.now() - start;
        return this.#post({ type: 'part', shard: order.shard, part, time }, [part.buffer]);
      }
      default:
        unreachable(order);
    }
  }

  #post(message: FromHelper, transfer: ArrayBufferLike[] = []): void {
    this.#port.postMessage(message, transfer as ArrayBuffer[]);
  }
}
