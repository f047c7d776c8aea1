/** A worker of the engine in a page that shares out all it can. The server's top is that of the repository. */
import '../../dist/worker.js';
import { Job, ShardWorker } from '../../dist/wasm/plain/unnorm.js';
import { shareOut } from './share-out.mjs';

shareOut({ Job, ShardWorker });
