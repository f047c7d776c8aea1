/** The script of a web worker contained in `unnorm/inline`, without threads. */

import { findLatticeDevice } from './lattice-device.js';
import * as plain from './wasm/plain/unnorm.js';
import { runWebWorker } from './worker-web.js';

runWebWorker(async () => plain, findLatticeDevice);
