/**
 * The script of a web worker.
 */

import { runWebWorker } from './web-worker.js';

runWebWorker((threads) =>
  threads ? import('./wasm/threads/unnorm.js') : import('./wasm/plain/unnorm.js'),
);
