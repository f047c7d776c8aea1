/**
 * The script of a web worker with the core alone.
 */

import { runWebWorker } from '../web-worker.js';

runWebWorker(() => import('../wasm/core/unnorm.js'));
