/** A worker of the engine in Node that shares out all it can, takes checkpoints often, and ends as it is told. */
import '../matrix/worker-node.mjs';
import { Job, ShardWorker } from '../../dist/wasm/plain/unnorm.js';
import { obeyKills } from './kill.mjs';

obeyKills({ Job, ShardWorker });
