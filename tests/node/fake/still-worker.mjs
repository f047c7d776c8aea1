/** The worker whose clock moves by what its jobs cost, and by nothing else. */
import { stopClock } from './wasm.mjs';

stopClock();
await import('./worker.mjs');
