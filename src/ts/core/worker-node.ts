/**
 * The script of a worker thread in Node with the core alone.
 */

import { runNodeWorker } from '../node-worker.js';

runNodeWorker(() => import('../wasm/core/unnorm.js'));
