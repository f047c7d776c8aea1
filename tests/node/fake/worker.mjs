/** The package's worker over the stand-in for its WebAssembly module. */
import { appendFileSync, existsSync } from 'node:fs';
import { MessagePort, parentPort } from 'node:worker_threads';
import { dist } from '../package.mjs';

if (process.env.UNNORM_TEST_BROKEN_WORKER) throw new Error('broken on purpose');

// The first message of a type, from one worker to another, is lost; the file keeps that in mind.
if (process.env.UNNORM_TEST_LOSE) {
  const { type, file } = JSON.parse(process.env.UNNORM_TEST_LOSE);
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (message, transfer) {
    const isLost = this !== parentPort && message.type === type && !existsSync(file);
    if (isLost) appendFileSync(file, '.');
    else postMessage.call(this, message, transfer);
  };
}

const { runWorker } = await import(new URL('worker-core.js', dist).href);
const wasm = await import('./wasm.mjs');

runWorker({
  post: (message, transfer) => parentPort.postMessage(message, transfer),
  listen: (receive) => parentPort.on('message', receive),
  importWasm: () => wasm,
  yieldToMessages: () => {
    wasm.endTurn();
    return new Promise((resolve) => setImmediate(resolve));
  },
});
