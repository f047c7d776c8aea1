/**
 * The script of a worker thread in Node.
 */

import { parentPort } from 'node:worker_threads';

import type { ToWorker } from './protocol.js';
import { runWorker } from './worker-core.js';

if (!parentPort) throw new Error('this script is for a worker thread');
const port = parentPort;

runWorker({
  post: (message, transfer) => port.postMessage(message, transfer),
  listen: (receive) => void port.on('message', (message: ToWorker) => receive(message)),
  // @ts-expect-error: emitted by wasm-bindgen, next to the compiled form of this file
  importWasm: () => import('./wasm/plain/unnorm.js') as Promise<WasmModule>,
  // Not a message to oneself: Node delivers up to 1000 messages of one port before it looks at
  // another, which delays a cancellation by as many slices of work.
  yieldToMessages: () => new Promise((resolve) => setImmediate(resolve)),
});
