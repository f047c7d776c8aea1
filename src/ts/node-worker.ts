/** Makes the script that calls it a worker thread in Node. */

import { parentPort, type TransferListItem } from 'node:worker_threads';

import type { Numbered } from './line.js';
import type { ToWorker } from './protocol.js';
import type { WasmModule } from './wasm-api.js';
import { runWorker } from './worker-core.js';

/** `importWasm` imports the JavaScript side of the module, without instantiating it. */
export function runNodeWorker(importWasm: () => Promise<WasmModule>): void {
  if (!parentPort) throw new Error('this script is for a worker thread');
  const port = parentPort;

  runWorker({
    post: (message, transfer) =>
      port.postMessage(message, transfer as unknown as TransferListItem[]),
    listen: (receive) => void port.on('message', (message: Numbered<ToWorker>) => receive(message)),
    importWasm,
    // Not by a message to oneself: Node delivers up to 1000 messages of one port before it checks
    // another, which delays a cancellation by that many slices of work.
    yieldToMessages: () => new Promise((resolve) => setImmediate(resolve)),
  });
}
