/**
 * The script of a web worker.
 */

import type { ToWorker } from './protocol.js';
import { runWorker } from './worker-core.js';

const scope = globalThis as unknown as {
  postMessage(message: unknown, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};

/** A message to oneself comes after those already there, sooner than any timer. */
const { port1, port2 } = new MessageChannel();
let woken = (): void => undefined;
port1.onmessage = () => woken();

runWorker({
  post: (message, transfer) => scope.postMessage(message, transfer),
  listen: (receive) => {
    scope.onmessage = (event) => receive(event.data);
  },
  importWasm: (threads) =>
    threads ? import('./wasm/threads/unnorm.js') : import('./wasm/plain/unnorm.js'),
  yieldToMessages: () =>
    new Promise((resolve) => {
      woken = resolve;
      port2.postMessage(null);
    }),
});
