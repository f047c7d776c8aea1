/**
 * The script of a web worker that is inside of `unnorm/inline`: without threads.
 */

import * as plain from './wasm/plain/unnorm.js';
import { runWebWorker } from './worker-web.js';

runWebWorker(async () => plain);
