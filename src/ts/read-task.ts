/** The reading of a data set, in the main thread. */

import { fromWire, type UnnormError } from './errors.js';
import type { Pool } from './pool.js';
import type { FromTask, ToWorker, WireData } from './protocol.js';
import type { Task } from './slot.js';
import type { ReadData } from './types.js';

export class ReadTask implements Task {
  readonly id: number;
  readonly result: Promise<ReadData>;
  readonly busy = true;
  crashes = 0;

  #data: WireData | undefined;
  #pool: Pool | undefined;
  #resolve!: (data: ReadData) => void;
  #reject!: (error: UnnormError) => void;

  constructor(id: number) {
    this.id = id;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  begin(data: WireData, pool: Pool): void {
    this.#data = data;
    this.#pool = pool;
    pool.add(this);
  }

  startMessage(): ToWorker {
    return { type: 'readData', job: this.id, data: this.#data as WireData };
  }

  restarted(): void {}

  get helperInput(): never {
    throw new Error('nobody helps to read data');
  }

  receive(message: FromTask): void {
    if (message.type === 'refused') return this.fail(fromWire(message.error, 'data'));
    if (message.type !== 'data') throw new Error(`a file was answered with '${message.type}'`);
    this.#resolve(message.data);
    this.#pool?.release(this);
  }

  fail(error: UnnormError): void {
    this.#reject(error);
    this.#pool?.release(this);
  }

  markHandled(): void {
    this.result.catch(() => undefined);
  }
}
