/**
 * The script of a web worker with the core alone.
 */

import { runWebWorker } from '../worker-web.js';

runWebWorker(() => import('../wasm/core/unnorm.js'));
