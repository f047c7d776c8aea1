/**
 * The script of a web worker.
 */

import { findLatticeDevice } from './lattice-device.js';
import { runWebWorker } from './worker-web.js';

runWebWorker(
  (threads) => (threads ? import('./wasm/threads/unnorm.js') : import('./wasm/plain/unnorm.js')),
  findLatticeDevice,
);
