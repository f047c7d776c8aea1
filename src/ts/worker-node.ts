/**
 * The script of a worker thread in Node.
 */

import { runNodeWorker } from './node-worker.js';

runNodeWorker(() => import('./wasm/plain/unnorm.js'));
