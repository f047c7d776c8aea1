/** The package's worker over the stand-in for its WebAssembly module. */
import { parentPort } from 'node:worker_threads';
import { dist } from '../package.mjs';

if (process.env.UNNORM_TEST_BROKEN_WORKER) throw new Error('broken on purpose');

const { runWorker } = await import(new URL('worker-core.js', dist).href);

runWorker({
  post: (message, transfer) => parentPort.postMessage(message, transfer),
  listen: (receive) => parentPort.on('message', receive),
  importWasm: () => import('./wasm.mjs'),
  yieldToMessages: () => new Promise((resolve) => setImmediate(resolve)),
});
