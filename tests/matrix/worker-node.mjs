/** A worker of the engine in Node that shares out all it can. */
import '../../dist/worker-node.js';
import { Job, ShardWorker } from '../../dist/wasm/plain/unnorm.js';
import { shareOut } from './share-out.mjs';

shareOut({ Job, ShardWorker });
